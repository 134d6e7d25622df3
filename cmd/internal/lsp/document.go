package lsp

import (
	"cmp"
	"errors"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/regularfile"
)

// position is a place in a text: a line, and the UTF-16 code units before it there. Both count from 0.
type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// span is a range of a text.
type span struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

// document is a file with one text, which never changes.
type document struct {
	uri     string
	version int
	text    string
	lines   []int // offsets at which lines start

	// parse reads the text, and that of the other files of its package; siblings are those.
	parse    func() (*lang.File, lang.ErrorList)
	siblings []*document
}

func (s *session) newDocument(uri string, version int, text string) *document {
	d := &document{uri: uri, version: version, text: text, lines: []int{0}}
	for i := range len(text) {
		if text[i] == '\n' || text[i] == '\r' && !strings.HasPrefix(text[i+1:], "\n") {
			d.lines = append(d.lines, i+1)
		}
	}
	d.parse = sync.OnceValues(func() (*lang.File, lang.ErrorList) {
		f, err := lang.ParseFile(d.name(), []byte(text))
		if f != nil && f.Package != "" {
			var others []*lang.File
			for _, other := range s.folder(d) {
				if o, _ := lang.ParseFile(other.name(), []byte(other.text)); o != nil && o.Package == f.Package {
					others, d.siblings = append(others, o), append(d.siblings, other)
				}
			}
			f, err = lang.ParseFile(d.name(), []byte(text), others...)
		}
		f = cmp.Or(f, &lang.File{})
		mistakes, _ := errors.AsType[lang.ErrorList](err)
		return f, mistakes
	})
	return d
}

// file returns what was read.
func (d *document) file() *lang.File {
	f, _ := d.parse()
	return f
}

// name is the file's name in its folder, which positions have.
func (d *document) name() string { return path.Base(d.uri) }

// folder returns the other .efo files of a document's folder, as the editor shows them or else as
// they are on the disk.
func (s *session) folder(d *document) (others []*document) {
	base, _ := path.Split(d.uri)
	place, err := url.Parse(base)
	if err != nil || place.Scheme != "file" {
		return nil
	}
	dir := filepath.FromSlash(place.Path)
	if name := strings.TrimPrefix(place.Path, "/"); filepath.VolumeName(name) != "" {
		dir = filepath.FromSlash(name)
	}
	entries, _ := os.ReadDir(dir) // templates that cannot be read are unknown
	for _, entry := range entries {
		uri := base + url.PathEscape(entry.Name())
		if path.Ext(uri) != ".efo" || uri == d.uri {
			continue
		}
		s.mu.Lock()
		other := s.documents[uri]
		s.mu.Unlock()
		if other == nil {
			if text, err := regularfile.Read(filepath.Join(dir, entry.Name()), lang.MaxFileBytes); err == nil {
				other = s.newDocument(uri, 0, string(text))
			}
		}
		if other != nil {
			others = append(others, other)
		}
	}
	return others
}

// offset returns the byte offset of a position. One behind the end of a line is that end.
func (d *document) offset(p position) int {
	if p.Line < 0 || p.Line >= len(d.lines) {
		return len(d.text)
	}
	at, units := d.lines[p.Line], 0
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

// wordEnd returns where the word or quoted name at an offset ends.
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

// use is a name in a document.
type use struct {
	lang.Use
	// start and end are the offsets of the name, without a dollar sign.
	start, end int
}

// uses returns the names in a document.
func (d *document) uses() []use {
	var list []use
	for _, u := range d.file().Uses() {
		x := use{u, u.Pos.Offset, d.wordEnd(u.Pos.Offset)}
		if strings.HasPrefix(d.text[x.start:], "$") {
			x.start++
		}
		list = append(list, x)
	}
	return list
}

// useAt returns the name at a position, nil if there is none.
func (d *document) useAt(p position) *use {
	at := d.offset(p)
	for _, u := range d.uses() {
		if u.Pos.Offset <= at && at <= u.end {
			return &u
		}
	}
	return nil
}

// declaring returns the document of a declaration: this one, or another of its package.
func (d *document) declaring(decl lang.Pos) *document {
	for _, other := range d.siblings {
		if other.name() == decl.File {
			return other
		}
	}
	return d
}
