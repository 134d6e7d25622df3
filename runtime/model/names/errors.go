package names

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrUnknown is wrapped by every error about an unknown name.
var ErrUnknown = errors.New("unknown name")

// UnknownError is the error for a name without an entity or relation. It wraps ErrUnknown.
type UnknownError struct {
	// Kind is "entity", "relation" or "type".
	Kind string
	Name string
	// Nearest are similar existing names, best first; it may be empty.
	Nearest []string
	// Range is the last valid number if names, or a name given as #id, are numbers, otherwise -1.
	Range int
	// Literals counts the statements with a relation of that name that the import skipped because they are about
	// literals.
	Literals int
}

// Error names the kind, the name, and suggestions.
func (e *UnknownError) Error() string {
	text := fmt.Sprintf("unknown %s %q", e.Kind, e.Name)
	switch {
	case e.Literals == 1:
		text += "; the graph's only statement with it is about a literal, which was left out (literals=values reads numbers and dates)"
	case e.Literals > 1:
		text += fmt.Sprintf("; the graph's %d statements with it are about literals, which were left out (literals=values reads numbers and dates)", e.Literals)
	case len(e.Nearest) > 0:
		text += "; did you mean " + quoteList(e.Nearest) + "?"
	case e.Range >= 0 && strings.HasPrefix(e.Name, IDMark):
		text += fmt.Sprintf("; ids are %s0 to %s%d", IDMark, IDMark, e.Range)
	case e.Range >= 0:
		text += fmt.Sprintf("; names are the numbers 0 to %d", e.Range)
	}
	return text
}

// Unwrap returns ErrUnknown.
func (e *UnknownError) Unwrap() error { return ErrUnknown }

// AmbiguousError is the error for a label that several entities share.
type AmbiguousError struct {
	// Kind is "entity", "relation" or "type".
	Kind  string
	Label string
	// Candidates are the names of the first few entities with the label; Count is the number of
	// all.
	Candidates []string
	Count      int
}

// Error names the label and the candidates.
func (e *AmbiguousError) Error() string {
	text := fmt.Sprintf("%s label %q is ambiguous; use one of the names %s", e.Kind, e.Label, quoteList(e.Candidates))
	if more := e.Count - len(e.Candidates); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// MaxCandidates bounds AmbiguousError.Candidates.
const MaxCandidates = 5

// quoteList formats names as "a", "b" or "c".
func quoteList(names []string) string {
	var text strings.Builder
	for i, name := range names {
		switch {
		case i > 0 && i == len(names)-1:
			text.WriteString(" or ")
		case i > 0:
			text.WriteString(", ")
		}
		text.WriteString(strconv.Quote(name))
	}
	return text.String()
}

// MaxSuggestions bounds the names that an error suggests.
const MaxSuggestions = 3

// Suggest adds similar names to the error for an unknown one.
func (x *Names) Suggest(err error) error {
	if unknown, ok := errors.AsType[*UnknownError](err); ok {
		unknown.Nearest = x.Nearest(unknown.Name, MaxSuggestions)
	}
	return err
}
