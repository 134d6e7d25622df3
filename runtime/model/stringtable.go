package model

import (
	"bytes"
	"cmp"
	"fmt"
	"github.com/efoc/efoc/runtime/internal/pool"
	"slices"
	"sort"
	"sync/atomic"
	"unicode/utf8"
)

// stringTable holds n strings end to end and the ids in the order of their
// strings, so that it can be searched where it lies in a mapped file.
type stringTable struct {
	text    []byte
	offsets offsets // n+1; string i is text from offset i to offset i+1
	order   []int32 // ids by (string, id); of labels, only those not empty
}

// newStringTable lays out the strings; unique says that they are names, which
// must differ and not be empty.
func newStringTable(list []string, unique bool) (stringTable, error) {
	total := 0
	for id, s := range list {
		if !printable([]byte(s)) || unique && s == "" {
			return stringTable{}, fmt.Errorf("id %d: %q is empty, not UTF-8 or has control characters", id, s)
		}
		total += len(s)
	}
	t := stringTable{
		text:    make([]byte, 0, total),
		offsets: newOffsets(len(list)+1, int64(total)),
		order:   make([]int32, 0, len(list)),
	}
	t.offsets.add(0)
	for id, s := range list {
		t.text = append(t.text, s...)
		t.offsets.add(int64(len(t.text)))
		if s != "" {
			t.order = append(t.order, int32(id))
		}
	}
	slices.SortFunc(t.order, t.compare)
	if unique {
		for i := 1; i < len(t.order); i++ {
			a := t.order[i-1]
			b := t.order[i]
			if bytes.Equal(t.at(a), t.at(b)) {
				return stringTable{}, fmt.Errorf("ids %d and %d are both named %q", a, b, t.at(a))
			}
		}
	}
	return t, nil
}

// printable reports whether text may appear in a table or a message: it is UTF-8
// without control characters.
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
func (t *stringTable) compare(a, b int32) int {
	return cmp.Or(bytes.Compare(t.at(a), t.at(b)), int(a)-int(b))
}

// at returns string id in place.
func (t *stringTable) at(id int32) []byte {
	return t.text[t.offsets.at(int(id)):t.offsets.at(int(id)+1)]
}

// find returns the ids whose string is s, ascending.
func (t *stringTable) find(s string) []int32 {
	lo := sort.Search(len(t.order), func(i int) bool { return string(t.at(t.order[i])) >= s })
	hi := lo
	for hi < len(t.order) && string(t.at(t.order[hi])) == s {
		hi++
	}
	return t.order[lo:hi]
}

// startsWith reports whether a string begins with a text.
func (t *stringTable) startsWith(text string) bool {
	i := sort.Search(len(t.order), func(i int) bool { return string(t.at(t.order[i])) >= text })
	return i < len(t.order) && bytes.HasPrefix(t.at(t.order[i]), []byte(text))
}

// validate checks the table of n strings as it was read.
func (t *stringTable) validate(n int, unique bool) error {
	if t.offsets.len() != n+1 || t.offsets.at(0) != 0 || t.offsets.at(n) != int64(len(t.text)) {
		return fmt.Errorf("offsets do not span %d strings of %d bytes", n, len(t.text))
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
	if filled := int(all.Load()); len(t.order) != filled || unique && filled != n {
		return fmt.Errorf("order has %d ids, want %d", len(t.order), filled)
	}
	return pool.InParts(len(t.order), checkedStrings, func(lo, hi int) error { return t.validateOrder(lo, hi, n, unique) })
}

// checkedStrings is how many strings are checked at a time.
const checkedStrings = 1 << 16

// validateText checks the offsets and the text of the ids from lo to hi, and returns how many
// are not empty.
func (t *stringTable) validateText(lo, hi int) (filled int, err error) {
	for id := lo; id < hi; id++ {
		from := t.offsets.at(id)
		to := t.offsets.at(id + 1)
		switch d := to - from; {
		case from < 0 || from > to || to > int64(len(t.text)):
			return 0, fmt.Errorf("offsets do not ascend at id %d", id)
		case d > 0 && !printable(t.at(int32(id))):
			return 0, fmt.Errorf("text of id %d is not UTF-8 or has control characters", id)
		case d > 0:
			filled++
		}
	}
	return filled, nil
}

// validateOrder checks the places lo to hi of the order of n strings, and that the one before
// these is smaller.
func (t *stringTable) validateOrder(lo, hi, n int, unique bool) error {
	for i := max(0, lo-1); i < hi; i++ {
		id := t.order[i]
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
		last := t.order[i-1]
		if t.compare(last, id) >= 0 || unique && bytes.Equal(t.at(last), t.at(id)) {
			return fmt.Errorf("order is wrong at ids %d and %d", last, id)
		}
	}
	return nil
}
