package sparql

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/efoc/efoc/lang/ast"
)

const xsd = "http://www.w3.org/2001/XMLSchema#"

// Literal is an RDF literal. Language is its language tag, if any; Datatype is the IRI of its type, empty for
// xsd:string and if there is a Language.
type Literal struct{ Text, Language, Datatype string }

// literalForm matches literals in N-Triples syntax.
var literalForm = regexp.MustCompile(`^"((?:[^"\\\x00-\x1f]|\\.)*)"(?:@([a-zA-Z]+(?:-[a-zA-Z0-9]+)*)|\^\^<([^<>"{}|^` + "`" + `\\\x00-\x20]*)>)?$`)

// LiteralOf parses an entity's name as a literal. In RDF graphs, the names of literals are in N-Triples syntax.
func LiteralOf(name string) (l Literal, ok bool) {
	if !strings.HasPrefix(name, `"`) {
		return l, false
	}
	m := literalForm.FindStringSubmatch(name)
	if m == nil {
		return l, false
	}
	text, bad := unescape(m[1])
	return Literal{text, m[2], m[3]}, bad == ""
}

// literalEscapes maps characters that N-Triples must escape to their escapes.
var literalEscapes = map[rune]string{'"': `\"`, '\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`}

// String returns the literal in N-Triples syntax, without control characters.
func (l Literal) String() string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range l.Text {
		switch escaped := literalEscapes[c]; {
		case escaped != "":
			b.WriteString(escaped)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	switch {
	case l.Language != "":
		b.WriteString("@" + l.Language)
	case l.Datatype != "" && l.Datatype != xsd+"string":
		b.WriteString("^^<" + l.Datatype + ">")
	}
	return b.String()
}

// numberLiteral returns the literal that a number denotes.
func numberLiteral(text string) Literal {
	switch {
	case strings.ContainsAny(text, "eE"):
		return Literal{Text: text, Datatype: xsd + "double"}
	case strings.Contains(text, "."):
		return Literal{Text: text, Datatype: xsd + "decimal"}
	}
	return Literal{Text: text, Datatype: xsd + "integer"}
}

// number reports whether the literal can be written as a number without quotes.
func (l Literal) number() bool {
	switch strings.TrimPrefix(l.Datatype, xsd) {
	case "integer", "decimal", "double":
		return numberLiteral(l.Text) == l
	}
	return false
}

// valueHint shows comparisons of values.
const valueHint = `write FILTER(?p > 1000000) or FILTER(?d >= "1950-01-31"^^xsd:date)`

// comparison returns the comparison with a literal; ok reports whether the literal is a number or a date.
func comparison(op string, literal ast.Term) (by ast.Comparison, ok bool) {
	l, ok := LiteralOf(literal.Name)
	local, known := strings.CutPrefix(l.Datatype, xsd)
	if literal.Kind != ast.Constant || !ok || !known {
		return by, false
	}
	date := strings.HasPrefix(local, "date") || strings.HasPrefix(local, "g")
	return ast.Comparison{Operator: op, Value: l.Text, Quoted: date, Pos: literal.Pos}, true
}

// escape matches an escape of a literal or IRI.
var escape = regexp.MustCompile(`(?s)\\(?:u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)`)

// characters maps two-character escapes to characters.
var characters = map[string]string{
	`\t`: "\t", `\b`: "\b", `\n`: "\n", `\r`: "\r", `\f`: "\f", `\"`: `"`, `\'`: `'`, `\\`: `\`,
}

// unescape replaces the escapes in a text by characters, and returns the first invalid escape, if any.
func unescape(text string) (out, bad string) {
	out = escape.ReplaceAllStringFunc(text, func(e string) string {
		if c, ok := characters[e]; ok {
			return c
		}
		if n, err := strconv.ParseUint(e[2:], 16, 32); err == nil && utf8.ValidRune(rune(n)) {
			return string(rune(n))
		}
		bad = cmp.Or(bad, e)
		return e
	})
	return out, bad
}
