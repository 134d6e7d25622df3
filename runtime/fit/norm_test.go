package fit_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/require"
)

// minimum is the t-norm of Gödel, with the maximum.
type minimum struct{}

func (minimum) Both(x, y float32) float32   { return min(x, y) }
func (minimum) Either(x, y float32) float32 { return max(x, y) }

func (minimum) All(dst, x, y []float32) {
	for i := range dst {
		dst[i] = min(x[i], y[i])
	}
}

func (minimum) Scale(dst, x []float32, y float32) {
	for i := range dst {
		dst[i] = min(x[i], y)
	}
}

func (minimum) Sum(dst, x, y []float32) {
	for i := range dst {
		dst[i] = max(x[i], y[i])
	}
}

// TestNorm answers by another t-norm and compares the degrees with those over all assignments, for
// shapes whose atoms are all read from their heads.
func TestNorm(t *testing.T) {
	m := smallModel(t, 11)
	rows := func() func(h int, r graph.RelationID) []float32 { // by the atom alone, in which no t-norm occurs
		p, kept := prepareShape(t, m, "1p"), map[string][]float32{}
		return func(h int, r graph.RelationID) []float32 {
			key := fmt.Sprint(h, r)
			if kept[key] == nil {
				kept[key] = scores(t, p, p.Spec().Args(int32(h), int32(r)), exactDegrees(m))
			}
			return kept[key]
		}
	}()
	fit.SetNorm(m.DegreeCache(), minimum{})
	rng := rand.New(rand.NewPCG(1, 1))
	for _, shape := range []string{"2p", "3p", "2i", "3i", "pi", "ip", "2in", "3in", "inp", "2u", "up", "2m", "3mp", "3pm", "im"} {
		p := prepareShape(t, m, shape)
		for range 5 {
			args := randomArgs(t, rng, p)
			b := p.PartBindings(0, args)
			got := scores(t, p, args, exactDegrees(m))
			for e := range m.NumEntities() {
				want := float32(0)
				for i := range p.Shape().Disjuncts {
					want = max(want, bestMinimum(&p.Shape().Disjuncts[i], b, e, m.NumEntities(), rows))
				}
				if math.Abs(float64(got[e]-want)) > 1e-6 {
					t.Fatalf("%s %v: entity %d has degree %v, want %v", shape, b, e, got[e], want)
				}
			}
		}
	}
}

// exactDegrees leaves out no row.
func exactDegrees(m *runtime.Model) model.Degrees {
	d := m.Bundle().Manifest.Settings.Degrees.OrDefault()
	d.Candidates = m.NumEntities()
	return d
}

func prepareShape(t *testing.T, m *runtime.Model, shape string) *compiler.Prepared {
	t.Helper()
	template, err := benchmark.Query(shape)
	require.NoError(t, err)
	return prepare(t, m, template, compiler.Options{})
}

// bestMinimum returns the largest minimum of the atoms over all values of the existential variables
// of a disjunct.
func bestMinimum(g *scq.Disjunct, b scq.Bindings, answer, n int, row func(h int, r graph.RelationID) []float32) float32 {
	best, values := float32(0), make([]int, len(g.Variables))
	values[0] = answer
	value := func(x scq.Term) int {
		if x.Constant {
			return int(b.Constants[x.Index])
		}
		return values[x.Index]
	}
	var assign func(v int)
	assign = func(v int) {
		if v < len(values) {
			for values[v] = range n {
				assign(v + 1)
			}
			return
		}
		least := float32(1)
		for _, a := range g.Atoms {
			d := row(value(a.Head), b.Relations[a.Relation])[value(a.Tail)]
			if a.Negated {
				d = 1 - min(1, float32(model.Degrees{}.OrDefault().Negation)*d)
			}
			least = min(least, d)
		}
		best = max(best, least)
	}
	assign(1)
	return best
}
