package names

import (
	"bytes"
	"cmp"
	"math/bits"
	goruntime "runtime"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agext/levenshtein"
)

// maxNearestName bounds the names that Nearest matches, in bytes.
const maxNearestName = 256

// The kinds of similarity between a name and the text, the closest first.
const (
	likeFold   = iota // equal except for case
	likeStart         // starts with it, for an incomplete name
	likeTypo          // few edits
	likePrefix        // starts with it
	likePart          // contains it
	likeWords         // contains all of its words
	likeHalf          // starts with it up to a few edits, for an incomplete name
	likeEdits         // more edits, up to a third of its length
	unlike
)

// match is a name or label similar to the text.
type match struct {
	kind, distance int
	id             int32
	label          bool
}

// Nearest returns at most max names similar to name, best first: those that differ in case or by few edits, then
// those that contain it or its words. A unique label replaces the name. Nearest scans every name, but computes edit
// distances only for names with similar letters.
func (x *Names) Nearest(name string, max int) []string {
	return x.NearestOf(name, max, func(int32) bool { return true })
}

// NearestOf is Nearest among the ids that keep accepts.
func (x *Names) NearestOf(name string, max int, keep func(id int32) bool) []string {
	if max <= 0 {
		return nil
	}
	var list []string
	for _, m := range x.like(name, false) {
		if !keep(m.id) {
			continue
		}
		text := x.Name(m.id)
		if m.label {
			// A label shared by several ids cannot be looked up.
			if label := x.Label(m.id); len(x.labels.find(label)) == 1 {
				text = label
			}
		}
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
		if len(list) == max {
			break
		}
	}
	return list
}

// Search returns at most max ids whose name or label is similar to text, which may be incomplete, best first: equal
// except for case, then starting with it, then starting with it up to a typo, and so on as in Nearest.
func (x *Names) Search(text string, max int) []int32 {
	if max <= 0 {
		return nil
	}
	var ids []int32
	seen := map[int32]bool{}
	for _, m := range x.like(text, true) {
		if seen[m.id] {
			continue
		}
		seen[m.id] = true
		ids = append(ids, m.id)
		if len(ids) == max {
			break
		}
	}
	return ids
}

// like returns all names and labels similar to a text, best first; half says that the text may be incomplete.
func (x *Names) like(name string, half bool) []match {
	want := string(foldAppend(nil, []byte(name)))
	if want == "" || len(want) > maxNearestName {
		return nil
	}
	f := finder{want: want, half: half, words: words(want), runes: utf8.RuneCountInString(want), letters: letters([]byte(want))}
	f.scan(&x.names, false)
	f.scan(&x.labels, true)
	slices.SortFunc(f.found, func(a, b match) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.distance, b.distance), cmp.Compare(a.id, b.id))
	})
	return f.found
}

// finder collects the strings that are similar to want, which is in lower case.
type finder struct {
	want    string
	half    bool
	words   []string
	runes   int
	letters uint64
	found   []match
	buf     []byte
}

// scan compares all strings of t.
func (f *finder) scan(t *Strings, label bool) {
	for i, id := range t.Order {
		if i%1024 == 0 {
			goruntime.Gosched() // there may be millions
		}
		f.buf = foldAppend(f.buf[:0], t.at(id))
		if kind, distance := f.compare(f.buf); kind < unlike {
			f.found = append(f.found, match{kind, distance, id, label})
		}
	}
}

// compare returns the kind of similarity between text and want, and a distance that orders texts of the same kind.
func (f *finder) compare(text []byte) (kind, distance int) {
	longer := len(text) - len(f.want)
	switch {
	case string(text) == f.want:
		return likeFold, 0
	case longer > 0 && bytes.HasPrefix(text, []byte(f.want)):
		if f.half {
			return likeStart, longer
		}
		return likePrefix, longer
	case longer > 0 && f.runes >= 3 && bytes.Contains(text, []byte(f.want)):
		return likePart, longer
	}
	if d, ok := f.edits(text); ok {
		if d <= 1+f.runes/8 {
			return likeTypo, d
		}
		return likeEdits, d
	}
	if len(f.words) > 1 && f.hasWords(text) {
		return likeWords, max(longer, 0)
	}
	if f.half {
		if d, ok := f.edits(firstRunes(text, f.runes)); ok && d <= 1+f.runes/8 {
			return likeHalf, d
		}
	}
	return unlike, 0
}

// hasWords reports whether text contains all words of the name.
func (f *finder) hasWords(text []byte) bool {
	for _, word := range f.words {
		if !bytes.Contains(text, []byte(word)) {
			return false
		}
	}
	return true
}

// firstRunes returns the first n characters of text.
func firstRunes(text []byte, n int) []byte {
	end := 0
	for ; n > 0 && end < len(text); n-- {
		_, size := utf8.DecodeRune(text[end:])
		end += size
	}
	return text[:end]
}

// edits returns the edit distance of text, and whether it is at most a third of
// the name's length.
func (f *finder) edits(text []byte) (int, bool) {
	limit := f.runes / 3
	if d := len(text) - len(f.want); limit == 0 || d > 4*limit || -d > 4*limit {
		return 0, false
	}
	// An edit changes the set of letters by two at most.
	if bits.OnesCount64(f.letters^letters(text)) > 2*limit {
		return 0, false
	}
	if d := utf8.RuneCount(text) - f.runes; d > limit || -d > limit {
		return 0, false
	}
	d := levenshtein.Distance(f.want, string(text), nil)
	return d, d <= limit
}

// letters returns the set of the characters of text, by their low six bits.
func letters(text []byte) (set uint64) {
	for len(text) > 0 {
		c, size := utf8.DecodeRune(text)
		set |= 1 << (c & 63)
		text = text[size:]
	}
	return set
}

// words splits a name at everything that is neither letter nor digit and drops
// short pieces.
func words(name string) []string {
	list := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.DeleteFunc(list, func(word string) bool { return len(word) < 3 })
}

// foldAppend appends text in lower case.
func foldAppend(to, text []byte) []byte {
	for i, c := range text {
		if c >= utf8.RuneSelf {
			return append(to, bytes.ToLower(text[i:])...)
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		to = append(to, c)
	}
	return to
}
