package exec_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/exec"
	"github.com/efoc/efoc/compiler/interp"
	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/compiler/plantest"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
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
		c, err := compiler.Compile(shape, 0)
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
			near(t, "answer", answer, want.Answer, 1e-4)
			for i, s := range sets {
				near(t, "set of "+p.Sets[i].Variable, s, want.Sets[i], 1e-4)
			}
		}
	})
	if compared < drawn/2 {
		t.Errorf("only %d of %d cases were robust enough to compare", compared, drawn)
	}
}

// execute runs a plan on the kernels.
func execute(t *rapid.T, c *compiler.Compiled, p *ir.Plan, m *runtime.Model, b runtime.Bindings) (answer []float32, sets [][]float32) {
	t.Helper()
	x, err := exec.New(p)
	if err != nil {
		t.Fatal(err)
	}
	q, err := runtime.NewQuery(m, &runtime.Plan{
		ABI: runtime.ABI, Shape: p.Shape, Constants: p.Constants, Relations: p.Relations, Patterns: c.Patterns(),
		Sets: c.PlanSets(), Vectors: x.Vectors, Embeddings: x.Embeddings, Run: x.Run,
	}, runtime.QueryNames{})
	if err != nil {
		t.Fatal(err)
	}
	err = q.Scores(context.Background(), b, nil, func(v runtime.Vector, s []runtime.Vector) error {
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

func interpret(t *rapid.T, p *ir.Plan, m *runtime.Model, s runtime.Settings, b runtime.Bindings) *interp.Result {
	t.Helper()
	r, err := interp.Run(context.Background(), p, m, s, b)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// robust reports whether slightly other thresholds would give about the same
// result: otherwise rounding decides on which side of ε a number falls.
func robust(t *rapid.T, p *ir.Plan, m *runtime.Model, b runtime.Bindings, want *interp.Result) bool {
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

// TestNew checks that each op of the op table can be executed.
func TestNew(t *testing.T) {
	for _, op := range ir.Ops() {
		info := op.Info()
		line := "v2:" + info.Result.String() + " = " + info.Name
		for _, a := range info.Args {
			line += map[ir.Space]string{ir.Embedding: " v0", ir.Entities: " v1"}[a]
		}
		p, err := ir.Parse("constants 1\nrelations 1\nv0:emb = entity s1\nv1:vec = onehot s1\n" + line + "\nanswer v1\n")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := exec.New(p); err != nil {
			t.Errorf("%s: %v", op, err)
		}
	}
}

// TestNewErrors checks that what no kernel computes is refused.
func TestNewErrors(t *testing.T) {
	p, err := ir.Parse("constants 1\nv0:vec*2 = onehot s1\nv1:vec = onehot s1\nanswer v1\n")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exec.New(p); err == nil || !strings.Contains(err.Error(), "no kernel for onehot with 2 columns") {
		t.Errorf("error is %v", err)
	}
}
