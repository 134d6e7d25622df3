package importer

import (
	"errors"
	"fmt"
	"strings"

	"github.com/efoc/efoc/runtime/model/importer/turtle"
	"github.com/efoc/efoc/runtime/model/values"
)

// statements takes the statements in a graph's files. It passes facts and values to a sink, keeps labels, and counts
// what it leaves out.
type statements struct {
	to sink
	// literal selects the treatment of literals; ends holds back dead ends.
	literal Literals
	ends    deadEnds
	// prefixes are declared by the files; anonymous counts their blank nodes.
	prefixes  prefixes
	anonymous int
	named     literalLabels
	// literals counts the statements about literals left out of all files; file is about the current one.
	literals literalCounts
	file     leftOut
}

// leftOut counts statements left out of a file, about literals, and statements that name a graph.
type leftOut struct {
	literals literalCounts
	inGraphs int
}

// add takes an RDF statement. The names of entities and relations are IRIs without brackets, _:label for a blank node,
// and a literal in the syntax of N-Triples. A literal is a label, a value, or an entity, if these are read.
func (s *statements) add(at int, subject, predicate, object turtle.Term) error {
	fact := statement{[3]string{nameOf(subject), nameOf(predicate), nameOf(object)}, at}
	isLabel := s.named.take(fact.names[0], predicate, object)
	if object.Kind == turtle.Literal && s.literal != keepLiterals {
		isValue, err := s.value(fact, object)
		if err == nil && !isLabel && !isValue {
			s.leaveOut(fact.names[1])
		}
		return err
	}
	from := subject.Kind == turtle.Blank
	to := object.Kind == turtle.Blank
	if !from && !to {
		return s.to.link(at, fact.fields())
	}
	for _, fact := range s.ends.pass(fact, from, to) {
		if err := s.to.link(fact.at, fact.fields()); err != nil {
			return err
		}
	}
	return nil
}

// value passes the literal of a statement to the sink, if values are read, and reports whether it is one.
func (s *statements) value(x statement, literal turtle.Term) (bool, error) {
	kind := values.KindOfType(literal.Datatype)
	if kind == "" || s.literal != literalValues {
		return false, nil
	}
	number, _, err := kind.Parse(strings.TrimSpace(literal.Text))
	switch {
	case errors.Is(err, values.ErrInexact):
		return false, err
	case err != nil:
		return false, nil
	}
	return s.to.value(x.at, x.fields(), kind, number)
}

// leaveOut counts a statement about a literal that is left out.
func (s *statements) leaveOut(relation string) {
	s.literals.add(relation)
	s.file.literals.add(relation)
}

// noteLeftOut reports what a file had besides facts, such as names of columns, and what was left out.
func (s *statements) noteLeftOut(path string, names header, note func(text string)) {
	say := func(count int, format string, args ...any) {
		if count > 0 {
			note(fmt.Sprintf("%s: "+format, append([]any{path}, args...)...))
		}
	}
	file := &s.file
	say(s.named.read, "%d labels were read", s.named.read)
	say(file.literals.all, "%d statements about literals were left out%s (literals=values reads numbers and dates, literals=keep makes all entities)",
		file.literals.all, file.literals.most(&s.prefixes))
	ends := s.ends.drop()
	say(ends, "%d statements that lead to a blank node without facts of its own were left out", ends)
	say(file.inGraphs, "%d statements name a graph; all are read as one", file.inGraphs)
	say(len(names), "the first line, %s, was read as the names of the columns", names)
	s.named.read = 0
	*file = leftOut{}
}

// nameOf returns the name of a term.
func nameOf(term turtle.Term) string {
	if term.Kind == turtle.IRI {
		return term.Text
	}
	term.Language = strings.ToLower(term.Language) // tags are case-insensitive
	return term.String()
}

// label returns a readable label of a name: its literal label in the graph, a shortened IRI, a literal without its
// quotes and type, or nothing.
func (s *statements) label(name string) string {
	if label, ok := s.named.best[name]; ok {
		return label.text
	}
	if strings.HasPrefix(name, `"`) {
		text := name[1:max(1, strings.LastIndexByte(name, '"'))]
		if strings.Contains(text, `\`) {
			return ""
		}
		return text
	}
	return s.prefixes.shorten(name)
}

// labels returns the labels of all names, nil if none has one.
func (s *statements) labels(names []string) []string {
	if s.literal != keepLiterals && len(s.prefixes.names)+len(s.named.best) == 0 {
		return nil
	}
	var list []string
	for id, name := range names {
		if text := s.label(name); text != "" {
			if list == nil {
				list = make([]string, len(names))
			}
			list[id] = text
		}
	}
	return list
}
