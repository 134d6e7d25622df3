package importer

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"gonum.org/v1/gonum/graph/formats/rdf"

	"github.com/efoc/efoc/runtime/model/importer/turtle"
)

// rdfPart is what the files of a graph in RDF have in common.
type rdfPart struct {
	// keep says that literals are entities.
	keep bool
	// prefixes are those that the files declare, anonymous counts their blank nodes.
	prefixes  prefixes
	anonymous int
}

// addStatement adds the fact of an RDF statement. The names of entities and relations are
// IRIs without brackets, _:label for a blank node, and a literal as N-Triples has it.
// Statements about literals are counted and left out, unless they are to be entities.
func (r *tripleReader) addStatement(s, p, o turtle.Term) error {
	if o.Kind == turtle.Literal && (r.rdf == nil || !r.rdf.keep) {
		r.literals++
		return nil
	}
	o.Language = strings.ToLower(o.Language) // tags of any case are alike
	var names [3][]byte
	for i, term := range []turtle.Term{s, p, o} {
		if term.Kind == turtle.IRI {
			names[i] = []byte(term.Text)
		} else {
			names[i] = []byte(term.String())
		}
	}
	return r.add(names[0], names[1], names[2])
}

func readNTriples(ctx context.Context, name string, text *bufio.Reader, r *tripleReader, progress func(lines int64)) error {
	return scanText(ctx, name, text, r.eachLine(func(line []byte) error { return r.statement(line, false) }), progress)
}

func readNQuads(ctx context.Context, name string, text *bufio.Reader, r *tripleReader, progress func(lines int64)) error {
	return scanText(ctx, name, text, r.eachLine(func(line []byte) error { return r.statement(line, true) }), progress)
}

// statement reads one line of N-Triples, or of N-Quads, whose graphs are one here.
func (r *tripleReader) statement(line []byte, quads bool) error {
	text := strings.TrimSpace(string(line))
	if strings.HasPrefix(text, "#") {
		return nil
	}
	format := "N-Triples"
	if quads {
		format = "N-Quads"
	}
	s, err := rdf.ParseNQuad(text)
	if err != nil {
		return fmt.Errorf("not a statement of %s: %q: %w", format, clip(line), err)
	}
	if s.Label.Value != "" {
		if !quads {
			return errors.New("a statement of N-Quads, which names a graph: want N-Triples, or a file of the name .nq")
		}
		r.inGraphs++
	}
	var terms [3]turtle.Term
	for i, term := range []rdf.Term{s.Subject, s.Predicate, s.Object} {
		if terms[i], err = termOf(term); err != nil {
			return fmt.Errorf("%s: %w", term.Value, err)
		}
	}
	return r.addStatement(terms[0], terms[1], terms[2])
}

// termOf returns a term of N-Triples.
func termOf(term rdf.Term) (t turtle.Term, err error) {
	text, qualifier, kind, err := term.Parts()
	t.Text = text
	switch kind {
	case rdf.Blank:
		t.Kind = turtle.Blank
	case rdf.Literal:
		t.Kind = turtle.Literal
		if tag, ok := strings.CutPrefix(qualifier, "@"); ok {
			t.Language = tag
		} else if qualifier != xsdString {
			t.Datatype = qualifier
		}
	}
	return t, err
}

const xsdString = "http://www.w3.org/2001/XMLSchema#string"

func readTurtle(ctx context.Context, name string, text *bufio.Reader, r *tripleReader, progress func(lines int64)) error {
	o := turtle.Options{}
	if r.rdf != nil {
		o.Anonymous, o.Prefix = &r.rdf.anonymous, r.rdf.prefixes.declare
	}
	n := 0
	err := turtle.Read(text, o, func(line int, s, p, o turtle.Term) error {
		if n++; n%lineBatch == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			progress(int64(line))
		}
		r.at = line
		if err := r.addStatement(s, p, o); err != nil {
			return &lineError{name, line, err}
		}
		return nil
	})
	var mistake *turtle.Error
	if errors.As(err, &mistake) {
		return &lineError{name, mistake.Line, mistake.Err}
	}
	return err
}

// prefixes are short forms of the beginnings of IRIs.
type prefixes struct {
	// iris are the beginnings by their prefixes, names the other way round; the first
	// declaration of either counts.
	iris, names map[string]string
}

func (p *prefixes) declare(prefix, iri string) {
	if p.iris == nil {
		p.iris, p.names = map[string]string{}, map[string]string{}
	}
	_, taken := p.iris[prefix]
	_, named := p.names[iri]
	if !taken && !named && iri != "" {
		p.iris[prefix], p.names[iri] = iri, prefix
	}
}

// shorten returns an IRI with the longest beginning that has a prefix shortened, or nothing.
func (p *prefixes) shorten(iri string) string {
	if len(p.names) == 0 {
		return ""
	}
	for at := len(iri) - 1; at > 0; at-- {
		if prefix, ok := p.names[iri[:at]]; ok {
			return prefix + ":" + iri[at:]
		}
	}
	return ""
}

// label returns what people are shown for a name: an IRI shortened, a literal without its
// quotes and type, or nothing.
func (p *rdfPart) label(name string) string {
	if strings.HasPrefix(name, `"`) {
		text := name[1:max(1, strings.LastIndexByte(name, '"'))]
		if strings.Contains(text, `\`) {
			return ""
		}
		return text
	}
	return p.prefixes.shorten(name)
}

// labels returns the labels of all names, nil if none has one.
func (p *rdfPart) labels(names []string) []string {
	if !p.keep && len(p.prefixes.names) == 0 {
		return nil
	}
	var list []string
	for id, name := range names {
		if text := p.label(name); text != "" {
			if list == nil {
				list = make([]string, len(names))
			}
			list[id] = text
		}
	}
	return list
}

// checkName reports a name that a model cannot have.
func checkName(kind string, name []byte) error {
	if i := strings.IndexFunc(string(name), unicode.IsControl); i >= 0 {
		return fmt.Errorf("the %s %q has a control character", kind, clip(name))
	}
	return nil
}
