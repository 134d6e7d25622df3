package turtle

import (
	"bufio"
	"cmp"
	"io"
	"strconv"
	"strings"
)

// Options say how to read a document.
type Options struct {
	// Base is the IRI of the document. Without it, or a base in the document, relative IRIs
	// stay as they are.
	Base string
	// Anonymous counts the blank nodes without a label. Documents that are to have different
	// ones are given the same counter.
	Anonymous *int
	// Graphs, if not nil, allows statements to name a graph, as in N-Quads, and counts these. Braces says that graphs
	// stand in braces instead, as in TriG.
	Graphs *int
	Braces bool
	// Prefix, if not nil, is told each prefix as it is declared, without its colon.
	Prefix func(prefix, iri string)
}

// Read calls each with every triple of a document and the line on which it ends. It returns
// the first error of each as it is, and an *Error for a mistake in the document.
func Read(r io.Reader, o Options, each func(line int, s, p, o Term) error) (err error) {
	text, ok := r.(*bufio.Reader)
	if !ok {
		text = bufio.NewReader(r)
	}
	o.Anonymous = cmp.Or(o.Anonymous, new(int))
	p := &parser{lexer: lexer{r: text, line: 1}, Options: o, prefixes: map[string]string{}, each: each}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *Error:
			err = e
		case stop:
			err = e.error
		default:
			panic(e)
		}
	}()
	for p.advance(); ; {
		p.blanks()
		if p.c == end {
			return nil
		}
		p.statement()
	}
}

// stop carries an error of each.
type stop struct{ error }

type parser struct {
	lexer
	Options
	prefixes map[string]string
	depth    int
	named    bool // the graph in braces has a name
	each     func(line int, s, p, o Term) error
}

func (p *parser) emit(s, v, o Term) {
	if p.named {
		*p.Graphs++
	}
	if err := p.each(p.line, s, v, o); err != nil {
		panic(stop{err})
	}
}

// statement reads a directive, or triples.
func (p *parser) statement() {
	switch {
	case p.c == '@':
		p.advance()
		if word := p.word(); !p.directive(word) {
			p.fail("@%s, want @prefix or @base", word)
		}
		p.expect('.', "behind the directive")
	case isNameStart(p.c):
		word := p.word()
		switch keyword := strings.ToLower(word); {
		case p.c == ':':
			p.triples(p.prefixed(word))
		case p.directive(keyword):
		case p.Braces && keyword == "graph":
			p.graphName("the name of a graph")
			p.graph()
		default:
			p.fail("%q, want a statement", word)
		}
	case p.c == '{' && p.Braces:
		p.block()
	case p.c == '(':
		p.clause(p.subject())
	case p.c == '[':
		subject, empty := p.properties()
		p.blanks()
		if !empty && p.c == '.' {
			p.advance()
			return
		}
		if !empty {
			p.clause(subject)
			return
		}
		p.triples(subject)
	default:
		p.triples(p.subject())
	}
}

// graphName reads the name of a graph, which is dropped, or fails for want of what.
func (p *parser) graphName(what string) {
	p.blanks()
	switch p.c {
	case '_':
		p.blank()
	case '[':
		if _, empty := p.properties(); !empty {
			p.fail("a graph is named by an IRI or a blank node")
		}
	default:
		p.name(what, nil)
	}
}

// graph reads a graph in braces, whose name was read.
func (p *parser) graph() {
	p.blanks()
	if p.c != '{' {
		p.fail("found %s, want '{' behind the name of a graph", p.found())
	}
	p.named = true
	p.block()
	p.named = false
}

// block reads the triples of a graph in braces.
func (p *parser) block() {
	for p.advance(); ; {
		p.blanks()
		if p.c == '}' {
			p.advance()
			return
		}
		p.member()
		p.blanks()
		if p.c == '.' {
			p.advance()
		} else if p.c != '}' {
			p.fail("found %s, want '.' or '}' behind triples", p.found())
		}
	}
}

// member reads triples of one subject in a graph in braces.
func (p *parser) member() {
	if p.c != '[' {
		p.predicates(p.subject())
		return
	}
	subject, empty := p.properties()
	p.blanks()
	if empty || p.c != '.' && p.c != '}' {
		p.predicates(subject)
	}
}

// directive reads a declaration behind its keyword, and reports whether that is one.
func (p *parser) directive(keyword string) bool {
	switch keyword {
	case "prefix":
		p.blanks()
		name := p.word()
		if name != "" && !isNameStart([]rune(name)[0]) {
			p.fail("prefix %q does not start with a letter", name)
		}
		if p.c != ':' {
			p.fail("found %s, want a prefix that ends in a colon", p.found())
		}
		p.advance()
		p.expect('<', "before the IRI of a prefix")
		if len(p.prefixes) == maxPrefixes {
			p.fail("more than %d prefixes", maxPrefixes)
		}
		p.prefixes[name] = resolve(p.Base, p.reference())
		if p.Prefix != nil {
			p.Prefix(name, p.prefixes[name])
		}
	case "base":
		p.expect('<', "before the IRI of the base")
		p.Base = resolve(p.Base, p.reference())
	default:
		return false
	}
	return true
}

// triples reads the triples of a subject, or of the graph that it names.
func (p *parser) triples(subject Term) {
	p.blanks()
	if p.c == '{' && p.Braces {
		p.graph()
		return
	}
	p.clause(subject)
}

// clause reads the predicates of a subject, with the dot at the end.
func (p *parser) clause(subject Term) {
	p.predicates(subject)
	if p.Graphs != nil && !p.Braces && p.c != '.' {
		p.graphName("a graph, or '.' at the end of a statement")
		*p.Graphs++
	}
	p.expect('.', "at the end of a statement")
}

// predicates reads predicates with their objects, at least one.
func (p *parser) predicates(subject Term) {
	for {
		p.blanks()
		verb := p.name("a predicate", verbs)
		for {
			p.emit(subject, verb, p.object())
			p.blanks()
			if p.c != ',' {
				break
			}
			p.advance()
		}
		if p.c != ';' {
			return
		}
		for p.c == ';' {
			p.advance()
			p.blanks()
		}
		if p.c == '.' || p.c == ']' || p.c == '}' && p.Braces {
			return
		}
	}
}

// verbs and truths map keywords to predicates and to objects.
var (
	verbs  = map[string]Term{"a": {Text: rdfType}}
	truths = map[string]Term{
		"true":  {Kind: Literal, Text: "true", Datatype: xsd + "boolean"},
		"false": {Kind: Literal, Text: "false", Datatype: xsd + "boolean"},
	}
)

// name reads an IRI or one of the given words; what names the term in errors.
func (p *parser) name(what string, words map[string]Term) Term {
	switch {
	case p.c == '<':
		p.advance()
		return Term{Text: resolve(p.Base, p.reference())}
	case p.c == ':':
		return p.prefixed("")
	case isNameStart(p.c):
		word := p.word()
		if p.c == ':' {
			return p.prefixed(word)
		}
		if t, ok := words[word]; ok {
			return t
		}
		p.fail("%q, want %s", word, what)
	}
	p.fail("found %s, want %s", p.found(), what)
	return Term{}
}

// prefixed reads a prefixed name from its colon on.
func (p *parser) prefixed(prefix string) Term {
	iri, ok := p.prefixes[prefix]
	if !ok {
		p.fail("the prefix %q is not declared", prefix+":")
	}
	p.advance()
	return Term{Text: iri + p.local()}
}

// subject reads a subject other than one in square brackets.
func (p *parser) subject() Term {
	switch p.c {
	case '_':
		return p.blank()
	case '(':
		return p.list()
	}
	return p.name("a subject", nil)
}

// object reads an object.
func (p *parser) object() Term {
	p.blanks()
	switch {
	case p.c == '_':
		return p.blank()
	case p.c == '(':
		return p.list()
	case p.c == '[':
		node, _ := p.properties()
		return node
	case p.c == '"' || p.c == '\'':
		return p.literal()
	case p.c == '+' || p.c == '-' || p.c == '.' && p.numberGoesOn(false) || isDigit(p.c):
		text, datatype := p.number()
		return Term{Kind: Literal, Text: text, Datatype: datatype}
	}
	return p.name("an object", truths)
}

// literal reads a string with its tag or type.
func (p *parser) literal() Term {
	t := Term{Kind: Literal, Text: p.quoted()}
	switch p.c {
	case '@':
		p.advance()
		t.Language = p.language()
	case '^':
		p.advance()
		if p.c != '^' {
			p.fail("found %s, want ^^ and a type", p.found())
		}
		p.advance()
		p.blanks()
		t.Datatype = p.name("the type of a literal", nil).Text
		if t.Datatype == xsd+"string" {
			t.Datatype = ""
		}
	}
	return t
}

// blank reads a blank node with a label.
func (p *parser) blank() Term {
	p.advance()
	if p.c != ':' {
		p.fail("found %s, want _: and the label of a blank node", p.found())
	}
	p.advance()
	if !isNameStart(p.c) && p.c != '_' && !isDigit(p.c) {
		p.fail("found %s, want the label of a blank node", p.found())
	}
	return Term{Kind: Blank, Text: p.word()}
}

// fresh returns a blank node without a label.
func (p *parser) fresh() Term {
	*p.Anonymous++
	return Term{Kind: Blank, Text: "#" + strconv.Itoa(*p.Anonymous)}
}

// enter counts a level of nesting.
func (p *parser) enter() {
	p.depth++
	if p.depth > maxDepth {
		p.fail("more than %d brackets in one another", maxDepth)
	}
}

// properties reads a blank node in square brackets.
func (p *parser) properties() (node Term, empty bool) {
	p.enter()
	p.advance()
	node = p.fresh()
	p.blanks()
	if p.c == ']' {
		empty = true
	} else {
		p.predicates(node)
	}
	p.expect(']', "at the end of a blank node")
	p.depth--
	return node, empty
}

// list reads a collection.
func (p *parser) list() Term {
	p.enter()
	p.advance()
	first := Term{Text: rdf + "nil"}
	last := first
	for n := 0; ; n++ {
		p.blanks()
		if p.c == ')' {
			break
		}
		item := p.object()
		node := p.fresh()
		if n == 0 {
			first = node
		} else {
			p.emit(last, Term{Text: rdf + "rest"}, node)
		}
		p.emit(node, Term{Text: rdf + "first"}, item)
		last = node
	}
	p.advance()
	if last.Kind == Blank {
		p.emit(last, Term{Text: rdf + "rest"}, Term{Text: rdf + "nil"})
	}
	p.depth--
	return first
}
