package names

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/efoc/efoc/runtime/internal/grow"
	"github.com/efoc/efoc/runtime/internal/mapfile"
)

// Check returns an error for an invalid name of an entity or relation: empty, not UTF-8, or with ASCII control
// characters.
func Check(name string) error {
	switch {
	case name == "":
		return errors.New("the name is empty")
	case !utf8.ValidString(name):
		return errors.New("the name is not in UTF-8")
	}
	return without(name, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// CheckNew is Check for an entity added to a model. It also refuses other control characters, line separators, and
// characters that embed, override or isolate the direction of text: they could change the text around the name.
// Imported names may have them, as data sets do.
func CheckNew(name string) error {
	if err := Check(name); err != nil {
		return err
	}
	return without(name, func(r rune) bool {
		return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || '\u202a' <= r && r <= '\u202e' || '\u2066' <= r && r <= '\u2069'
	})
}

// without returns an error for the first refused character of a name.
func without(name string, refused func(rune) bool) error {
	for _, r := range name {
		if refused(r) {
			return fmt.Errorf("the name has the character %U; control characters, line separators and changes of direction are refused: leave it out", r)
		}
	}
	return nil
}

// Names maps ids to names and back. An entity may also have a label, a readable name, which need not be unique.
// Without names, an id's name is its decimal number. Names is immutable.
type Names struct {
	kind   string
	n      int
	names  Strings // empty for numeric names
	labels Strings // empty without labels

	mapping   *mapfile.File // the mapped file behind the text, if any
	sharedEnd *grow.End     // of lists that grew
}

// New returns the names of ids 0 to len(names)-1; kind is "entity" or
// "relation". labels is nil or has a label, possibly empty, for each id. Names
// must be unique, not empty, valid UTF-8 and free of control characters.
func New(kind string, names, labels []string) (*Names, error) {
	if labels != nil && len(labels) != len(names) {
		return nil, fmt.Errorf("%d %s labels for %d names", len(labels), kind, len(names))
	}
	x := &Names{kind: kind, n: len(names)}
	var err error
	x.names, err = newStrings(names, true)
	if err != nil {
		return nil, fmt.Errorf("%s names: %w", kind, err)
	}
	if !slices.ContainsFunc(labels, func(label string) bool { return label != "" }) {
		return x, nil
	}
	x.labels, err = newStrings(labels, false)
	if err != nil {
		return nil, fmt.Errorf("%s labels: %w", kind, err)
	}
	return x, nil
}

// Numbered returns the decimal numbers of the ids 0 to n-1 as names.
func Numbered(kind string, n int) *Names { return &Names{kind: kind, n: n} }

// OfTables returns the names of n ids stored in a bundle: numeric if names is empty, and without labels if labels is.
// The tables must be valid. They are in mapping, unless that is nil.
func OfTables(kind string, n int, names, labels Strings, mapping *mapfile.File) *Names {
	return &Names{kind: kind, n: n, names: names, labels: labels, mapping: mapping}
}

// Tables returns the names and the labels to store.
func (x *Names) Tables() (names, labels *Strings) { return &x.names, &x.labels }

// Len returns the number of ids.
func (x *Names) Len() int { return x.n }

// Numbered reports whether names are the decimal numbers of the ids.
func (x *Names) Numbered() bool { return x.names.Offsets.Words == nil }

// hasLabels reports whether any id has a label.
func (x *Names) hasLabels() bool { return x.labels.Offsets.Words != nil }

// Name returns the name of id, 0 ≤ id < Len.
func (x *Names) Name(id int32) string {
	if x.Numbered() {
		return strconv.Itoa(int(id))
	}
	return string(x.names.at(id))
}

// Label returns the label of id, or its name if it has none.
func (x *Names) Label(id int32) string {
	if x.hasLabels() {
		if label := x.labels.at(id); len(label) > 0 {
			return string(label)
		}
	}
	return x.Name(id)
}

// AppendName appends the name of id to dst, 0 ≤ id < Len.
func (x *Names) AppendName(dst []byte, id int32) []byte {
	if x.Numbered() {
		return strconv.AppendInt(dst, int64(id), 10)
	}
	return append(dst, x.names.at(id)...)
}

// AppendLabel appends the label of id to dst, or nothing if it has none.
func (x *Names) AppendLabel(dst []byte, id int32) []byte {
	if x.hasLabels() {
		dst = append(dst, x.labels.at(id)...)
	}
	return dst
}

// StartsWith reports whether a name begins with a text.
func (x *Names) StartsWith(text string) bool { return x.names.startsWith(text) }

// Find returns the id with that name, otherwise the only id with that label. If the name is not found as written,
// Find tries its Unicode normal forms NFC and NFD. The error is an *AmbiguousError for a shared label, otherwise an
// *UnknownError without suggestions.
func (x *Names) Find(name string) (int32, error) {
	id, err := x.find(name)
	for _, form := range []norm.Form{norm.NFC, norm.NFD} {
		if err == nil {
			break
		}
		if other := form.String(name); other != name {
			found, why := x.find(other)
			if _, unknown := why.(*UnknownError); !unknown {
				id = found
				err = why
			}
		}
	}
	return id, err
}

// Labelled returns the ids with exactly that label.
func (x *Names) Labelled(label string) []int32 { return x.labels.find(label) }

// find returns the id with exactly that name or label.
func (x *Names) find(name string) (int32, error) {
	if id, err := x.FindName(name); err == nil {
		return id, nil
	}
	ids := x.labels.find(name)
	switch len(ids) {
	case 0:
		return 0, x.unknown(name)
	case 1:
		return ids[0], nil
	}
	return 0, x.Ambiguous(name, ids)
}

// Ambiguous returns the error for a label of several ids.
func (x *Names) Ambiguous(label string, ids []int32) *AmbiguousError {
	err := &AmbiguousError{Kind: x.kind, Label: label, Count: len(ids)}
	for _, id := range ids[:min(len(ids), MaxCandidates)] {
		err.Candidates = append(err.Candidates, x.Name(id))
	}
	return err
}

// FindName returns the id with exactly that name.
func (x *Names) FindName(name string) (int32, error) {
	if x.Numbered() {
		id, err := strconv.ParseUint(name, 10, 31)
		if err == nil && int(id) < x.n && strconv.Itoa(int(id)) == name {
			return int32(id), nil
		}
	} else if ids := x.names.find(name); len(ids) == 1 {
		return ids[0], nil
	}
	return 0, x.unknown(name)
}

// unknown returns the error for an unknown name.
func (x *Names) unknown(name string) *UnknownError {
	err := &UnknownError{Kind: x.kind, Name: name, Range: -1}
	if x.Numbered() {
		err.Range = x.n - 1
	}
	return err
}

// IDMark precedes an id: #17 is entity 17, and #35 is directed relation 35 in BetaE's numbering. Names take
// precedence.
const IDMark = "#"

// ByID returns the id, below n, after IDMark.
func (x *Names) ByID(name string, n int) (int32, error) {
	id, err := strconv.ParseUint(strings.TrimPrefix(name, IDMark), 10, 31)
	if err != nil || int(id) >= n {
		return 0, &UnknownError{Kind: x.kind, Name: name, Range: n - 1}
	}
	return int32(id), nil
}
