package ir_test

import (
	"strings"
	"testing"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/testdata/plantext"
	"github.com/efoc/efoc/testdata/require"
)

const verifiable = `plan "x"
constants 1
relations 1
layers 2
v0:emb = entity s1
v1:emb = project v0 r1
v2:vec = score v1
v3:vec = softmax v2
v4:vec = mul v3 v3 v3
v5:vec = blend v3 v4
answer v5
set 0 e1 v3
`

const degrees = `plan "x"
constants 1
relations 1
layers 0
v0:deg = row s1 r1 #0
v1:cand = best v0
v2:rows = rows v1 r1 #1
v3:branch = root
v4:branch = branch v0 v1 v3 v2 #1
v5:deg = push v0 v2 v2 #1
v6:vec = dense v5
answer v6
`

const sweeping = `plan "x"
constants 1
relations 1
layers 2
v0:emb = entity s1
v1:vec = score v0 @1
v2:vec = loopscore r1 @1
v3:emb = estimate v1 v2 @1
v4:emb = estimate v1 @1
v5:vec = softmax v1
v6:vec = mul v5 v2
v7:emb = correct v6 v3 v4
v8:vec = score v7 @2
v9:vec = cosine v7 @2
answer v9
`

const distributed = `plan "x"
constants 1
relations 1
layers 2
v0:vec = neighbors s1 r1
v1:emb = embed v0 @1
v2:vec = normalize v0 ^1
v3:vec = softmax v0 ^1
v4:vec = mul v2 v3
v5:vec = normalize v4 ^2
v6:deg = any
v7:cand = best v6 ^2
v8:vec = cosine v1
answer v5
`

// TestVerifyErrors breaks plans in every way and checks the errors.
func TestVerifyErrors(t *testing.T) {
	type breach struct {
		want   string
		breaks func(p *ir.Plan)
	}
	for text, breaches := range map[string][]breach{
		verifiable: {
			{"v0 (invalid): unknown op", func(p *ir.Plan) { p.Values[0].Op = ir.Invalid }},
			{"unknown op 200", func(p *ir.Plan) { p.Values[0].Op = 200 }},
			{"v5 (blend): has 1 operands, want 2", func(p *ir.Plan) { p.Values[5].Args = p.Values[5].Args[:1] }},
			{"v5 (blend): has 3 operands, want 2", func(p *ir.Plan) { p.Values[5].Args = append(p.Values[5].Args, p.Values[3]) }},
			{"v4 (mul): has 1 operands, want 2", func(p *ir.Plan) { p.Values[4].Args = p.Values[4].Args[:1] }},
			{"v3 (softmax): has 0 operands", func(p *ir.Plan) { p.Values[3].Args = nil }},
			{"v0 (entity): has 1 operands, want 0", func(p *ir.Plan) { p.Values[0].Args = []*ir.Value{p.Values[1]} }},
			{"operand 1 is missing", func(p *ir.Plan) { p.Values[5].Args[1] = nil }},
			{"v3 (softmax): operand 0 (blend) does not stand before it", func(p *ir.Plan) { p.Values[3].Args[0] = p.Values[5] }},
			{"v3 (softmax): operand 0 (softmax) does not stand before it", func(p *ir.Plan) { p.Values[3].Args[0] = p.Values[3] }},
			{"does not stand before it", func(p *ir.Plan) { p.Values[3].Args[0] = &ir.Value{Op: ir.OneHot} }},
			{"v3 (score): operand 0 is vec, want emb", func(p *ir.Plan) { score := p.Values[2]; score.Args[0] = vector(p) }},
			{"v3 (softmax): operand 0 is emb, want vec", func(p *ir.Plan) { p.Values[3].Args[0] = p.Values[1] }},
			{"v4 (mul): operand 2 is emb, want vec", func(p *ir.Plan) { p.Values[4].Args[2] = p.Values[1] }},
			{"v0 (entity): no constant slot 1", func(p *ir.Plan) { p.Values[0].Const = 1 }},
			{"no constant slot -1", func(p *ir.Plan) { p.Values[0].Const = -1 }},
			{"no constant slot 0", func(p *ir.Plan) { p.Constants = 0 }},
			{"v1 (project): no relation slot 1", func(p *ir.Plan) { p.Values[1].Rel = 1 }},
			{"no relation slot -1", func(p *ir.Plan) { p.Values[1].Rel = -1 }},
			{"v2 (score): has an attribute", func(p *ir.Plan) { p.Values[2].Const = 1 }},
			{"v2 (score): has an attribute", func(p *ir.Plan) { p.Values[2].Rel = 1 }},
			{"v2 (score): has an attribute", func(p *ir.Plan) { p.Values[2].Backward = true }},
			{"v2 (score): has an attribute", func(p *ir.Plan) { p.Values[2].Negated = true }},
			{"v2 (score): has an attribute", func(p *ir.Plan) { p.Values[2].Filter = 1 }},
			{"no filter slot 0", func(p *ir.Plan) { p.Values = append(p.Values, &ir.Value{Op: ir.Factors}) }},
			{"stands twice", func(p *ir.Plan) { p.Values = append(p.Values, p.Values[3]) }},
			{"answer: missing", func(p *ir.Plan) { p.Answer = nil }},
			{"answer: project is not a fuzzy vector", func(p *ir.Plan) { p.Answer = p.Values[1] }},
			{"answer: blend is not in the plan", func(p *ir.Plan) { p.Values = p.Values[:5] }},
			{"set of e1: missing", func(p *ir.Plan) { p.Sets[0].Value = nil }},
			{"set of e1: project is not a fuzzy vector", func(p *ir.Plan) { p.Sets[0].Value = p.Values[1] }},
			{"set of e1: onehot is not in the plan", func(p *ir.Plan) { p.Sets[0].Value = &ir.Value{Op: ir.OneHot} }},
			{"set of e1: no disjunct 1", func(p *ir.Plan) { p.Sets[0].Disjunct = 1 }},
			{"set of e1: no disjunct -1", func(p *ir.Plan) { p.Sets[0].Disjunct = -1 }},
		},
		degrees: {
			{"v2 (rows): operand 0 is deg, want cand", func(p *ir.Plan) { p.Values[2].Args[0] = p.Values[0] }},
			{"v4 (branch): operand 0 is cand, want deg", func(p *ir.Plan) { p.Values[4].Args[0] = p.Values[1] }},
			{"v4 (branch): operand 1 is rows, want cand", func(p *ir.Plan) { p.Values[4].Args[1] = p.Values[2] }},
			{"v4 (branch): operand 2 is deg, want branch", func(p *ir.Plan) { p.Values[4].Args[2] = p.Values[0] }},
			{"v5 (push): operand 0 is branch, want deg", func(p *ir.Plan) { p.Values[5].Args[0] = p.Values[4] }},
			{"v5 (push): operand 2 is deg, want rows", func(p *ir.Plan) { p.Values[5].Args[2] = p.Values[0] }},
			{"v5 (push): has 1 operands, want 2", func(p *ir.Plan) { p.Values[5].Args = p.Values[5].Args[:1] }},
			{"v5 (push): has an attribute", func(p *ir.Plan) { p.Values[5].Negated = true }},
			{"v5 (push): has an attribute", func(p *ir.Plan) { p.Values[5].Index = -1 }},
			{"v3 (root): has an attribute", func(p *ir.Plan) { p.Values[3].Index = 1 }},
			{"v1 (best): has an attribute", func(p *ir.Plan) { p.Values[1].Sweep = 1 }},
			{"v0 (row): no relation slot 1", func(p *ir.Plan) { p.Values[0].Rel = 1 }},
			{"v6 (dense): operand 0 is rows, want deg", func(p *ir.Plan) { p.Values[6].Args[0] = p.Values[2] }},
			{"answer: push is not a fuzzy vector", func(p *ir.Plan) { p.Answer = p.Values[5] }},
		},
		strings.Replace(distributed, "@1", "@1 ^1", 1): {
			{"v2 (normalize): has no exchange", func(p *ir.Plan) { p.Values[2].Exchange = 0 }},
			{"v1 (embed): has no exchange", func(p *ir.Plan) { p.Values[1].Exchange = 0 }},
			{"v4 (mul): has an attribute", func(p *ir.Plan) { p.Values[4].Exchange = 2 }},
			{"v2 (normalize): has an attribute", func(p *ir.Plan) { p.Values[2].Exchange = -1 }},
			{"v4 (mul): reads softmax before exchange 2", func(p *ir.Plan) { p.Values[3].Exchange = 2 }},
			{"v3 (softmax): exchange 2 is made before exchange 1", func(p *ir.Plan) {
				p.Values[5].Exchange, p.Values[7].Exchange, p.Values[3].Exchange = 1, 2, 2
				p.Values[7].Exchange, p.Values[5].Args = 1, p.Values[0:1]
				p.Values[4].Args = []*ir.Value{p.Values[0], p.Values[0]}
			}},
		},
		sweeping: {
			{"v4 (estimate): sweep 1 is not in one piece", func(p *ir.Plan) { p.Values[3].Sweep = 0 }},
			{"v3 (estimate): sweep 1 is not in one piece", func(p *ir.Plan) { p.Values[2].Sweep = 2 }},
			{"v8 (score): sweep 1 is not in one piece", func(p *ir.Plan) { p.Values[8].Sweep = 1 }},
			{"v9 (cosine): sweep 1 is not in one piece", func(p *ir.Plan) { p.Values[9].Sweep = 1 }},
			{"v5 (softmax): has an attribute", func(p *ir.Plan) { p.Values[5].Sweep = 1 }},
			{"v7 (correct): has an attribute", func(p *ir.Plan) { p.Values[7].Sweep = 2 }},
			{"v1 (score): has an attribute", func(p *ir.Plan) { p.Values[1].Sweep = -1 }},
			{"v7 (correct): needs an estimate of its own", func(p *ir.Plan) { p.Values[7].Args[1] = p.Values[0] }},
			{"v7 (correct): needs an estimate of its own", func(p *ir.Plan) { p.Values[7].Args[2] = p.Values[3] }},
			{"v10 (correct): needs an estimate of its own", func(p *ir.Plan) {
				p.Values = append(p.Values, &ir.Value{Op: ir.Correct, Args: []*ir.Value{p.Values[6], p.Values[3]}})
			}},
			{"v7 (correct): takes at most two estimates", func(p *ir.Plan) {
				p.Values[7].Args = append(p.Values[7].Args, p.Values[3])
			}},
			{"v8 (score): reads an estimate that nothing corrected", func(p *ir.Plan) { p.Values[8].Args[0] = p.Values[3] }},
			{"v9 (embed): reads score of its own sweep", func(p *ir.Plan) {
				p.Values[9].Op, p.Values[9].Args[0], p.Answer = ir.Embed, p.Values[8], p.Values[8]
			}},
			{"v3 (estimate): reads cosine of its own sweep", func(p *ir.Plan) {
				p.Values[2].Op, p.Values[2].Args = ir.Cosine, []*ir.Value{p.Values[0]}
			}},
		},
	} {
		for _, c := range breaches {
			p, err := plantext.Parse(text)
			require.NoError(t, err)
			require.NoError(t, p.Verify())
			c.breaks(p)
			if err := p.Verify(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error is %v, want %s\n%s", err, c.want, p)
			}
		}
	}
}

// TestVerifyReadoutErrors checks that nothing follows or reads a readout, because the runtime may skip it.
func TestVerifyReadoutErrors(t *testing.T) {
	const text = "constants 1\nv0:emb = entity s1\nv1:vec = onehot s1\nv2:vec = readout v1 v0\n"
	for _, c := range []struct{ rest, want string }{
		{"answer v2\n", ""},
		{"answer v1\n", "v2 (readout): is not the answer, or not the last value"},
		{"v3:vec = onehot s1\nanswer v2\n", "v2 (readout): is not the answer, or not the last value"},
		{"v3:vec = scalesum v2\nanswer v3\n", "v2 (readout): is not the answer, or not the last value"},
		{"v3:vec = mixture v2 v1\nanswer v3\n", ""},
		{"v3:vec = mixture v1 v2\nanswer v3\n", "v2 (readout): is not the answer, or not the last value"},
		{"v3:vec = onehot s1\nv4:vec = mixture v2 v3\nanswer v4\n", "v2 (readout): is not the answer, or not the last value"},
	} {
		p, err := plantext.Parse(text + c.rest)
		require.NoError(t, err)
		err = p.Verify()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error is %v, want %q", c.rest, err, c.want)
		}
		if sweeps, whole := p.Sweeps(), p.WholeSweeps(); sweeps != 0 || whole != 1 {
			t.Errorf("%s: %d sweeps, %d for the whole answer, want 0 and 1", c.rest, sweeps, whole)
		}
	}
}

// vector inserts a fuzzy vector before all other values of a plan.
func vector(p *ir.Plan) *ir.Value {
	v := &ir.Value{Op: ir.OneHot}
	p.Values = append([]*ir.Value{v}, p.Values...)
	return v
}

// TestReplace checks that every use of a value is replaced.
func TestReplace(t *testing.T) {
	p, err := plantext.Parse(verifiable)
	require.NoError(t, err)
	p.Answer = p.Values[3]
	p.Replace(map[*ir.Value]*ir.Value{p.Values[3]: p.Values[2]})
	want := strings.NewReplacer("mul v3 v3 v3", "mul v2 v2 v2", "blend v3 v4", "blend v2 v4", "answer v5", "answer v2",
		"set 0 e1 v3", "set 0 e1 v2").Replace(verifiable)
	if got := p.String(); got != want {
		t.Errorf("plan is\n%s\nwant\n%s", got, want)
	}
}
