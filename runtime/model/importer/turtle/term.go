package turtle

import (
	"fmt"
	"strings"
)

// Kind is the kind of a term.
type Kind uint8

// The kinds of terms.
const (
	IRI Kind = iota
	// Blank is a blank node. Its text is its label, or # and a number if it has none, which
	// no label can be.
	Blank
	Literal
)

// Term is a subject, predicate or object.
type Term struct {
	Kind Kind
	// Text is the IRI, the label or the lexical form, without escapes.
	Text string
	// Language is the tag of a literal that has one, Datatype the IRI of another literal that
	// is not an xsd:string.
	Language, Datatype string
}

const (
	xsd     = "http://www.w3.org/2001/XMLSchema#"
	rdf     = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
	rdfType = rdf + "type"
)

// String returns the term in N-Triples. A literal has no control characters then, as they
// are escaped.
func (t Term) String() string {
	switch t.Kind {
	case IRI:
		return "<" + t.Text + ">"
	case Blank:
		return "_:" + t.Text
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range t.Text {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	switch {
	case t.Language != "":
		b.WriteString("@" + t.Language)
	case t.Datatype != "":
		b.WriteString("^^<" + t.Datatype + ">")
	}
	return b.String()
}
