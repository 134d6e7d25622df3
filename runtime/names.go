package runtime

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Names maps ids to names and back. Entities may have a label besides: a name
// for people, which need not be unique nor be there. Without names an id's name
// is its decimal number. Names is immutable.
type Names struct {
	kind   string
	n      int
	names  stringTable // empty where names are numbers
	labels stringTable // empty where there are no labels
}

// stringTable holds n strings end to end and the ids in the order of their
// strings, so that it can be searched where it lies in a mapped file.
type stringTable struct {
	text    []byte
	offsets []int32 // n+1; string i is text[offsets[i]:offsets[i+1]]
	order   []int32 // ids by (string, id); of labels, only those not empty
}

// ErrUnknownName is what the error for a name that is not there wraps.
var ErrUnknownName = errors.New("unknown name")

// UnknownNameError is the error for a name that no entity or relation has. It
// wraps ErrUnknownName.
type UnknownNameError struct {
	// Kind is "entity" or "relation".
	Kind string
	Name string
	// Nearest are similar names that are there, best first; it may be empty.
	Nearest []string
	// Range is the last number where names are numbers, otherwise -1.
	Range int
}

// Error names the kind, the name, and what could have been meant.
func (e *UnknownNameError) Error() string {
	text := fmt.Sprintf("unknown %s %q", e.Kind, e.Name)
	switch {
	case len(e.Nearest) > 0:
		text += "; did you mean " + quoteList(e.Nearest) + "?"
	case e.Range >= 0:
		text += fmt.Sprintf("; names are the numbers 0 to %d", e.Range)
	}
	return text
}

// Unwrap returns ErrUnknownName.
func (e *UnknownNameError) Unwrap() error { return ErrUnknownName }

// AmbiguousNameError is the error for a label that several entities share.
type AmbiguousNameError struct {
	// Kind is "entity" or "relation".
	Kind  string
	Label string
	// Candidates are the names of the first few that have the label, Count is
	// the number of all.
	Candidates []string
	Count      int
}

// Error names the label and the candidates.
func (e *AmbiguousNameError) Error() string {
	text := fmt.Sprintf("%s label %q is ambiguous; use one of the names %s", e.Kind, e.Label, quoteList(e.Candidates))
	if more := e.Count - len(e.Candidates); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// maxCandidates bounds AmbiguousNameError.Candidates.
const maxCandidates = 5

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

// NewNames returns the names of ids 0 to len(names)-1; kind is "entity" or
// "relation". labels is nil or has a label, possibly empty, for each id. Names
// must be unique, not empty, valid UTF-8 and free of control characters.
func NewNames(kind string, names, labels []string) (*Names, error) {
	if labels != nil && len(labels) != len(names) {
		return nil, fmt.Errorf("%d %s labels for %d names", len(labels), kind, len(names))
	}
	x := &Names{kind: kind, n: len(names)}
	var err error
	if x.names, err = newStringTable(names, true); err != nil {
		return nil, fmt.Errorf("%s names: %w", kind, err)
	}
	if !slices.ContainsFunc(labels, func(label string) bool { return label != "" }) {
		return x, nil
	}
	if x.labels, err = newStringTable(labels, false); err != nil {
		return nil, fmt.Errorf("%s labels: %w", kind, err)
	}
	return x, nil
}

// NumberedNames returns names for ids 0 to n-1 that are their decimal numbers.
func NumberedNames(kind string, n int) *Names { return &Names{kind: kind, n: n} }

// newStringTable lays out the strings; unique says that they are names, which
// must differ and not be empty.
func newStringTable(list []string, unique bool) (stringTable, error) {
	total := 0
	for id, s := range list {
		if err := checkString(s); err != nil || unique && s == "" {
			return stringTable{}, fmt.Errorf("id %d: %q is empty, not UTF-8 or has control characters", id, s)
		}
		if total += len(s); total > math.MaxInt32 {
			return stringTable{}, fmt.Errorf("more than %d bytes of text", math.MaxInt32)
		}
	}
	t := stringTable{
		text:    make([]byte, 0, total),
		offsets: make([]int32, 1, len(list)+1),
		order:   make([]int32, 0, len(list)),
	}
	for id, s := range list {
		t.text = append(t.text, s...)
		t.offsets = append(t.offsets, int32(len(t.text)))
		if s != "" {
			t.order = append(t.order, int32(id))
		}
	}
	slices.SortFunc(t.order, t.compare)
	if unique {
		for i := 1; i < len(t.order); i++ {
			if a, b := t.order[i-1], t.order[i]; bytes.Equal(t.at(a), t.at(b)) {
				return stringTable{}, fmt.Errorf("ids %d and %d are both named %q", a, b, t.at(a))
			}
		}
	}
	return t, nil
}

// checkString refuses text that could not stand in a table or a message.
func checkString(s string) error {
	if !utf8.ValidString(s) {
		return errors.New("not valid UTF-8")
	}
	for _, r := range s {
		if r < ' ' || r == 0x7f {
			return errors.New("control character")
		}
	}
	return nil
}

// compare orders ids by string, then by id.
func (t *stringTable) compare(a, b int32) int {
	if c := bytes.Compare(t.at(a), t.at(b)); c != 0 {
		return c
	}
	return int(a) - int(b)
}

// at returns string id in place.
func (t *stringTable) at(id int32) []byte { return t.text[t.offsets[id]:t.offsets[id+1]] }

// find returns the ids whose string is s, ascending.
func (t *stringTable) find(s string) []int32 {
	compare := func(id int32, s string) int { return bytes.Compare(t.at(id), []byte(s)) }
	lo, _ := slices.BinarySearchFunc(t.order, s, compare)
	hi := lo
	for hi < len(t.order) && string(t.at(t.order[hi])) == s {
		hi++
	}
	return t.order[lo:hi]
}

// validate checks the table of n strings as it was read.
func (t *stringTable) validate(n int, unique bool) error {
	if len(t.offsets) != n+1 || t.offsets[0] != 0 || int(t.offsets[n]) != len(t.text) {
		return fmt.Errorf("offsets do not span %d strings of %d bytes", n, len(t.text))
	}
	filled := 0
	for id := range n {
		switch d := t.offsets[id+1] - t.offsets[id]; {
		case d < 0:
			return fmt.Errorf("offsets do not ascend at id %d", id)
		case d > 0:
			filled++
		}
	}
	if len(t.order) != filled || unique && filled != n {
		return fmt.Errorf("order has %d ids, want %d", len(t.order), filled)
	}
	for i, id := range t.order {
		if id < 0 || int(id) >= n {
			return fmt.Errorf("order holds id %d, want 0 to %d", id, n-1)
		}
		if i == 0 {
			if t.offsets[id] == t.offsets[id+1] {
				return fmt.Errorf("order holds id %d, which is empty", id)
			}
			continue
		}
		last := t.order[i-1]
		if t.compare(last, id) >= 0 || unique && bytes.Equal(t.at(last), t.at(id)) {
			return fmt.Errorf("order is wrong at ids %d and %d", last, id)
		}
	}
	return nil
}

// Len returns the number of ids.
func (x *Names) Len() int { return x.n }

// Numbered reports whether names are the decimal numbers of the ids.
func (x *Names) Numbered() bool { return x.names.offsets == nil }

// HasLabels reports whether any id has a label.
func (x *Names) HasLabels() bool { return x.labels.offsets != nil }

// Name returns the name of id, 0 ≤ id < Len.
func (x *Names) Name(id int32) string {
	if x.Numbered() {
		return strconv.Itoa(int(id))
	}
	return string(x.names.at(id))
}

// Label returns the label of id, or its name where it has none.
func (x *Names) Label(id int32) string {
	if x.HasLabels() {
		if label := x.labels.at(id); len(label) > 0 {
			return string(label)
		}
	}
	return x.Name(id)
}

// Find returns the id with that name, or else the only id with that label. The
// error is an *AmbiguousNameError for a shared label, otherwise an
// *UnknownNameError without suggestions.
func (x *Names) Find(name string) (int32, error) {
	if x.Numbered() {
		id, err := strconv.ParseUint(name, 10, 31)
		if err == nil && int(id) < x.n && strconv.Itoa(int(id)) == name {
			return int32(id), nil
		}
	} else if ids := x.names.find(name); len(ids) == 1 {
		return ids[0], nil
	}
	ids := x.labels.find(name)
	switch len(ids) {
	case 0:
		return 0, x.unknown(name)
	case 1:
		return ids[0], nil
	}
	err := &AmbiguousNameError{Kind: x.kind, Label: name, Count: len(ids)}
	for _, id := range ids[:min(len(ids), maxCandidates)] {
		err.Candidates = append(err.Candidates, x.Name(id))
	}
	return 0, err
}

// unknown returns the error for a name that is not there.
func (x *Names) unknown(name string) *UnknownNameError {
	err := &UnknownNameError{Kind: x.kind, Name: name, Range: -1}
	if x.Numbered() {
		err.Range = x.n - 1
	}
	return err
}
