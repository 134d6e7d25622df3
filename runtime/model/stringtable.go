package model

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
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
			if a, b := t.order[i-1], t.order[i]; bytes.Equal(t.at(a), t.at(b)) {
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
	if c := bytes.Compare(t.at(a), t.at(b)); c != 0 {
		return c
	}
	return int(a) - int(b)
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
	filled := 0
	for id := range n {
		from, to := t.offsets.at(id), t.offsets.at(id+1)
		switch d := to - from; {
		case from < 0 || from > to || to > int64(len(t.text)):
			return fmt.Errorf("offsets do not ascend at id %d", id)
		case d > 0 && !printable(t.at(int32(id))):
			return fmt.Errorf("text of id %d is not UTF-8 or has control characters", id)
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
			if len(t.at(id)) == 0 {
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
