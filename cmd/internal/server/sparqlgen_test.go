package server

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/lang/sparql"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// ntriples writes the graph of a model into a file.
func ntriples(t *testing.T, m *runtime.Model) string {
	var b strings.Builder
	for r := graph.RelationID(0); int(r) < m.NumRelations(); r += 2 {
		heads, tails := m.Bundle().Graph.Edges(r)
		for i := range heads {
			fmt.Fprintf(&b, "%s %s %s .\n", iriOf(m, heads[i]), relationIRI(m, r), iriOf(m, tails[i]))
		}
	}
	path := filepath.Join(t.TempDir(), "graph.nt")
	require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o644))
	return path
}

func iriOf(m *runtime.Model, e int32) string {
	return "<" + sparql.IRI(m.EntityName(graph.EntityID(e))) + ">"
}

func relationIRI(m *runtime.Model, r graph.RelationID) string {
	return "<" + sparql.IRI(m.Bundle().Relations.Name(int32(r/2))) + ">"
}

// sparqlWalker makes patterns that hold of entities which it walks over.
type sparqlWalker struct {
	m   *runtime.Model
	rng *rand.Rand
	n   int // variables
}

// randomSPARQL returns queries over the facts of a model, most of which have answers.
func randomSPARQL(m *runtime.Model, seed uint64, n int) []string {
	w := &sparqlWalker{m: m, rng: rand.New(rand.NewPCG(seed, 2))}
	list := make([]string, n)
	for i := range list {
		w.n = 0
		list[i] = w.query()
	}
	return list
}

func (w *sparqlWalker) query() string {
	y := int32(w.rng.IntN(w.m.NumEntities()))
	body := w.pattern(y, "?y", 2)
	switch w.rng.IntN(8) {
	case 0:
		body = "{ " + body + " } UNION { " + w.pattern(int32(w.rng.IntN(w.m.NumEntities())), "?y", 2) + " }"
	case 1:
		body += " { SELECT ?y { " + w.pattern(y, "?y", 2) + " } }"
	case 2:
		return "ASK { " + body + " }"
	}
	switch w.rng.IntN(5) {
	case 0:
		body += " FILTER NOT EXISTS { " + w.atom(int32(w.rng.IntN(w.m.NumEntities())), "?y") + " }"
	case 1:
		body += " MINUS { " + w.atom(int32(w.rng.IntN(w.m.NumEntities())), "?y") + " }"
	case 2:
		body += fmt.Sprintf(" FILTER(?y != %s && ?y NOT IN (%s))", iriOf(w.m, int32(w.rng.IntN(w.m.NumEntities()))), iriOf(w.m, y))
	case 3:
		body += " FILTER EXISTS { " + w.pattern(y, "?y", 1) + " }"
	}
	return "SELECT DISTINCT ?y { " + body + " }"
}

// edge returns a random fact of an entity, in the direction of a directed relation.
func (w *sparqlWalker) edge(e int32) (r graph.RelationID, tail int32, ok bool) {
	var all []graph.RelationID
	for r := range graph.RelationID(w.m.NumRelations()) {
		if len(w.m.Bundle().Graph.Tails(graph.EntityID(e), r)) > 0 {
			all = append(all, r)
		}
	}
	if len(all) == 0 {
		return 0, 0, false
	}
	r = all[w.rng.IntN(len(all))]
	tails := w.m.Bundle().Graph.Tails(graph.EntityID(e), r)
	return r, tails[w.rng.IntN(len(tails))], true
}

// atom returns a triple of an entity's fact, with a term in its place.
func (w *sparqlWalker) atom(e int32, term string) string {
	r, tail, ok := w.edge(e)
	if !ok {
		return w.atom(int32(w.rng.IntN(w.m.NumEntities())), term)
	}
	return w.triple(r, term, iriOf(w.m, tail))
}

// triple writes a triple, an inverse relation with ^ or the other way round.
func (w *sparqlWalker) triple(r graph.RelationID, from, to string) string {
	switch {
	case !r.IsInverse():
		return fmt.Sprintf("%s %s %s .", from, relationIRI(w.m, r), to)
	case w.rng.IntN(2) == 0:
		return fmt.Sprintf("%s ^%s %s .", from, relationIRI(w.m, r), to)
	}
	return fmt.Sprintf("%s %s %s .", to, relationIRI(w.m, r), from)
}

// pattern returns a pattern that holds of an entity in the place of a term: a tree of a
// depth, with constants at its leaves.
func (w *sparqlWalker) pattern(e int32, term string, depth int) string {
	var parts []string
	branches := 1
	if depth == 2 { // deeper inside they make the other engine slow
		branches += w.rng.IntN(2)
	}
	for range branches {
		r, tail, ok := w.edge(e)
		switch {
		case !ok:
			return w.atom(e, term)
		case depth == 0 || w.rng.IntN(2) == 0:
			parts = append(parts, w.triple(r, term, iriOf(w.m, tail)))
		case w.rng.IntN(3) == 0: // a path of two steps, or of at most two
			s, end, _ := w.edge(tail)
			repeat := ""
			if w.rng.IntN(3) == 0 {
				repeat = "?"
			}
			step := func(r graph.RelationID) string {
				if r.IsInverse() {
					return "^" + relationIRI(w.m, r)
				}
				return relationIRI(w.m, r)
			}
			parts = append(parts, fmt.Sprintf("%s %s/%s%s %s .", term, step(r), step(s), repeat, iriOf(w.m, end)))
		default:
			w.n++
			x := fmt.Sprintf("?x%d", w.n)
			if w.rng.IntN(4) == 0 {
				x = fmt.Sprintf("_:b%d", w.n)
			}
			parts = append(parts, w.triple(r, term, x), w.pattern(tail, x, depth-1))
			if x[0] == '?' && w.rng.IntN(4) == 0 {
				parts = append(parts, fmt.Sprintf("FILTER(%s != %s)", x, term))
			}
		}
	}
	return strings.Join(parts, " ")
}
