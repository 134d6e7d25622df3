package reference

import (
	"testing"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/modeltest"
)

// tiny is a model of three entities with embeddings 1+2i, 3+4i and 0, and one
// relation, whose embedding is i; its facts are (0,0), (0,1) and (2,0). The
// inverse has the embedding 1.
func tiny(t *testing.T) *model.Model {
	t.Helper()
	return modeltest.New(t, modeltest.Spec{
		Entities: 3, Relations: 1, Facts: []model.Triple{{Head: 0, Tail: 0}, {Head: 0, Tail: 1}, {Head: 2, Tail: 0}},
		Rows: []float32{1, 2, 3, 4, 0, 0}, RelationRows: []float32{0, 1, 1, 0},
	})
}

// TestOps checks each op on numbers worked out by hand, with ε = 0.1, α = 1.5
// and λ = 0.25; slots s1 and s2 are entities 0 and 2, r1 and r2 the relation and
// its inverse. Operands are told apart for estimates alone.
func TestOps(t *testing.T) {
	mc := &machine{
		kept:     Kept{Vectors: [][]float32{{1, 2, 3}, {4, 5, 6}}, Embeddings: [][]float32{{7, 8}}},
		model:    tiny(t),
		settings: model.Settings{Lambda: 0.25, Alpha: 1.5, Weight: 0.25, Epsilon: 0.1},
		bindings: scq.Bindings{Constants: []model.EntityID{0, 2}, Relations: []model.RelationID{0, 1}},
	}
	type x = []float32
	old, score, loop, other := &ir.Value{Op: ir.Score, Sweep: 1}, &ir.Value{Op: ir.Score, Sweep: 2}, &ir.Value{Op: ir.LoopScore, Sweep: 2}, &ir.Value{Op: ir.Normalize}
	estimate := func(args ...*ir.Value) ir.Value { return ir.Value{Op: ir.Estimate, Sweep: 2, Args: args} }
	const log2 = 0.693147181
	seen := map[ir.Op]bool{}
	for _, c := range []struct {
		op   ir.Value
		args []x
		want x
	}{
		{ir.Value{Op: ir.Entity}, nil, x{1, 2}},
		{ir.Value{Op: ir.Entity, Const: 1}, nil, x{0, 0}},
		{ir.Value{Op: ir.OneHot, Const: 1}, nil, x{0, 0, 1}},
		{ir.Value{Op: ir.Neighbors}, nil, x{1, 1, 0}},
		{ir.Value{Op: ir.Neighbors, Backward: true}, nil, x{1, 0, 1}},
		{ir.Value{Op: ir.Neighbors, Rel: 1}, nil, x{1, 0, 1}},
		{ir.Value{Op: ir.LoopScore}, nil, x{0, 0, 0}}, // i·z is orthogonal to z
		{ir.Value{Op: ir.LoopScore, Rel: 1}, nil, x{5, 25, 0}},
		{ir.Value{Op: ir.LoopScore, Rel: 1, Negated: true}, nil, x{-5, -25, 0}},
		{ir.Value{Op: ir.Loops}, nil, x{1, 0, 0}},
		{ir.Value{Op: ir.Ends}, nil, x{1, 0, 1}},
		{ir.Value{Op: ir.Ends, Backward: true}, nil, x{1, 1, 0}},
		{ir.Value{Op: ir.KeptVec, Index: 1}, nil, x{4, 5, 6}},
		{ir.Value{Op: ir.KeptEmb}, nil, x{7, 8}},
		{ir.Value{Op: ir.Project}, []x{{1, 2}}, x{-2, 1}},
		{ir.Value{Op: ir.Project, Backward: true}, []x{{1, 2}}, x{2, -1}},
		{ir.Value{Op: ir.Project, Negated: true}, []x{{1, 2}}, x{2, -1}},
		{ir.Value{Op: ir.Project, Backward: true, Negated: true}, []x{{1, 2}}, x{-2, 1}},
		{ir.Value{Op: ir.Project, Rel: 1}, []x{{1, 2}}, x{1, 2}},
		{ir.Value{Op: ir.Score}, []x{{1, 2}}, x{5, 11, 0}},
		{ir.Value{Op: ir.Softmax}, []x{{7, 7, 7}}, x{1. / 3, 1. / 3, 1. / 3}},
		{ir.Value{Op: ir.Softmax}, []x{{1000, 1000, -1000}}, x{0.5, 0.5, 0}},
		{ir.Value{Op: ir.Traverse}, []x{{0.5, 0, 1}}, x{1.5, 0.5, 0}},
		{ir.Value{Op: ir.Traverse, Backward: true}, []x{{0.5, 3, 1}}, x{3.5, 0, 0.5}},
		{ir.Value{Op: ir.Elsewhere}, []x{{0.25, 0, 1}}, x{0.75, 1, 0}},
		{ir.Value{Op: ir.Complement}, []x{{0.5, 0, 1}}, x{0, 0.5, -0.5}},
		{ir.Value{Op: ir.Normalize}, []x{{0.5, 0.05, 1}}, x{1. / 3, 0, 2. / 3}},
		{ir.Value{Op: ir.Normalize}, []x{{0.5, -1, 1}}, x{1. / 3, 0, 2. / 3}},
		{ir.Value{Op: ir.Normalize}, []x{{0, -1, 0.09}}, x{0, 0, 0}},
		{ir.Value{Op: ir.Blend}, []x{{1, 2, 3}, {4, 5, -6}}, x{3.5, 5.5, 1.5}},
		{ir.Value{Op: ir.Mul}, []x{{1, 2, 3}, {4, 5, -6}}, x{4, 10, -18}},
		{ir.Value{Op: ir.Mul}, []x{{1, 2, 3}, {4, 5, -6}, {2, 0, 1}, {1, 1, 2}}, x{8, 0, -36}},
		{ir.Value{Op: ir.Embed}, []x{{1, 0.5, 100}}, x{2.5, 4}},
		{estimate(score), []x{{7, 7, 7}}, x{4, 6}},
		{estimate(score), []x{{log2 - 80, -80, 0}}, x{0, 0}}, // all but the zero row underflow
		{estimate(loop), []x{{log2, 0, -80}}, x{2.5, 4}},
		{estimate(score, loop), []x{{log2, 0, 0}, {log2, 0, -1}}, x{1.75, 3}},
		{estimate(score, other), []x{{1000, 1000, -1000}, {1, 0.5, 100}}, x{2.5, 4}},
		{estimate(other, loop, other), []x{{1, 1, 1}, {5, 5, 5}, {0, 0.5, 3}}, x{1.5, 2}},
		{estimate(score, old), []x{{5, 5, 5}, {1, 0.5, 100}}, x{2.5, 4}}, // a score of another sweep is a factor
		{estimate(other), []x{{1, 0.5, 100}}, x{2.5, 4}},
		{ir.Value{Op: ir.Correct}, []x{{1, 0.5, 100}, {9, 9}}, x{2.5, 4}},
		{ir.Value{Op: ir.Correct}, []x{{1, 0.5, 100}, {9, 9}, {-7, 7}}, x{2.5, 4}},
		{ir.Value{Op: ir.Cosine}, []x{{2, 4}}, x{1, 0.983869910, 0}}, // 11/(√5·5)
		{ir.Value{Op: ir.Cosine}, []x{{0, 0}}, x{0, 0, 0}},
		{ir.Value{Op: ir.Mix}, []x{{1, 0, 2}, {0, 1, 2}}, x{0.25, 0.75, 2}},
		{ir.Value{Op: ir.Readout}, []x{{1, 0, 0}, {0, 0}}, x{0.5, 0.25, 0.25}},
		{ir.Value{Op: ir.Readout}, []x{{1, 0, 0}, {2, 4}}, x{0.568893991, 0.313791465, 0.117314543}}, // a quarter, and exp(cos) / 6.393
		{ir.Value{Op: ir.ScaleMax}, []x{{2, 0, 0.5}}, x{1, 0, 0.25}},
		{ir.Value{Op: ir.ScaleMax}, []x{{0, 0, 0}}, x{0, 0, 0}},
		{ir.Value{Op: ir.ScaleSum}, []x{{2, 0, 0.5}}, x{0.8, 0, 0.2}},
		{ir.Value{Op: ir.ScaleSum}, []x{{0, 0, 0}}, x{0, 0, 0}},
		{ir.Value{Op: ir.Max}, []x{{1, 2, 3}, {4, 5, -6}}, x{4, 5, 3}},
		{ir.Value{Op: ir.Max}, []x{{1, 2, 3}, {4, 5, -6}, {0, 9, 9}}, x{4, 9, 9}},
		{ir.Value{Op: ir.Share}, []x{{1, 0, 1}, {1, 4}}, x{0.25, 0.0919698603, 0.25}}, // numbers are a top and a sum here
		{ir.Value{Op: ir.Cut}, []x{{0.5, 0.05, 1}, {0, 2}}, x{0.25, 0, 0.5}},
		{ir.Value{Op: ir.Cut}, []x{{0.5, 0.05, 1}, {0, 0.01}}, x{5, 0, 10}},
		{ir.Value{Op: ir.Over}, []x{{2, 0, 0.5}, {0, 4}}, x{0.5, 0, 0.125}},
		{ir.Value{Op: ir.Over}, []x{{2, 0, 0.5}, {0, 0}}, x{0, 0, 0}},
		{ir.Value{Op: ir.SumExp}, []x{{1000, 1000, -1000}}, x{1000, 2}},
		{ir.Value{Op: ir.SumCut}, []x{{0.5, 0.05, 1}}, x{0, 1.5}},
		{ir.Value{Op: ir.Sum}, []x{{2, -1, 0.5}}, x{0, 1.5}},
		{ir.Value{Op: ir.Largest}, []x{{-2, -1, -1.5}}, x{0, -1}},
	} {
		v := c.op
		seen[v.Op] = true
		mc.results = map[*ir.Value]any{}
		v.Args = make([]*ir.Value, len(c.args))
		for i, a := range c.args {
			arg := ir.Value{}
			if c.op.Args != nil {
				arg = *c.op.Args[i]
			}
			v.Args[i] = &arg
			if spaces := c.op.Op.Info().Args; spaces[min(i, len(spaces)-1)] == ir.Number {
				mc.results[&arg] = number{top: float64(a[0]), of: float64(a[1])}
				continue
			}
			mc.results[&arg] = a
		}
		result, err := mc.eval(&v)
		if err != nil {
			t.Errorf("%s: %v", v.Op, err)
			continue
		}
		if n, ok := result.(number); ok {
			result = x{float32(n.top), float32(n.of)}
		}
		got := result.(x)
		for i, w := range c.want {
			if d := got[i] - w; len(got) != len(c.want) || !(d <= 1e-6 && d >= -1e-6) {
				t.Errorf("%s %v (backward %v, negated %v) is %v, want %v", v.Op, c.args, v.Backward, v.Negated, got, c.want)
				break
			}
		}
	}
	for _, op := range ir.Ops() {
		if seen[op] == (degreeOps[op] != nil) {
			t.Errorf("%s is not checked, or has two loops", op)
		}
	}
	if _, err := mc.eval(&ir.Value{Op: ir.Invalid}); err == nil {
		t.Error("an unknown op is executed")
	}
}
