package lsp

import (
	"net/url"
	"path"
	"sort"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// position is a position in a text: a line, and the UTF-16 code units before it in the line. Both count from 0.
type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// span is a range of a text.
type span struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

// document is a file with an immutable text.
type document struct {
	uri     string
	name    string // the file name in positions
	version int
	text    string
	lines   []int // offsets at which lines start
}

func newDocument(uri string, version int, text string) *document {
	d := &document{uri: uri, version: version, text: text, lines: []int{0}}
	d.name = path.Base(uri)
	if name, err := url.PathUnescape(d.name); err == nil {
		d.name = name
	}

	for i := range len(text) {
		if text[i] == '\n' || text[i] == '\r' && !strings.HasPrefix(text[i+1:], "\n") {
			d.lines = append(d.lines, i+1)
		}
	}
	return d
}

// offset returns the byte offset of a position, at most the end of its line.
func (d *document) offset(p position) int {
	if p.Line < 0 || p.Line >= len(d.lines) {
		return len(d.text)
	}
	at := d.lines[p.Line]
	units := 0
	for at < len(d.text) && units < p.Character {
		r, size := utf8.DecodeRuneInString(d.text[at:])
		if r == '\n' || r == '\r' {
			break
		}
		at += size
		units += utf16.RuneLen(r)
	}
	return at
}

// position returns the position of a byte offset.
func (d *document) position(offset int) position {
	line := sort.SearchInts(d.lines, offset+1) - 1
	units := 0
	for _, r := range d.text[d.lines[line]:offset] {
		units += utf16.RuneLen(r)
	}
	return position{line, units}
}

func (d *document) span(start, end int) span { return span{d.position(start), d.position(end)} }

// wordEnd returns the end of the word or quoted name at an offset.
func (d *document) wordEnd(start int) int {
	rest := d.text[start:]
	if rest == "" {
		return start
	}
	if quote := rest[0]; strings.ContainsRune("\"'`", rune(quote)) {
		for i := 1; i < len(rest) && rest[i] != '\n'; i++ {
			if rest[i] == quote {
				return start + i + 1
			}
			if rest[i] == '\\' && quote != '`' {
				i++
			}
		}
	}
	for i, r := range rest {
		word := unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_'
		switch {
		case i > 0 && !word:
			return start + i
		case i == 0 && !word && r != '$':
			return start + utf8.RuneLen(r)
		}
	}
	return len(d.text)
}
