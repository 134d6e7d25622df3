package sparql

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/efoc/efoc/lang/ast"
)

// rdfType is the IRI that the predicate a abbreviates.
const rdfType = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"

// absolute matches IRIs with a scheme.
var absolute = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.\-]*:[^<>"{}|^` + "`" + `\\\x00-\x20]*$`)

// IRI returns the IRI of an entity or relation: its name if that is an IRI, otherwise the name in the namespace
// urn:efoc:.
func IRI(name string) string {
	if absolute.MatchString(name) && !strings.HasPrefix(name, namespace) {
		return name
	}
	return namespace + url.PathEscape(name)
}

// nameOf returns the name of the entity or relation with the given IRI.
func nameOf(iri string) string {
	local, ours := strings.CutPrefix(iri, namespace)
	if !ours {
		return iri
	}
	if name, err := url.PathUnescape(local); err == nil {
		return name
	}
	return local
}

// Term returns the N-Triples term of an entity or relation, given its name.
func Term(name string) string {
	if l, ok := LiteralOf(name); ok {
		return l.String()
	}
	return "<" + IRI(name) + ">"
}

// declare reads PREFIX or BASE.
func (p *parser) declare(d *declarationNode) {
	if d.Base != "" {
		p.base = p.absolute(reference(d.Base))
		return
	}
	prefix, rest, _ := strings.Cut(d.Prefix, ":")
	if rest != "" {
		p.add(position(d.Pos), "", "a prefix ends in a colon: %s", d.Prefix)
	}
	p.prefixes[prefix] = p.absolute(reference(d.IRI))
}

// reference returns the text between the brackets of an IRI.
func reference(text string) string {
	inside, _ := unescape(text[1 : len(text)-1]) // the lexer allows no other escapes
	return inside
}

// absolute resolves a reference to an IRI.
func (p *parser) absolute(reference string) string {
	if absolute.MatchString(reference) {
		return reference
	}
	if base, err := url.Parse(p.base); err == nil && p.base != "" && base.Opaque == "" {
		if r, err := base.Parse(reference); err == nil {
			if strings.HasSuffix(reference, "#") { // net/url drops an empty fragment
				return r.String() + "#"
			}
			return r.String()
		}
	}
	return namespace + reference
}

// iri returns the name that an IRI, a prefixed name, or the word a denotes.
func (p *parser) iri(t *lexer.Token) string {
	switch t.Type {
	case iriToken:
		return nameOf(p.absolute(reference(t.Value)))
	case wordToken:
		return rdfType
	}
	prefix, local, _ := strings.Cut(t.Value, ":")
	space, ok := p.prefixes[prefix]
	if !ok {
		p.add(position(t.Pos), "declare it: PREFIX "+prefix+": <…>", "the prefix %s: is not declared", prefix)
	}
	return nameOf(space + escapes.ReplaceAllString(local, "$1"))
}

// escapes matches escaped characters in prefixed names.
var escapes = regexp.MustCompile(`\\(.)`)

// term translates an argument of a triple, and returns the formulas that it contains.
func (p *parser) term(n *termNode, sc *scope) (ast.Term, []ast.Formula) {
	if n.Open != nil {
		t := ast.Term{Kind: ast.Variable, Name: p.fresh("blank"), Pos: position(n.Open.Pos)}
		p.made[t.Name] = t.Name
		sc.bind(t)
		return t, p.properties(t, n.Properties, sc)
	}
	if n.Literal != nil {
		l := Literal{Text: p.quoted(n.Literal.Token), Language: strings.TrimPrefix(n.Literal.Lang, "@")}
		if n.Literal.Type != nil {
			l.Datatype = p.iri(n.Literal.Type)
		}
		return ast.Term{Kind: ast.Constant, Name: l.String(), Pos: position(n.Literal.Token.Pos)}, nil
	}
	t := ast.Term{Kind: ast.Variable, Pos: position(n.Token.Pos)}
	switch n.Token.Type {
	case varToken:
		name := variableName(n.Token.Value)
		if _, of := p.about(name); of != "" && of == p.free {
			p.add(t.Pos, "give the variable another name", "%s says something about ?%s and cannot stand in a triple", n.Token.Value, of)
		}
		t.Name = p.resolve(p.frame, name)
	case blankToken:
		label := n.Token.Value
		if at, used := p.blocks[label]; used && at != p.block {
			p.add(t.Pos, "use a variable", "the blank node %s stands in several groups of triples", label)
		}
		p.blocks[label] = p.block
		if p.made[label] == "" {
			p.made[label] = p.fresh("blank")
			p.made[p.made[label]] = label
		}
		t.Name = p.made[label]
	case numberToken:
		return ast.Term{Kind: ast.Constant, Name: numberLiteral(n.Token.Value).String(), Pos: t.Pos}, nil
	default:
		return ast.Term{Kind: ast.Constant, Name: p.iri(n.Token), Pos: t.Pos}, nil
	}
	sc.bind(t)
	return t, nil
}

// quoted returns the text of a literal.
func (p *parser) quoted(t lexer.Token) string {
	text, bad := unescape(unquote(t.Value))
	if bad != "" {
		p.add(position(t.Pos), `write a backslash as \\`, "the literal has %s, which is not an escape of SPARQL", bad)
	}
	return text
}

// unquote removes the quotation marks, one or three at each end.
func unquote(text string) string {
	marks := 1
	if len(text) >= 6 && (strings.HasPrefix(text, `"""`) || strings.HasPrefix(text, `'''`)) {
		marks = 3
	}
	return text[marks : len(text)-marks]
}
