package ir_test

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/plantext"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// TestParse checks that Parse inverts String: the same plan in every field but origins, before and after the
// passes.
func TestParse(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		for _, p := range drawPlans(t) {
			text := p.String()
			q, err := plantext.Parse(text)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if !equal(p, q) {
				t.Fatalf("plan\n%s\nreads back as\n%s", text, q)
			}
			if err := q.Verify(); err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
		}
	})
}

// drawPlans compiles a random query: the plan as lowered, and after the passes.
func drawPlans(t *rapid.T) []*ir.Plan {
	t.Helper()
	o := plantest.Options{Entities: 4, Relations: 3}
	if rapid.Bool().Draw(t, "template") {
		o.Name = "T"
	}
	d := plantest.Formula(t, o).Normal
	c, err := stages.Compile(lower.NewShape(d), stages.Options{Semantics: model.NSMP})
	require.NoError(t, err)
	mixed, _, err := lower.Mixed(c.Shape, 0)
	require.NoError(t, err)
	return []*ir.Plan{c.Lowered, c.Optimized, lower.FIT(c.Shape), mixed}
}

// equal compares plans field by field, following pointers; nil and empty lists are equal.
func equal(p, q *ir.Plan) bool {
	if len(p.Values) != len(q.Values) || len(p.Sets) != len(q.Sets) {
		return false
	}
	ids := map[*ir.Value]int{nil: -1}
	for i := range p.Values {
		ids[p.Values[i]], ids[q.Values[i]] = i, i
	}
	for i, v := range p.Values {
		w := *q.Values[i]
		if len(v.Args) != len(w.Args) {
			return false
		}
		for j, a := range v.Args {
			if ids[a] != ids[w.Args[j]] {
				return false
			}
		}
		w.Origin = v.Origin // omitted from the text
		if w.Args = v.Args; !reflect.DeepEqual(*v, w) {
			return false
		}
	}
	for i, s := range p.Sets {
		r := q.Sets[i]
		if s.Disjunct != r.Disjunct || s.Variable != r.Variable || ids[s.Value] != ids[r.Value] {
			return false
		}
	}
	return p.Shape == q.Shape && p.Constants == q.Constants && p.Relations == q.Relations && p.Filters == q.Filters &&
		reflect.DeepEqual(p.Layers, q.Layers) && ids[p.Answer] == ids[q.Answer]
}

// TestClone checks that a clone is equal, and independent.
func TestClone(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		p := drawPlans(t)[1]
		text := p.String()
		q := p.Clone()
		if !equal(p, q) {
			t.Fatalf("the clone of\n%s\nis\n%s", p, q)
		}
		for _, v := range q.Values {
			v.Op, v.Rel, v.Note = ir.Max, 99, "changed"
			clear(v.Args)
		}
		clear(q.Layers)
		clear(q.Sets)
		if p.String() != text {
			t.Fatalf("changing the clone changed the plan\n%s\nto\n%s", text, p)
		}
	})
}

const goodPlan = `plan "x"
constants 1
relations 1
layers 1
v0:vec = onehot s1 ; a note
answer v0
set 0 e1 v0
`

func TestParseErrors(t *testing.T) {
	if _, err := plantext.Parse(goodPlan); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{`plan "x"`, `plan x`, `line 1: shape x is not a quoted string`},
		{"constants 1", "constants one", `line 2: "one" is not a number`},
		{"constants 1", "constants -1", `line 2: "-1" is not a number`},
		{"constants 1", "constants", `line 2: cannot read "constants"`},
		{"relations 1", "filters x", `line 3: "x" is not a number`},
		{"relations 1", "relation 1", `line 3: cannot read "relation 1"`},
		{"layers 1", "layers x", `line 4: "x" is not a number`},
		{"v0:vec = onehot s1", "v1:vec = onehot s1", `line 5: value is named "v1", want "v0"`},
		{"v0:vec = onehot s1", "v0:emb = onehot s1", `line 5: onehot has type "emb", want "vec"`},
		{"v0:vec = onehot s1", "v0 = onehot s1", `line 5: onehot has type "", want "vec"`},
		{"v0:vec = onehot s1", "v0:vec*2 = onehot s1", `line 5: onehot has type "vec*2", want "vec"`},
		{"onehot s1", "twohot s1", `line 5: unknown op "twohot"`},
		{"onehot s1", "onehot s0", `line 5: "s0" is not a slot`},
		{"onehot s1", "onehot r1", `line 5: onehot takes no "r1"`},
		{"onehot s1", "onehot p1", `line 5: onehot takes no "p1"`},
		{"onehot s1", "factors p0", `line 5: "p0" is not a slot`},
		{"onehot s1", "onehot s1 backward", `line 5: onehot takes no "backward"`},
		{"onehot s1", "onehot s1 negated", `line 5: onehot takes no "negated"`},
		{"onehot s1", "onehot s1 @1", `line 5: onehot takes no "@1"`},
		{"onehot s1", "loopscore r1 @", `line 5: "" is not a number`},
		{"onehot s1", "loopscore r1 @x", `line 5: "x" is not a number`},
		{"onehot s1", "loopscore r1 @-1", `line 5: "-1" is not a number`},
		{"onehot s1", "softmax v0", `line 5: no value "v0" above this line`},
		{"v0:vec = onehot s1 ", "", `line 5: nothing before the note`},
		{"answer v0", "", `plan has no answer`},
		{"answer v0", "answer v1", `line 6: no value "v1"`},
		{"answer v0", "answer -", `line 6: no value "-"`},
		{"set 0 e1 v0", "set x e1 v0", `line 7: "x" is not a number`},
		{"set 0 e1 v0", "set 0 e1 v7", `line 7: no value "v7"`},
		{"set 0 e1 v0", "set 0 e1", `line 7: cannot read "set 0 e1"`},
	} {
		text := strings.Replace(goodPlan, c.old, c.new, 1)
		if _, err := plantext.Parse(text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q for %q gives error %v, want %s", c.new, c.old, err, c.want)
		}
	}
}

// FuzzParsePlan checks that Parse and Verify survive any text, and that printing a parsed plan is idempotent.
func FuzzParsePlan(f *testing.F) {
	f.Add(goodPlan)
	for _, op := range ir.Ops() {
		for _, text := range opTexts(op) {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := plantext.Parse(text)
		if err != nil {
			return
		}
		printed := p.String()
		q, err := plantext.Parse(printed)
		if err != nil {
			t.Fatalf("%q\nprints as\n%s\nwhich does not read back: %v", text, printed, err)
		}
		if again := q.String(); again != printed {
			t.Fatalf("prints as\n%s\nthen as\n%s", printed, again)
		}
		if p.Verify() == nil && q.Verify() != nil {
			t.Fatalf("verifies before printing, not after:\n%s", printed)
		}
	})
}
