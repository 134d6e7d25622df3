package turtle

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds on what a document can make the reader keep.
const (
	// maxTerm bounds a term, in bytes.
	maxTerm = 1 << 20
	// maxDepth bounds how deep lists and property lists are nested.
	maxDepth = 1000
	// maxPrefixes bounds the prefixes.
	maxPrefixes = 1 << 16
)

// end stands for the character behind the last one.
const end = -1

// Error is a mistake in a document.
type Error struct {
	Line int
	Err  error
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }
func (e *Error) Unwrap() error { return e.Err }

// lexer reads characters and tokens. Mistakes panic with an *Error, which Read returns.
type lexer struct {
	r    *bufio.Reader
	c    rune // the next character, or end
	line int  // of it
	text []byte
}

func (l *lexer) fail(format string, args ...any) {
	panic(&Error{l.line, fmt.Errorf(format, args...)})
}

// advance goes to the next character.
func (l *lexer) advance() {
	if l.c == '\n' {
		l.line++
	}
	c, size, err := l.r.ReadRune()
	switch {
	case err == io.EOF:
		l.c = end
	case err != nil:
		panic(&Error{l.line, err})
	case c == utf8.RuneError && size == 1:
		l.fail("not valid UTF-8")
	default:
		l.c = c
	}
}

// keep appends a character to the text of the token.
func (l *lexer) keep(c rune) {
	l.text = utf8.AppendRune(l.text, c)
	if len(l.text) > maxTerm {
		l.fail("a term of more than %d bytes", maxTerm)
	}
}

// take keeps the next character and goes on to the one behind it.
func (l *lexer) take() {
	l.keep(l.c)
	l.advance()
}

// blanks skips blanks and comments.
func (l *lexer) blanks() {
	for {
		switch l.c {
		case ' ', '\t', '\r', '\n':
			l.advance()
		case '#':
			for l.c != '\n' && l.c != '\r' && l.c != end {
				l.advance()
			}
		default:
			return
		}
	}
}

// found describes the next character, for an error.
func (l *lexer) found() string {
	if l.c == end {
		return "the end of the file"
	}
	return fmt.Sprintf("%q", l.c)
}

// expect skips blanks and reads a character that must follow.
func (l *lexer) expect(c rune, what string) {
	l.blanks()
	if l.c != c {
		l.fail("found %s, want %q %s", l.found(), c, what)
	}
	l.advance()
}

// reference reads <…> behind the first bracket.
func (l *lexer) reference() string {
	l.text = l.text[:0]
	for l.c != '>' {
		c := l.c
		switch {
		case c == end:
			l.fail("an IRI without its closing '>'")
		case c == '\\':
			l.advance()
			if l.c != 'u' && l.c != 'U' {
				l.fail("'\\%s' in an IRI", strings.Trim(l.found(), "'"))
			}
			c = l.codePoint()
		default:
			l.advance()
		}
		if c <= ' ' || strings.ContainsRune("<>\"{}|^`\\", c) {
			l.fail("%q in an IRI", c)
		}
		l.keep(c)
	}
	l.advance()
	return string(l.text)
}

// codePoint reads the digits of \u and \U from the letter on.
func (l *lexer) codePoint() (c rune) {
	digits := 4
	if l.c == 'U' {
		digits = 8
	}
	l.advance()
	for range digits {
		d := hex(l.c)
		if d < 0 || c > utf8.MaxRune {
			l.fail("an escape of %d hexadecimal digits is incomplete or too large at %s", digits, l.found())
		}
		c = c<<4 | d
		l.advance()
	}
	if !utf8.ValidRune(c) {
		l.fail("the escape %X is not a character", c)
	}
	return c
}

// hex returns the value of a hexadecimal digit, or -1.
func hex(c rune) rune { return rune(strings.IndexRune("0123456789abcdef", unicode.ToLower(c))) }

// escapes maps the character after a backslash in a string to the character it stands for.
var escapes = map[rune]rune{'t': '\t', 'b': '\b', 'n': '\n', 'r': '\r', 'f': '\f', '"': '"', '\'': '\'', '\\': '\\'}

// quoted reads a string from its first quote on.
func (l *lexer) quoted() string {
	quote := l.c
	first := l.line
	l.text = l.text[:0]
	l.advance()
	long := false
	if l.c == quote {
		l.advance()
		if l.c != quote {
			return ""
		}
		l.advance()
		long = true
	}
	for {
		switch {
		case l.c == end:
			l.line = first
			l.fail("a string without its closing quote")
		case l.c == quote && !long:
			l.advance()
			return string(l.text)
		case l.c == quote:
			run := 0
			for ; l.c == quote && run < 3; run++ {
				l.advance()
			}
			if run == 3 {
				return string(l.text)
			}
			for range run {
				l.keep(quote)
			}
		case (l.c == '\n' || l.c == '\r') && !long:
			l.fail("a string that ends with its line")
		case l.c == '\\':
			l.advance()
			if l.c == 'u' || l.c == 'U' {
				l.keep(l.codePoint())
				continue
			}
			c, ok := escapes[l.c]
			if !ok {
				l.fail("'\\%s' in a string", strings.Trim(l.found(), "'"))
			}
			l.keep(c)
			l.advance()
		default:
			l.take()
		}
	}
}

// language reads a tag behind its @.
func (l *lexer) language() string {
	l.text = l.text[:0]
	for first := true; ; first = false {
		start := len(l.text)
		for isLetter(l.c) || !first && isDigit(l.c) {
			l.take()
		}
		if len(l.text) == start {
			l.fail("found %s in a language tag", l.found())
		}
		if l.c != '-' {
			return string(l.text)
		}
		l.take()
	}
}

// number reads a number from its sign or first digit on, and returns its type.
func (l *lexer) number() (text, datatype string) {
	l.text = l.text[:0]
	if l.c == '+' || l.c == '-' {
		l.take()
	}
	datatype = "integer"
	whole := l.digits()
	if l.c == '.' && l.numberGoesOn(whole > 0) {
		datatype = "decimal"
		l.take()
		whole += l.digits()
	}
	if whole == 0 {
		l.fail("found %s in a number", l.found())
	}
	if l.c == 'e' || l.c == 'E' {
		datatype = "double"
		l.keep(l.c)
		l.advance()
		if l.c == '+' || l.c == '-' {
			l.take()
		}
		if l.digits() == 0 {
			l.fail("found %s in the exponent of a number", l.found())
		}
	}
	return string(l.text), xsd + datatype
}

// numberGoesOn reports whether the dot that comes next belongs to a number: a digit comes
// behind it, or an exponent behind digits.
func (l *lexer) numberGoesOn(digits bool) bool {
	next, _ := l.r.Peek(3)
	if len(next) == 0 {
		return false
	}
	if isDigit(rune(next[0])) {
		return true
	}
	if !digits || len(next) < 2 || next[0]|0x20 != 'e' {
		return false
	}
	return isDigit(rune(next[1])) || len(next) == 3 && (next[1] == '+' || next[1] == '-') && isDigit(rune(next[2]))
}

func (l *lexer) digits() (n int) {
	for ; isDigit(l.c); n++ {
		l.take()
	}
	return n
}

// word reads letters, digits and the like, and dots between them.
func (l *lexer) word() string {
	l.text = l.text[:0]
	for isNameChar(l.c) || l.c == '.' && l.dotWithin(false) {
		l.take()
	}
	return string(l.text)
}

// local reads what follows the colon of a prefixed name.
func (l *lexer) local() string {
	l.text = l.text[:0]
	for first := true; ; first = false {
		switch {
		case l.c == ':' || isNameStart(l.c) || l.c == '_' || isDigit(l.c) || !first && (isNameChar(l.c) || l.c == '.' && l.dotWithin(true)):
			l.keep(l.c)
		case l.c == '%':
			l.keep(l.c)
			for range 2 {
				l.advance()
				if hex(l.c) < 0 {
					l.fail("found %s behind %% in a name, want two hexadecimal digits", l.found())
				}
				l.keep(l.c)
			}
		case l.c == '\\':
			l.advance()
			if l.c == end || !strings.ContainsRune("_~.-!$&'()*+,;=/?#@%", l.c) {
				l.fail("'\\%s' in a name", strings.Trim(l.found(), "'"))
			}
			l.keep(l.c)
		default:
			return string(l.text)
		}
		l.advance()
	}
}

// dotWithin reports whether the dot that comes next, or a row of dots, is followed by a
// character of the same name, so that it does not end the statement.
func (l *lexer) dotWithin(local bool) bool {
	for n := 1; ; n++ {
		next, _ := l.r.Peek(n + utf8.UTFMax - 1)
		if len(next) < n {
			return false
		}
		if next[n-1] == '.' {
			if n == maxTerm/2 {
				l.fail("a row of dots")
			}
			continue
		}
		c, _ := utf8.DecodeRune(next[n-1:])
		return isNameChar(c) || local && (c == ':' || c == '%' || c == '\\')
	}
}
