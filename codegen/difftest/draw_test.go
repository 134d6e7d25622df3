package difftest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/plantest"
)

// pick draws one of several values.
func pick[T any](rng *rand.Rand, values ...T) T { return values[rng.IntN(len(values))] }

// between draws a number from lo to hi.
func between(rng *rand.Rand, lo, hi int) int { return lo + rng.IntN(hi-lo+1) }

// drawWorld draws a world: usually a small one, sometimes one that takes more than one block of the kernels.
func drawWorld(rng *rand.Rand) world {
	w := world{Seed: rng.Uint64() >> 12, Relations: between(rng, 1, 4), Rank: between(rng, 1, 48), Table: table.Float32}
	if rng.IntN(4) == 0 {
		w.Table, w.Exact = table.Int8, table.Float32
	}
	switch size := rng.IntN(100); {
	case size < 30:
		w.Entities = between(rng, 1, 12)
	case size < 70:
		w.Entities = between(rng, 13, 40)
	case size < 97:
		w.Entities = between(rng, 41, 80)
	default:
		w.Entities = between(rng, 81, 300)
	}
	if rng.IntN(3) == 0 {
		w.Rank = between(rng, 1, 8)
	}
	w.Facts = rng.IntN(1 + min(w.Entities*w.Entities/2, 6*w.Entities))
	switch rng.IntN(4) {
	case 0:
		w.Scale = math.Pow(10, 3*rng.Float64()-3) // tiny
	case 1:
		w.Scale = math.Pow(10, 1+1.7*rng.Float64()) // up to ±500
	default:
		w.Scale = math.Pow(10, rng.Float64())
	}
	if rng.IntN(3) == 0 {
		w.Shift = float64(between(rng, -500, 500))
	}
	if rng.IntN(4) == 0 {
		w.Shift = pick(rng, -80.0, -87.5, -88, -89, -90, -104, -200, -500, 88, 90, 200, 500)
	}
	w.Temperatures = rng.IntN(4) == 0
	w.Access = pick(rng, nil, &plan.Exact, &plan.Access{}, &plan.Access{Estimates: true, Bounds: true})
	return w
}

// drawSettings draws settings for a template whose disjuncts have at most depth variables.
func drawSettings(rng *rand.Rand, entities, depth int, semantics model.Semantics) model.Settings {
	s := model.DefaultSettings()
	if rng.IntN(2) == 0 {
		s.Lambda = pick(rng, 0, 0.1, 0.5, 1)
		s.Alpha = pick(rng, 1000, 20, 1.5, 0.3)
		s.Weight = pick(rng, 0.5, 0.2, 0.9, 0, 1)
		s.Epsilon = pick(rng, 1e-14, 1e-9, 1e-4, 1e-2)
	}
	if semantics != model.FIT && rng.IntN(8) == 0 {
		s.Layers = depth + rng.IntN(3)
	}
	if semantics != model.NSMP {
		s.Degrees = model.Degrees{
			Candidates:  between(rng, 1, 8),
			Negation:    pick(rng, 1, 1, 3.0),
			Threshold:   pick(rng, 0, 0.0002, 0.01, 0.2),
			Temperature: pick(rng, 1, 1.5),
			Leaf:        pick(rng, 0, 0.1),
			Mass:        rng.IntN(2) == 0,
			Mixture:     pick(rng, 0, 0.25, 0.5),
		}
		if entities <= 8 && rng.IntN(2) == 0 {
			s.Degrees.Candidates = entities // the exact method
		}
	}
	return s
}

// drawBindings draws values for the parameters of a template.
func drawBindings(rng *rand.Rand, params []lang.Param, w world, size int) []map[string]int32 {
	var out []map[string]int32
	for range size {
		values := map[string]int32{}
		for _, p := range params {
			switch p.Kind {
			case kind.Relation:
				values[p.Name] = int32(rng.IntN(2 * w.Relations))
			case kind.Number: // a filter's, set by plantest
			default:
				values[p.Name] = int32(rng.IntN(w.Entities))
			}
		}
		out = append(out, values)
	}
	return out
}

// knots are formulas with nested cycles, which random ones rarely have.
var knots = []string{
	"r1(s1,f)&r2(e1,f)&r3(e2,f)&r4(e3,f)&r5(e1,e2)&r6(e2,e3)&r7(e1,e3)",
	"r1(s1,e1)&r2(s2,e2)&r3(e1,e2)&!r4(e1,f)&r5(e2,f)&r6(e3,f)&r7(e3,e1)&!r8(e3,e2)",
	"r1(s1,e1)&r2(e1,e2)&r3(e2,e3)&r4(e1,e3)&r5(e1,f)&r6(f,e4)&r7(e4,e5)&r8(e5,f)",
}

// fixedTemplates are the templates of shapes with generated code, and the knots.
var fixedTemplates = func() (list []string) {
	formulas := slices.Clone(knots)
	for _, s := range benchmark.Shapes {
		formulas = append(formulas, s.Formula)
	}
	for _, f := range formulas {
		q, err := lang.ParseBenchmark(f)
		if err != nil {
			panic(err)
		}
		q.Name = "T"
		list = append(list, oneLine(q))
	}
	return list
}()

func oneLine(q *lang.Query) string { return strings.Join(strings.Fields(q.String()), " ") }

// formulas draws random formulas.
var formulas = plantest.Formulas(plantest.Options{Entities: 1, Relations: 1, Atoms: 6, Disjuncts: 4, Name: "T", Values: true})

// drawTemplate draws a random template in which every name is a parameter. Each position has its own, except
// where the random formula repeats a parameter. A formula that compares two entities would compare parameters,
// which Normalize refuses: it is skipped.
func drawTemplate(rng *rand.Rand) string {
	for {
		q := formulas.Example(int(rng.Uint32()))
		parametrize(q)
		if q.Normalize() == nil {
			return oneLine(q)
		}
	}
}

// parametrize replaces all names by parameters.
func parametrize(q *lang.Query) {
	entities := func(terms ...*ast.Term) {
		for _, t := range terms {
			if t.Kind == ast.Constant {
				t.Kind, t.Name = ast.Parameter, fmt.Sprint("s", len(q.Params))
				q.Params = append(q.Params, lang.Param{Name: t.Name, Kind: kind.Entity})
			}
		}
	}
	// Formulas share parts: a part with parameters was visited before.
	relation := func(r *ast.Relation) {
		if !r.Param {
			r.Param, r.Name = true, fmt.Sprint("r", len(q.Params))
			q.Params = append(q.Params, lang.Param{Name: r.Name, Kind: kind.Relation})
		}
	}
	ast.Walk(q.Formula, func(f ast.Formula) {
		entities(ast.Terms(f)...)
		switch f := f.(type) {
		case *ast.Atom:
			relation(&f.Relation)
		case *ast.Path:
			for i := range f.Relations {
				relation(&f.Relations[i])
			}
		}
	})
}

// depth returns the number of variables of the largest disjunct.
func (q *question) depth() int {
	most := 0
	for i := range q.shape.Disjuncts {
		most = max(most, len(q.shape.Disjuncts[i].Variables))
	}
	return most
}

// drawBatch draws a batch size.
func drawBatch(rng *rand.Rand) int {
	sizes := []int{1, 1, 2, 2, 2, 3, 3, 5, 9, 9}
	if rng.IntN(20) == 0 {
		return 17
	}
	return sizes[rng.IntN(len(sizes))]
}
