package names

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"sort"
	"sync/atomic"
	"unicode/utf8"

	"github.com/efoc/efoc/runtime/internal/grow"
	"github.com/efoc/efoc/runtime/internal/offsets"
	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/model/safetensors"
)

// Strings holds n concatenated strings, and the ids in the order of their strings, for searching in place in a mapped
// file.
type Strings struct {
	Text    []byte
	Offsets offsets.List // n+1; string i is Text from offset i to offset i+1
	Order   []int32      // ids by (string, id); only nonempty ones for labels
}

// newStrings returns a table of the strings. unique says that they are names: it refuses empty and equal ones.
func newStrings(list []string, unique bool) (Strings, error) {
	total := 0
	for id, s := range list {
		if !printable([]byte(s)) || unique && s == "" {
			return Strings{}, fmt.Errorf("id %d: %q is empty, not UTF-8 or has control characters", id, s)
		}
		total += len(s)
	}
	t := Strings{
		Text:    make([]byte, 0, total),
		Offsets: offsets.Make(len(list)+1, int64(total)),
		Order:   make([]int32, 0, len(list)),
	}
	t.Offsets.Add(0)
	for id, s := range list {
		t.Text = append(t.Text, s...)
		t.Offsets.Add(int64(len(t.Text)))
		if s != "" {
			t.Order = append(t.Order, int32(id))
		}
	}
	slices.SortFunc(t.Order, t.compare)
	if unique {
		for i := 1; i < len(t.Order); i++ {
			a := t.Order[i-1]
			b := t.Order[i]
			if bytes.Equal(t.at(a), t.at(b)) {
				return Strings{}, fmt.Errorf("ids %d and %d are both named %q", a, b, t.at(a))
			}
		}
	}
	return t, nil
}

// printable reports whether text may appear in a table or a message: UTF-8 without control characters.
func printable(text []byte) bool {
	if !utf8.Valid(text) {
		return false
	}
	for _, c := range text {
		if c < ' ' || c == 0x7f {
			return false
		}
	}
	return true
}

// compare orders ids by string, then by id.
func (t *Strings) compare(a, b int32) int {
	return cmp.Or(bytes.Compare(t.at(a), t.at(b)), int(a)-int(b))
}

// at returns string id in place.
func (t *Strings) at(id int32) []byte {
	return t.Text[t.Offsets.At(int(id)):t.Offsets.At(int(id)+1)]
}

// find returns the ids whose string is s, ascending.
func (t *Strings) find(s string) []int32 {
	lo := sort.Search(len(t.Order), func(i int) bool { return string(t.at(t.Order[i])) >= s })
	hi := lo
	for hi < len(t.Order) && string(t.at(t.Order[hi])) == s {
		hi++
	}
	return t.Order[lo:hi]
}

// startsWith reports whether a string begins with a text.
func (t *Strings) startsWith(text string) bool {
	i := sort.Search(len(t.Order), func(i int) bool { return string(t.at(t.Order[i])) >= text })
	return i < len(t.Order) && bytes.HasPrefix(t.at(t.Order[i]), []byte(text))
}

// Check validates a table of n strings after reading; unique says that they are names.
func (t *Strings) Check(n int, unique bool) error {
	if t.Offsets.Len() != n+1 || t.Offsets.At(0) != 0 || t.Offsets.At(n) != int64(len(t.Text)) {
		return fmt.Errorf("offsets do not span %d strings of %d bytes", n, len(t.Text))
	}
	var all atomic.Int64
	err := pool.InParts(n, checkedStrings, func(lo, hi int) error {
		filled, err := t.validateText(lo, hi)
		all.Add(int64(filled))
		return err
	})
	if err != nil {
		return err
	}
	if filled := int(all.Load()); len(t.Order) != filled || unique && filled != n {
		return fmt.Errorf("order has %d ids, want %d", len(t.Order), filled)
	}
	return pool.InParts(len(t.Order), checkedStrings, func(lo, hi int) error { return t.validateOrder(lo, hi, n, unique) })
}

// checkedStrings is the number of strings checked at a time.
const checkedStrings = 1 << 16

// validateText checks the offsets and the text of the ids from lo to hi, and returns the number of nonempty ones.
func (t *Strings) validateText(lo, hi int) (filled int, err error) {
	for id := lo; id < hi; id++ {
		from := t.Offsets.At(id)
		to := t.Offsets.At(id + 1)
		switch d := to - from; {
		case from < 0 || from > to || to > int64(len(t.Text)):
			return 0, fmt.Errorf("offsets do not ascend at id %d", id)
		case d > 0 && !printable(t.at(int32(id))):
			return 0, fmt.Errorf("text of id %d is not UTF-8 or has control characters", id)
		case d > 0:
			filled++
		}
	}
	return filled, nil
}

// validateOrder checks that the order of n strings ascends from index lo, compared with the string before it, to hi.
func (t *Strings) validateOrder(lo, hi, n int, unique bool) error {
	for i := max(0, lo-1); i < hi; i++ {
		id := t.Order[i]
		if id < 0 || int(id) >= n {
			return fmt.Errorf("order holds id %d, want 0 to %d", id, n-1)
		}
		if i == 0 {
			if len(t.at(id)) == 0 {
				return fmt.Errorf("order holds id %d, which is empty", id)
			}
			continue
		}
		if i < lo {
			continue
		}
		last := t.Order[i-1]
		if t.compare(last, id) >= 0 || unique && bytes.Equal(t.at(last), t.at(id)) {
			return fmt.Errorf("order is wrong at ids %d and %d", last, id)
		}
	}
	return nil
}

// Tensors returns the tensors of offsets, order and text, or nil for an empty table.
func (t *Strings) Tensors(prefix string) []safetensors.Tensor {
	if t.Offsets.Words == nil {
		return nil
	}
	return []safetensors.Tensor{
		t.Offsets.Tensor(prefix + ".offsets"),
		safetensors.From(prefix+".order", t.Order),
		safetensors.From(prefix+".text", t.Text),
	}
}

// within returns the table in the memory of one that appended made of it.
func (t *Strings) within(grown *Strings) Strings {
	next := *t
	next.Text = grown.Text[:len(t.Text)]
	next.Offsets.Words = grown.Offsets.Words[:len(t.Offsets.Words)]
	return next
}

// appended returns the table with the strings of another appended.
func (t *Strings) appended(more *Strings, own bool) Strings {
	n := int32(t.Offsets.Len() - 1)
	next := Strings{
		Text:    grow.Append(t.Text, more.Text, own),
		Offsets: t.Offsets.Appended(&more.Offsets, int64(len(t.Text)), own),
	}
	if len(more.Order) == 0 {
		next.Order = t.Order
		return next
	}
	// The order is merged: ids of both, by their strings.
	next.Order = make([]int32, 0, len(t.Order)+len(more.Order))
	rest := t.Order
	for _, id := range more.Order {
		name := more.at(id)
		lo := sort.Search(len(rest), func(i int) bool { return bytes.Compare(t.at(rest[i]), name) >= 0 })
		next.Order = append(append(next.Order, rest[:lo]...), n+id)
		rest = rest[lo:]
	}
	next.Order = append(next.Order, rest...)
	return next
}
