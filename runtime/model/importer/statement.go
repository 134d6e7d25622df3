package importer

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/efoc/efoc/runtime/model/importer/turtle"
	"github.com/efoc/efoc/runtime/model/values"
)

// rdfPart is the state shared by a graph's RDF files.
type rdfPart struct {
	// literal selects the treatment of literals.
	literal Literals
	// prefixes are declared by the files; anonymous counts their blank nodes.
	prefixes  prefixes
	anonymous int
	// blank selects the treatment of blank nodes; ends holds back dead ends.
	blank BlankNodes
	ends  deadEnds
	named literalLabels
	// literals counts the statements about literals skipped in all files.
	literals literalCounts
}

// addStatement adds the fact of an RDF statement. The names of entities and relations are IRIs without brackets,
// _:label for a blank node, and a literal in the syntax of N-Triples. It also records labels and, if requested,
// values. It counts and skips other statements about literals, unless these become entities, and statements about
// skipped blank nodes.
func (r *factFile) addStatement(at int, s, p, o turtle.Term) error {
	fact := statement{[3]string{nameOf(s), nameOf(p), nameOf(o)}, at}
	isLabel := r.rdf.named.take(fact.names[0], p, o)
	if !r.relations.reads([]byte(fact.names[1]), &r.rdf.prefixes) {
		return nil
	}
	if o.Kind == turtle.Literal && r.rdf.literal != keepLiterals {
		isValue, err := r.literal(fact, o)
		if err == nil && !isLabel && !isValue {
			r.leaveOut(fact.names[1])
		}
		return err
	}
	subject := s.Kind == turtle.Blank
	object := o.Kind == turtle.Blank
	switch {
	case !subject && !object || r.rdf.blank == keepBlank:
		return r.linkNames(fact)
	case r.rdf.blank == skipBlank:
		r.blanks++
		return nil
	}
	for _, fact := range r.rdf.ends.pass(fact, subject, object) {
		if err := r.linkNames(fact); err != nil {
			return err
		}
	}
	return nil
}

// literal passes the literal of a statement on as a value, if values are read, and reports whether it is one.
func (r *factFile) literal(s statement, o turtle.Term) (bool, error) {
	kind := values.KindOfType(o.Datatype)
	if kind == "" || r.rdf.literal != literalValues {
		return false, nil
	}
	number, _, err := kind.Parse(strings.TrimSpace(o.Text))
	switch {
	case errors.Is(err, values.ErrInexact):
		return false, err
	case err != nil:
		return false, nil
	}
	return r.to.value(s.at, s.fields(), kind, number)
}

// leaveOut counts a skipped statement about a literal.
func (r *factFile) leaveOut(relation string) {
	r.literals.add(relation)
	r.rdf.literals.add(relation)
}

// nameOf returns the name of a term.
func nameOf(term turtle.Term) string {
	if term.Kind == turtle.IRI {
		return term.Text
	}
	term.Language = strings.ToLower(term.Language) // tags are case-insensitive
	return term.String()
}

// readRDF returns a reader of Turtle or another format of RDF, with its options, which may name graphs: it merges all.
func readRDF(o turtle.Options) func(r *factFile) error {
	return func(r *factFile) error {
		o := o
		o.Anonymous = &r.rdf.anonymous
		o.Prefix = r.rdf.prefixes.declare
		if o.Graphs != nil {
			o.Graphs = &r.inGraphs
		}
		n := 0
		err := turtle.Read(r.text, o, func(line int, s, p, o turtle.Term) error {
			n++
			if err := r.pause(n, line); err != nil {
				return err
			}
			if err := r.addStatement(line, s, p, o); err != nil {
				return &lineError{r.path, line, err}
			}
			return nil
		})
		r.blanks += r.rdf.ends.drop()
		if mistake, ok := errors.AsType[*turtle.Error](err); ok {
			return &lineError{r.path, mistake.Line, mistake.Err}
		}
		return cmp.Or(err, r.ctx.Err())
	}
}

// prefixes are short forms for the beginnings of IRIs.
type prefixes struct {
	// iris maps prefixes to beginnings, names beginnings to prefixes; the first declaration of either counts.
	iris, names map[string]string
}

func (p *prefixes) declare(prefix, iri string) {
	if p.iris == nil {
		p.iris = map[string]string{}
		p.names = map[string]string{}
	}
	_, taken := p.iris[prefix]
	_, named := p.names[iri]
	if !taken && !named && iri != "" {
		p.iris[prefix] = iri
		p.names[iri] = prefix
	}
}

// shorten returns an IRI with its longest declared beginning replaced by the prefix, or nothing.
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

// label returns a readable label of a name: its literal label in the graph, a shortened IRI, a literal without its
// quotes and type, or nothing.
func (p *rdfPart) label(name string) string {
	if label, ok := p.named.best[name]; ok {
		return label.text
	}
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
	if p.literal != keepLiterals && len(p.prefixes.names)+len(p.named.best) == 0 {
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
