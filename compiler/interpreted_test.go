package compiler_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/compiler/internal/interpreted"
	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/byslot"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/plantext"
	"github.com/efoc/efoc/testdata/require"
)

// TestNew checks that each op of the op table can be executed, in a sweep shared with others or alone.
func TestNew(t *testing.T) {
	for _, op := range ir.Ops() {
		info := op.Info()
		if info.Result == ir.Number || slices.Contains(info.Args, ir.Number) {
			continue // for devices only: the CPU reduces and maps in one op
		}
		for _, swept := range []bool{false, true} {
			if swept && info.Sweeps == 0 {
				continue
			}
			for _, more := range []int{0, 1} {
				if more > 0 && !info.Variadic {
					continue
				}
				text := "constants 1\nrelations 1\nfilters 1\nv0:emb = entity s1\nv1:vec = onehot s1\nv2:emb = estimate v1 @1\nv3:emb = estimate v1 @1\n" +
					"v4:deg = any\nv5:cand = best v4\nv6:rows = rows v5 r1\nv7:branch = root\n" +
					"v8:" + info.Result.String() + " = " + info.Name + operands(op, len(info.Args)+more)
				if swept {
					text += " @2"
				}
				answer := "\nanswer v1\n"
				if info.WholeSweeps > 0 {
					answer = "\nanswer v8\n"
				}
				p, err := plantext.Parse(text + answer)
				require.NoError(t, err)
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

// operands names operands for an op: a value of each space, and the estimates v2 and v3 for a correction.
func operands(op ir.Op, count int) string {
	of := map[ir.Space]string{
		ir.Embedding: " v0", ir.Entities: " v1", ir.Degrees: " v4", ir.Candidates: " v5", ir.AtomRows: " v6", ir.Branches: " v7",
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

// TestNewErrors checks that ops without a kernel are refused.
func TestNewErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"constants 1\nv0:vec = onehot s1\nv1:num = sum v0\nanswer v0\n", "no kernel for sum"},
	} {
		p, err := plantext.Parse(c.text)
		require.NoError(t, err)
		if _, err := interpreted.New(p); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want %s", err, c.want)
		}
	}
}

// TestRunCancelled checks that a plan stops before the next sweep when its context ends, and before the first
// if it has already ended.
func TestRunCancelled(t *testing.T) {
	q, err := benchmark.Query("3p")
	require.NoError(t, err)
	shape := stages.Analyze(q).Shape()
	c, err := stages.Compile(shape, stages.Options{Semantics: model.NSMP})
	require.NoError(t, err)
	m, err := plantest.NewModel(1, 40, 3, 4, model.DefaultSettings())
	require.NoError(t, err)
	defer m.Close()
	for _, p := range []*ir.Plan{c.Lowered, c.Optimized} {
		x, err := interpreted.New(p)
		require.NoError(t, err)
		made := c.NewPlan()
		made.Vectors, made.Embeddings, made.Places, made.Run = x.Vectors, x.Embeddings, x.Places, x.Run
		q, err := m.Bind(byslot.Spec("", made, nil))
		require.NoError(t, err)
		b := byslot.Args(scq.Bindings{Constants: []graph.EntityID{3}, Relations: []graph.RelationID{0, 2, 4}})
		// A context that permits this many checks: the plan checks at least once per sweep, or once per embedding.
		for looks := range 4 {
			ctx := &limited{Context: context.Background(), left: looks}
			err := q.Each(ctx, []runtime.Args{b}, nil, func(int, *runtime.Run) error {
				t.Errorf("a plan that was cancelled after %d looks has an answer", looks)
				return nil
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("after %d looks: error is %v", looks, err)
			}
		}
		if err := q.Each(context.Background(), []runtime.Args{b}, nil, func(int, *runtime.Run) error { return nil }); err != nil {
			t.Errorf("the same query after cancellations: %v", err)
		}
	}
}

// limited is a context that ends after a number of checks.
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
