package runtime_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// drawnGraph is a random graph with a predictor and offsets, which can be written in other ways that mean the same.
type drawnGraph struct {
	facts     []graph.Triple
	rows      [][]float32 // of entities
	relations [][]float32 // of directed relations, as the offsets
	offsets   []float64
}

const (
	drawnEntities  = 25
	drawnRelations = 3
	drawnRank      = 4
)

func newDrawnGraph(rng *rand.Rand) *drawnGraph {
	d := &drawnGraph{}
	for range drawnEntities {
		d.rows = append(d.rows, modeltest.Normals(rng, 2*drawnRank))
	}
	for range 2 * drawnRelations {
		d.relations = append(d.relations, modeltest.Normals(rng, 2*drawnRank))
		d.offsets = append(d.offsets, rng.NormFloat64())
	}
	seen := map[graph.Triple]bool{}
	for len(seen) < 2*drawnEntities {
		f := graph.Triple{Head: graph.EntityID(rng.IntN(drawnEntities)), Relation: int32(rng.IntN(drawnRelations)), Tail: graph.EntityID(rng.IntN(drawnEntities))}
		if !seen[f] {
			d.facts = append(d.facts, f)
		}
		seen[f] = true
	}
	return d
}

// writing is a way to write a graph: the new numbers of entities and of directed relations. A relation may be turned
// round, as its inverse.
type writing struct {
	entities  []graph.EntityID
	relations []graph.RelationID
}

func newWriting(rng *rand.Rand) (w writing) {
	for _, e := range rng.Perm(drawnEntities) {
		w.entities = append(w.entities, graph.EntityID(e))
	}
	for _, r := range rng.Perm(drawnRelations) {
		turned := graph.RelationID(rng.IntN(2))
		w.relations = append(w.relations, graph.RelationID(2*r)+turned, graph.RelationID(2*r)+1-turned)
	}
	return w
}

// model returns the model of a graph that is written in some way, with the claims of calibrate.
func (d *drawnGraph) model(t *testing.T, w writing) *runtime.Model {
	t.Helper()
	rows := make([]float32, drawnEntities*2*drawnRank)
	for e, row := range d.rows {
		copy(rows[int(w.entities[e])*2*drawnRank:], row)
	}
	relations := make([]float32, len(d.relations)*2*drawnRank)
	for r, row := range d.relations {
		copy(relations[int(w.relations[r])*2*drawnRank:], row)
	}
	var facts []graph.Triple
	for _, f := range d.facts {
		facts = append(facts, graph.TripleOf(w.entities[f.Head], w.relations[2*f.Relation], w.entities[f.Tail]))
	}
	m := runtime.NewModel(modeltest.New(t, modeltest.Spec{
		Entities: drawnEntities, Relations: drawnRelations, Rank: drawnRank, Rows: rows, RelationRows: relations, Facts: facts,
	}))
	t.Cleanup(func() { m.Close() })
	calibrate(m)
	for _, c := range m.Bundle().Manifest.Confidence {
		c.Lacking.Offsets = slices.Clone(c.Lacking.Offsets)
		for r, x := range d.offsets {
			c.Ordinary.Offsets[w.relations[r]] = x
			c.Lacking.Offsets[w.relations[r]] = x / 2
		}
		c.Ordinary.Low = [model.Forms]float64{-1, -2, -3}
		c.Ordinary.High = [model.Forms]float64{1, 2, 3}
	}
	return m
}

// drawnShapes are questions in which a, b, r and s stand for constants and relations.
var drawnShapes = []string{
	"r(a, y)", "r(a, y) & s(b, y)", "r(a, y) & !s(b, y)", "r(a, y) | s(b, y)", "exists x. r(a, x) & s(x, y)", "r(a, y) & y != a & y != b", "exists x. r(x, y)",
}

// drawnQuestion is a question of one of these shapes.
type drawnQuestion struct {
	shape     string
	constants [2]graph.EntityID
	relations [2]graph.RelationID
}

func newDrawnQuestion(rng *rand.Rand, shape string) drawnQuestion {
	q := drawnQuestion{shape: shape}
	for i := range 2 {
		q.constants[i] = graph.EntityID(2*rng.IntN(drawnEntities/2) + i) // two different ones
		q.relations[i] = graph.RelationID(rng.IntN(2 * drawnRelations))
	}
	return q
}

// formula returns the question to a model whose graph is written in some way.
func (q drawnQuestion) formula(m *runtime.Model, w writing) string {
	relation := func(r graph.RelationID) string {
		r = w.relations[r]
		if r.IsInverse() {
			return fmt.Sprintf("%q^-1", m.RelationName(r.Inverse()))
		}
		return fmt.Sprintf("%q", m.RelationName(r))
	}
	entity := func(e graph.EntityID) string { return fmt.Sprintf("%q", m.Bundle().EntityName(w.entities[e])) }
	text := strings.NewReplacer("r(", relation(q.relations[0])+"(", "s(", relation(q.relations[1])+"(").Replace(q.shape)
	return strings.NewReplacer("(a,", "("+entity(q.constants[0])+",", "(b,", "("+entity(q.constants[1])+",", "!= a", "!= "+entity(q.constants[0]), "!= b", "!= "+entity(q.constants[1])).Replace(text)
}

// follows reports whether an answer follows from the facts, and whether the question leaves it out.
func (q drawnQuestion) follows(d *drawnGraph, y graph.EntityID) (follows, excluded bool) {
	has := func(i int, h, e graph.EntityID) bool {
		return slices.Contains(d.facts, graph.TripleOf(h, q.relations[i], e))
	}
	a := q.constants[0]
	b := q.constants[1]
	some := func(holds func(x graph.EntityID) bool) bool {
		for x := range graph.EntityID(drawnEntities) {
			if holds(x) {
				return true
			}
		}
		return false
	}
	switch q.shape {
	case "r(a, y)":
		return has(0, a, y), false
	case "r(a, y) & s(b, y)":
		return has(0, a, y) && has(1, b, y), false
	case "r(a, y) & !s(b, y)":
		return has(0, a, y) && !has(1, b, y), false
	case "r(a, y) | s(b, y)":
		return has(0, a, y) || has(1, b, y), false
	case "exists x. r(a, x) & s(x, y)":
		return some(func(x graph.EntityID) bool { return has(0, a, x) && has(1, x, y) }), false
	case "r(a, y) & y != a & y != b":
		return has(0, a, y), y == a || y == b
	}
	return some(func(x graph.EntityID) bool { return has(0, x, y) }), false
}

// outOfRange reports whether no fact of a positive atom of y leads to an answer.
func (q drawnQuestion) outOfRange(d *drawnGraph, y graph.EntityID) bool {
	return !slices.ContainsFunc(d.facts, func(f graph.Triple) bool {
		for i, atom := range []string{"r(", "s("} {
			at := strings.Index(q.shape, atom)
			if at < 0 || strings.HasSuffix(q.shape[:at], "!") || strings.HasPrefix(q.shape[at:], "r(a, x)") {
				continue
			}
			for h := range graph.EntityID(drawnEntities) {
				if f == graph.TripleOf(h, q.relations[i], y) {
					return true
				}
			}
		}
		return false
	})
}

// asWritten is the way to write a graph that changes nothing.
func asWritten() (w writing) {
	for e := range graph.EntityID(drawnEntities) {
		w.entities = append(w.entities, e)
	}
	for r := range graph.RelationID(2 * drawnRelations) {
		w.relations = append(w.relations, r)
	}
	return w
}

// TestClaimsWritten writes a graph in two ways: with other numbers of entities and relations, and some relations turned
// round. All claims stay the same, and so do counts.
func TestClaimsWritten(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.Of(t), 61))
	for range 3 {
		d := newDrawnGraph(rng)
		ways := []writing{asWritten(), newWriting(rng)}
		models := []*runtime.Model{d.model(t, ways[0]), d.model(t, ways[1])}
		for _, shape := range drawnShapes {
			q := newDrawnQuestion(rng, shape)
			for _, s := range model.AllSemantics {
				if s == model.NSMP && strings.Contains(shape, "|") {
					continue // the best answers by each disjunct tie, and the evidence for the first is what others are compared with
				}
				var rows [2]map[graph.EntityID]*runtime.Row
				var counts [2]*runtime.Count
				for i, m := range models {
					rows[i] = map[graph.EntityID]*runtime.Row{}
					formula := q.formula(m, ways[i])
					_, r := ask(t, m, formula, s, compiler.EngineInterpreted, runtime.Options{K: drawnEntities})
					for k := range r.Rows {
						rows[i][r.Rows[k].Values[0].ID] = &r.Rows[k]
					}
					counts[i] = counted(t, m, formula, s)
				}
				for e, a := range rows[0] {
					if tied(a, rows[0]) {
						continue // its place depends on numbers
					}
					b := rows[1][ways[1].entities[e]]
					if b == nil || a.Status != b.Status || a.OutOfRange != b.OutOfRange || !near(a.Confidence, b.Confidence) {
						t.Errorf("%v, %s: answer %d is %+v, and written in another way %+v", q, s, e, a, b)
					}
				}
				a := counts[0]
				b := counts[1]
				if a.Known != b.Known || !near(a.Missing, b.Missing) || !near(a.Low, b.Low) || !near(a.High, b.High) {
					t.Errorf("%v, %s: the count is %+v, and written in another way %+v", q, s, a, b)
				}
			}
		}
	}
}

// tied reports whether another row may have the same score, but for rounding.
func tied(a *runtime.Row, rows map[graph.EntityID]*runtime.Row) bool {
	for _, b := range rows {
		if b != a && math.Abs(float64(b.Score-a.Score)) <= 1e-5*float64(a.Score) {
			return true
		}
	}
	return false
}

// near reports whether two numbers differ by rounding of scores at most.
func near(a, b float64) bool { return math.Abs(a-b) <= 2e-4*(max(a, b)+1e-3) }

// counted returns the number of answers to a question.
func counted(t *testing.T, m *runtime.Model, formula string, s model.Semantics) *runtime.Count {
	t.Helper()
	p, err := compiler.Prepare(m, "count y: "+formula, compiler.Options{Semantics: &s})
	require.NoError(t, err)
	r, err := p.Ask(t.Context(), nil, runtime.Options{})
	require.NoError(t, err)
	return r.Count
}

// TestClaimsLaws checks all answers to random questions. What follows from the facts is known, and certain without a
// negated atom; nothing else is. The answers on pages, and those likely enough, are those of the list. A count is the sum of
// all confidences, within its bounds. The graph's evidence is that of the number of atoms and of the facts of the head.
func TestClaimsLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.Of(t), 62))
	w := asWritten()
	d := newDrawnGraph(rng)
	m := d.model(t, w)
	for _, c := range m.Bundle().Manifest.Confidence {
		for _, x := range []*model.Claims{&c.Ordinary, &c.Lacking} {
			x.Terms = model.LinkTerms{model.TermKnown: 1, model.TermAtoms: 10}
		}
		c.HeldOut.Curve = model.Curve{X: []float64{0}, Y: []float64{0.2}}
	}
	know(m, 0.2, m.RelationName(2))
	for _, shape := range drawnShapes {
		for range 4 {
			q := newDrawnQuestion(rng, shape)
			formula := q.formula(m, w)
			for _, s := range model.AllSemantics {
				p, r := ask(t, m, formula, s, compiler.EngineInterpreted, runtime.Options{K: drawnEntities})
				known := 0
				open := 0.0
				all := 0.0
				for i := range r.Rows {
					row := &r.Rows[i]
					follows, excluded := q.follows(d, row.Values[0].ID)
					if out := q.outOfRange(d, row.Values[0].ID); row.OutOfRange != out {
						t.Errorf("%s, %s: %+v is out of range: %t", formula, s, row, out)
					}
					switch {
					case excluded || follows != (row.Status == runtime.Known):
						t.Errorf("%s, %s: %+v is an answer, and follows: %t, excluded: %t", formula, s, row, follows, excluded)
					case follows:
						known++
						if certain := row.Confidence == 1; certain == strings.Contains(shape, "!s") {
							t.Errorf("%s, %s: a known answer has confidence %v", formula, s, row.Confidence)
						}
					default:
						open += row.Confidence
						checkEvidence(t, q, d, row)
					}
					all += row.Confidence
				}
				n := counted(t, m, formula, s)
				if n.Known != known || math.Abs(n.Missing-open) > 2e-3*open+1e-4 || n.Low > all+1e-3 || n.High < all-1e-3 {
					t.Errorf("%s, %s: counted %+v, want %d known and %v others, together %v", formula, s, n, known, open, all)
				}
				checkParts(t, p, r)
				if known > 0 && shape == "r(a, y)" {
					_, r := ask(t, m, formula, s, compiler.EngineInterpreted, runtime.Options{K: drawnEntities, HeldOut: 0.1})
					for _, row := range r.Rows {
						if row.Status != runtime.Known && row.Basis.Relation != "" && math.Abs(row.Confidence-0.25) > 1e-9 {
							t.Errorf("%s, %s: with a tenth held out, by a curve of 1/5, it claims %+v", formula, s, row)
						}
					}
				}
			}
		}
	}
}

// checkEvidence checks what the graph says of the link of a row.
func checkEvidence(t *testing.T, q drawnQuestion, d *drawnGraph, row *runtime.Row) {
	t.Helper()
	want := 0.0
	if strings.Contains(q.shape, "& s") {
		want = 10 * math.Log(2)
	}
	if q.shape == "r(a, y)" && row.Basis.Relation != "" {
		facts := 0
		for y := range graph.EntityID(drawnEntities) {
			if follows, _ := q.follows(d, y); follows {
				facts++
			}
		}
		want = math.Log(float64(1 + facts))
	}
	if off := row.Basis.Graph - want; q.shape == "r(a, y)" && math.Abs(off) > 1e-9 || math.Abs(math.Exp(off)-math.Round(math.Exp(off))) > 1e-6 {
		t.Errorf("%v: the graph's evidence on %+v is %v, want %v", q, row, row.Basis.Graph, want)
	}
}

// checkParts compares pages, and the answers that are likely enough, with the list of all answers.
func checkParts(t *testing.T, p *compiler.Prepared, all *runtime.Reply) {
	t.Helper()
	const size = 12 // so that the second page has all answers that are left, and the place of an excluded entity
	var paged []graph.EntityID
	for at, more := 0, true; more; {
		r, err := p.Ask(t.Context(), nil, runtime.Options{K: size, Offset: at})
		require.NoError(t, err)
		if len(r.Rows) == 0 {
			t.Errorf("%v: the page from %d on has no answers", p.Source, at)
		}
		paged = append(paged, entities(r.Rows)...)
		at = r.Next
		more = at > 0
	}
	if want := entities(all.Rows); !slices.Equal(paged, want) {
		t.Errorf("%v: pages have answers %v, want %v", p.Source, paged, want)
	}
	for _, i := range []int{0, 3, 6, 10, 15} {
		least := all.Rows[i].Confidence * (1 - 1e-9)
		r, err := p.Ask(t.Context(), nil, runtime.Options{K: drawnEntities, Filter: runtime.AnswerFilter{MinConfidence: least}})
		require.NoError(t, err)
		want := slices.DeleteFunc(slices.Clone(all.Rows), func(a runtime.Row) bool { return a.Confidence < least })
		if !slices.Equal(entities(r.Rows), entities(want)) {
			t.Errorf("%v: %d answers have confidence %v, want %d", p.Source, len(r.Rows), least, len(want))
		}
	}
}

// TestObserved compares the answers that calibration sees, under each semantics, with answers as they are asked for: the ten
// best ones that are not known have the same evidence and link. With those behind, they stand for all that are not known.
func TestObserved(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.Of(t), 69))
	w := asWritten()
	d := newDrawnGraph(rng)
	m := d.model(t, w)
	mixture := model.Mixed
	for _, shape := range drawnShapes {
		q := newDrawnQuestion(rng, shape)
		formula := q.formula(m, w)
		p, err := compiler.Prepare(m, formula, compiler.Options{Semantics: &mixture, Engine: compiler.EngineInterpreted})
		require.NoError(t, err)
		var known []int32
		excluded := 0
		for y := range graph.EntityID(drawnEntities) {
			follows, out := q.follows(d, y)
			if out {
				excluded++
			}
			if follows {
				known = append(known, int32(y))
			}
		}
		none, err := p.Args(nil)
		require.NoError(t, err)
		for _, behind := range []bool{false, true} {
			err := p.Each(t.Context(), []runtime.Args{none}, nil, func(_ int, r *runtime.Run) error {
				return r.Observe(behind, known, func(s model.Semantics, list []runtime.Observed, _ plan.Vector) {
					stand := 0.0
					for _, x := range list {
						stand += x.Stands
					}
					if open := drawnEntities - len(known); behind && int(stand) != open || !behind && len(list) != min(10, open) {
						t.Errorf("%s, %s: %d answers are observed, which stand for %v, with %d known", formula, s, len(list), stand, len(known))
					}
					_, asked := ask(t, m, formula, s, compiler.EngineInterpreted, runtime.Options{K: drawnEntities, Filter: runtime.AnswerFilter{Statuses: runtime.Predicted}})
					checkObserved(t, m, q, s, list[:min(10-excluded, len(list))], asked)
				})
			})
			require.NoError(t, err)
		}
	}
}

// checkObserved compares the best observed answers with those that are asked for.
func checkObserved(t *testing.T, m *runtime.Model, q drawnQuestion, s model.Semantics, list []runtime.Observed, asked *runtime.Reply) {
	t.Helper()
	weights := &m.Bundle().Manifest.Confidence.Of(s).Ordinary.Terms
	rows := map[graph.EntityID]*runtime.Row{}
	for i := range asked.Rows {
		rows[asked.Rows[i].Values[0].ID] = &asked.Rows[i]
	}
	for _, x := range list {
		if link := [2]graph.EntityID{x.Head, x.Tail}; q.shape == "r(a, y)" && x.Relation >= 0 && link != [2]graph.EntityID{q.constants[0], x.Entity} {
			t.Errorf("%v: answer %d rests on a link between %v", q, x.Entity, link)
		}
		row := rows[x.Entity]
		if row == nil || tied(row, rows) || tied(&asked.Rows[0], rows) {
			continue
		}
		b := row.Basis
		name := ""
		if x.Relation >= 0 {
			name = m.RelationName(x.Relation)
		}
		if math.Abs(x.Evidence-b.Evidence) > 1e-3 || math.Abs(x.Margin-b.Margin) > 1e-3 || name != b.Relation || math.Abs(x.Terms.Weighed(weights)-b.Graph) > 1e-9 {
			t.Errorf("%s: observed %+v, asked %+v", s, x, *b)
		}
	}
}
