package interpreted_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/internal/interpreted"
	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/compiler/plantest"
	"github.com/efoc/efoc/compiler/reference"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/runtime/scq"
)

// TestRun compares the kernels with the interpreter on random plans, as lowered
// and after the passes.
func TestRun(t *testing.T) {
	drawn, compared := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		const relations = 3
		n := rapid.IntRange(1, 12).Draw(t, "entities")
		d, _, err := lang.Normalize(plantest.Formula(t, plantest.Options{Entities: n, Relations: relations, Name: "T"}))
		if err != nil {
			t.Fatal(err)
		}
		m := plantest.Model(t, n, relations, rapid.IntRange(1, 4).Draw(t, "rank"))
		shape := lower.NewShape(d)
		b := plantest.DrawArguments(t, n, relations).Bindings(shape.Constants, shape.Relations)
		c, err := compiler.Compile(shape, compiler.CompileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		want := interpret(t, c.Naive, m, m.Manifest.Settings, b)
		drawn++
		if !robust(t, c.Naive, m, b, want) {
			return
		}
		compared++
		for _, p := range []*ir.Plan{c.Naive, c.Plan} {
			answer, sets := execute(t, c, p, m, b)
			// A case that is robust may still enlarge rounding errors a thousand times.
			near(t, "answer", answer, want.Answer, 1e-3)
			for i, s := range sets {
				near(t, "set of "+p.Sets[i].Variable, s, want.Sets[i], 1e-3)
			}
		}
	})
	if compared < drawn/2 {
		t.Errorf("only %d of %d cases were robust enough to compare", compared, drawn)
	}
}

// execute runs a plan on the kernels.
func execute(t *rapid.T, c *compiler.Compiled, p *ir.Plan, m *query.Model, b scq.Bindings) (answer []float32, sets [][]float32) {
	t.Helper()
	x, err := interpreted.New(p)
	if err != nil {
		t.Fatal(err)
	}
	q, err := query.New(m, &query.Plan{
		ABI: query.ABI, Shape: p.Shape, Constants: p.Constants, Relations: p.Relations, Patterns: c.Shape.SCQs,
		Sets: c.PlanSets(), Vectors: x.Vectors, Embeddings: x.Embeddings, Run: x.Run,
	}, query.Names{})
	if err != nil {
		t.Fatal(err)
	}
	err = q.Scores(context.Background(), b, nil, func(v query.Vector, s []query.Vector) error {
		answer = append(answer, v...)
		for _, set := range s {
			sets = append(sets, append([]float32(nil), set...))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(sets) != len(p.Sets) {
		t.Fatalf("%d sets, want %d", len(sets), len(p.Sets))
	}
	return answer, sets
}

func interpret(t *rapid.T, p *ir.Plan, m *query.Model, s model.Settings, b scq.Bindings) *reference.Result {
	t.Helper()
	r, err := reference.Run(context.Background(), p, m.Model, s, b)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// robust reports whether slightly other thresholds would give about the same
// result: otherwise rounding decides on which side of ε a number falls.
func robust(t *rapid.T, p *ir.Plan, m *query.Model, b scq.Bindings, want *reference.Result) bool {
	t.Helper()
	for _, by := range []float64{1 - 1e-3, 1 + 1e-3} {
		for _, alpha := range []float64{1 - 1e-5, 1, 1 + 1e-5} {
			s := m.Manifest.Settings
			s.Epsilon *= by
			s.Alpha *= alpha
			r := interpret(t, p, m, s, b)
			for i, x := range append([][]float32{r.Answer}, r.Sets...) {
				y := append([][]float32{want.Answer}, want.Sets...)[i]
				if !agree(x, y, 1e-2) {
					return false
				}
			}
		}
	}
	return true
}

// agree reports whether vectors agree up to a relative tolerance from 1e-8 on,
// 1e-9 absolute below.
func agree(x, y []float32, relative float64) bool {
	for e := range y {
		w := float64(y[e])
		tolerance := 1e-9
		if w >= 1e-8 {
			tolerance = relative * w
		}
		if !(math.Abs(float64(x[e])-w) <= tolerance) {
			return false
		}
	}
	return true
}

func near(t *rapid.T, what string, got, want []float32, relative float64) {
	t.Helper()
	if len(got) != len(want) || !agree(got, want, relative) {
		t.Fatalf("%s is %v, want %v", what, got, want)
	}
}

// TestNew checks that each op of the op table can be executed: alone, except for a
// estimate, and in a sweep where it makes a pass.
func TestNew(t *testing.T) {
	for _, op := range ir.Ops() {
		info := op.Info()
		if op == ir.KeptVec || op == ir.KeptEmb {
			continue // in split plans alone, which generated code runs
		}
		for _, swept := range []bool{false, true} {
			if swept && info.Passes == 0 || !swept && op == ir.Estimate {
				continue
			}
			for _, more := range []int{0, 1} {
				if more > 0 && !info.Variadic {
					continue
				}
				text := "constants 1\nrelations 1\nv0:emb = entity s1\nv1:vec = onehot s1\nv2:emb = estimate v1 @1\nv3:emb = estimate v1 @1\n" +
					"v4:deg = any\nv5:top = best v4\nv6:rows = rows v5 r1\nv7:cases = root\n" +
					"v8:" + info.Result.String() + " = " + info.Name + operands(op, len(info.Args)+more)
				if swept {
					text += " @2"
				}
				answer := "\nanswer v1\n"
				if info.WholePasses > 0 {
					answer = "\nanswer v8\n"
				}
				p, err := ir.Parse(text + answer)
				if err != nil {
					t.Fatal(err)
				}
				if err := p.Verify(); err != nil {
					t.Fatalf("%v\n%s", err, p)
				}
				if _, err := interpreted.New(p); err != nil {
					t.Errorf("%s: %v", op, err)
				}
			}
		}
	}
}

// operands names operands for an op: a value of each space, and for a correction the
// estimates v2 and v3.
func operands(op ir.Op, count int) string {
	of := map[ir.Space]string{
		ir.Embedding: " v0", ir.Entities: " v1", ir.Degrees: " v4", ir.Candidates: " v5", ir.RowSets: " v6", ir.Branches: " v7",
	}
	info := op.Info()
	text := ""
	for i := range count {
		if op == ir.Correct && i > 0 {
			text += fmt.Sprint(" v", i+1)
			continue
		}
		text += of[info.Args[min(i, len(info.Args)-1)]]
	}
	return text
}

// TestNewErrors checks that what no kernel computes is refused.
func TestNewErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"constants 1\nv0:vec = onehot s1\nv1:emb = estimate v0\nanswer v0\n", "no kernel for estimate"},
	} {
		p, err := ir.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := interpreted.New(p); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want %s", err, c.want)
		}
	}
}

// TestRunCancelled checks that a plan stops before a pass if its context ends, and
// before the first if it has ended.
func TestRunCancelled(t *testing.T) {
	shape, err := compiler.BenchmarkShape("3p")
	if err != nil {
		t.Fatal(err)
	}
	c, err := compiler.Compile(shape, compiler.CompileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := plantest.NewModel(1, 40, 3, 4, model.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for _, p := range []*ir.Plan{c.Naive, c.Plan} {
		x, err := interpreted.New(p)
		if err != nil {
			t.Fatal(err)
		}
		q, err := query.New(m, &query.Plan{
			ABI: query.ABI, Constants: p.Constants, Relations: p.Relations, Patterns: c.Shape.SCQs,
			Sets: c.PlanSets(), Vectors: x.Vectors, Embeddings: x.Embeddings, Run: x.Run,
		}, query.Names{})
		if err != nil {
			t.Fatal(err)
		}
		b := scq.Bindings{Constants: []model.EntityID{3}, Relations: []model.RelationID{0, 2, 4}}
		// A context that allows so many looks: the plan looks once a pass at least,
		// or once an embedding.
		for looks := range 4 {
			ctx := &limited{Context: context.Background(), left: looks}
			err := q.Scores(ctx, b, nil, func(query.Vector, []query.Vector) error {
				t.Errorf("a plan that was cancelled after %d looks has an answer", looks)
				return nil
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("after %d looks: error is %v", looks, err)
			}
		}
		if err := q.Scores(context.Background(), b, nil, func(query.Vector, []query.Vector) error { return nil }); err != nil {
			t.Errorf("the same query after cancellations: %v", err)
		}
	}
}

// limited is a context that ends after so many looks at it.
type limited struct {
	context.Context
	left int
}

func (l *limited) Err() error {
	if l.left == 0 {
		return context.Canceled
	}
	l.left--
	return nil
}
