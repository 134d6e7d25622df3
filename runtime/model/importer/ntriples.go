package importer

import (
	"errors"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/graph/formats/rdf"
)

// isNTriples reports whether a file of that name is in N-Triples.
func isNTriples(path string) bool { return strings.HasSuffix(plainName(path), ".nt") }

// statement reads one line of N-Triples. The names of entities and relations are
// IRIs without brackets, and _:label for a blank node. Statements about literals
// are counted and left out, as no entity is a literal.
func (r *tripleReader) statement(line []byte) error {
	r.lines++
	text := strings.TrimSpace(string(line))
	if strings.HasPrefix(text, "#") {
		return nil
	}
	s, err := rdf.ParseNQuad(text)
	if err != nil {
		return fmt.Errorf("not a statement of N-Triples: %q: %w", clip(line), err)
	}
	if s.Label.Value != "" {
		return errors.New("a statement of N-Quads, which names a graph: want N-Triples")
	}
	_, _, kind, err := s.Object.Parts()
	if err == nil && kind == rdf.Literal {
		r.literals++
		return nil
	}
	var names [3][]byte
	for i, term := range []rdf.Term{s.Subject, s.Predicate, s.Object} {
		text, _, kind, err := term.Parts()
		if err != nil {
			return fmt.Errorf("%s: %w", term.Value, err)
		}
		if kind == rdf.Blank {
			text = "_:" + text
		}
		names[i] = []byte(text)
	}
	return r.add(names[0], names[1], names[2])
}
