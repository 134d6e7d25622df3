package ir_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/testdata/plantext"
	"github.com/efoc/efoc/testdata/require"
)

// replicated reports whether values of a space are the same on all machines if the entities are split. The
// others are distributed.
func replicated(s ir.Space) bool {
	return slices.Contains([]ir.Space{ir.Embedding, ir.Candidates, ir.Branches, ir.Number}, s)
}

// TestOps checks each row of the op table: it is complete, and a value of the op with any of its attributes
// prints, parses back and verifies.
func TestOps(t *testing.T) {
	names := map[string]bool{}
	for _, op := range ir.Ops() {
		info := op.Info()
		if info.Name == "" || info.Formula == "" || info.Result.String() == "invalid" {
			t.Errorf("op %d: the row %+v is not filled in", op, info)
		}
		if names[info.Name] {
			t.Errorf("two ops are named %s", info.Name)
		}
		names[info.Name] = true
		if op.String() != info.Name {
			t.Errorf("op %s prints as %s", info.Name, op)
		}
		if info.Commutes && (len(info.Args) != 2 || info.Args[0] != info.Args[1]) {
			t.Errorf("%s commutes, but its operands are %v", op, info.Args)
		}
		if info.Variadic && len(info.Args) == 0 {
			t.Errorf("%s repeats an operand that it has not", op)
		}
		checkFacts(t, op)
		for _, text := range opTexts(op) {
			p, err := plantext.Parse(text)
			if err != nil {
				t.Errorf("%v\n%s", err, text)
				continue
			}
			if err := p.Verify(); err != nil {
				t.Errorf("%v\n%s", err, text)
			}
			if got := p.String(); got != text {
				t.Errorf("plan\n%s\nprints as\n%s", text, got)
			}
		}
	}
	if len(ir.Ops()) == 0 || ir.Invalid.Info().Name != "" || ir.Invalid.String() != "invalid" || ir.Op(200).String() != "invalid" || ir.Op(200).Info().Name != "" {
		t.Error("an unknown op has a name")
	}
	if ir.Space(0).String() != "invalid" {
		t.Error("an unknown space has a name")
	}
}

// checkFacts checks that the properties of an op agree with its spaces.
func checkFacts(t *testing.T, op ir.Op) {
	t.Helper()
	info := op.Info()
	plain := func(s ir.Space) bool { return s == ir.Embedding || s == ir.Entities || s == ir.Number }
	for _, fact := range []struct {
		name      string
		has, fits bool
	}{
		{"reads or makes what only truth degrees have", !plain(info.Result) || slices.ContainsFunc(info.Args, func(s ir.Space) bool { return !plain(s) }), info.Degrees},
		{"makes rows", info.Rows, info.Degrees && info.Sweeps == 1 && info.Rel && !plain(info.Result)},
		{"makes rows of a relation in a sweep", info.Degrees && info.Sweeps > 0, info.Rows},
		{"makes raw scores", info.Raw, info.Result == ir.Entities && info.Sweeps == 1},
		{"reduces a vector", info.Result == ir.Number, slices.Equal(info.Args, []ir.Space{ir.Entities}) && info.Sweeps == 0 && !info.InPlace},
		{
			"makes what all machines know of what each has a part of",
			replicated(info.Result) && op != ir.Estimate && slices.ContainsFunc(info.Args, func(s ir.Space) bool { return !replicated(s) }),
			info.Exchanges,
		},
		{"exchanges something", info.Exchanges, len(info.Args) > 0 && !info.Rows},
		{"needs no buffer", info.Stored, plain(info.Result) && len(info.Args) == 0 && info.Sweeps == 0},
		{"works in place", info.InPlace, info.Result == ir.Entities && slices.Contains(info.Args, ir.Entities) && !slices.Contains(info.Args, ir.Embedding) && info.Sweeps == 0},
		{"consumes an operand", info.Consumes, !info.InPlace && len(info.Args) == 2 && info.Args[1] == info.Result},
	} {
		if fact.has && !fact.fits {
			t.Errorf("%s %s, which does not agree with the rest of its row: %+v", op, fact.name, info)
		}
	}
}

// opTexts returns plans with a value of an op, one for each choice of attributes and number of operands.
func opTexts(op ir.Op) []string {
	info := op.Info()
	counts := []int{len(info.Args)}
	switch {
	case op == ir.Correct: // of one or two estimates
		counts = append(counts, len(info.Args)+1)
	case info.Variadic:
		counts = append(counts, len(info.Args)+3)
	}
	var texts []string
	for _, count := range counts {
		for flags := range 8 {
			back, neg, swept := flags&1 != 0, flags&2 != 0, flags&4 != 0
			if back && !info.Dir || neg && !info.Neg || swept && info.Sweeps == 0 {
				continue
			}
			line := "v9:" + info.Result.String() + " = " + info.Name + operands(op, count)
			for _, part := range []struct {
				has  bool
				text string
			}{{info.Const, " s2"}, {info.Rel, " r2"}, {info.Filter, " p2"}, {info.Index, " #3"}, {back, " backward"}, {neg, " negated"}, {swept, " @7"}} {
				if part.has {
					line += part.text
				}
			}
			end := "\nv10:vec = onehot s1\nanswer v10\n"
			if info.WholeSweeps > 0 { // it must be the last value
				end = "\nanswer v9\n"
			}
			texts = append(texts, "plan \"x\"\nconstants 2\nrelations 2\nfilters 2\nlayers 1\n"+
				"v0:emb = entity s1\nv1:vec = onehot s1\nv2:emb = estimate v1\nv3:emb = estimate v1 v1 @2\n"+
				"v4:deg = any\nv5:cand = best v4\nv6:rows = rows v5 r1 #0\nv7:branch = root\nv8:num = sum v1\n"+
				line+end)
		}
	}
	return texts
}

// operands names operands for an op: a value of each space, and the estimates v2 and v3 for a correction.
func operands(op ir.Op, count int) string {
	info := op.Info()
	of := map[ir.Space]string{
		ir.Embedding: " v0", ir.Entities: " v1", ir.Degrees: " v4", ir.Candidates: " v5", ir.AtomRows: " v6", ir.Branches: " v7", ir.Number: " v8",
	}
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

// TestLastUses checks the last uses of values: by one value, by two, after the end, never.
func TestLastUses(t *testing.T) {
	p, err := plantext.Parse(`plan "x"
constants 1
relations 1
layers 1
v0:vec = onehot s1
v1:vec = softmax v0
v2:vec = normalize v1
v3:vec = mul v0 v1 v1
v4:vec = scalesum v2
answer v2
set 0 e1 v3
`)
	require.NoError(t, err)
	last := p.LastUses()
	for i, want := range []int{3, 3, 5, 5} {
		if got, ok := last[p.Values[i]]; !ok || got != want {
			t.Errorf("v%d is last read by v%d (%v), want v%d", i, got, ok, want)
		}
	}
	if _, ok := last[p.Values[4]]; ok {
		t.Error("v4 is read")
	}
}

// TestSweeps checks the cost of a plan: values that share a sweep of the table count once.
func TestSweeps(t *testing.T) {
	p, err := plantext.Parse(strings.TrimSpace(`
plan "x"
constants 1
relations 1
layers 1
v0:emb = entity s1
v1:vec = score v0
v2:emb = entity s1
v3:vec = score v2
v4:vec = onehot s1
v5:vec = score v0 @1
v6:vec = cosine v0 @1
v7:emb = embed v4 @1
v8:emb = estimate v5 v4 @1
v9:vec = loopscore r1 @3
answer v4
`))
	require.NoError(t, err)
	if got := p.Sweeps(); got != 4 {
		t.Errorf("%d sweeps, want 4", got)
	}
	if n := p.Count(); n[ir.Entity] != 2 || n[ir.Score] != 3 || n[ir.Estimate] != 1 || n[ir.OneHot] != 1 || n[ir.Mul] != 0 {
		t.Errorf("counts are %v", n)
	}
}
