package compiler_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/expected"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// TestRewritten asks random formulas as drawn and rewritten: atoms and paths inverted with ^-1, inequalities with swapped
// sides, operands reordered, variables renamed. The answers are bit-identical under every semantics, even if truth
// degrees are bounded. Only if a disjunct has an atom twice may the copies that it shares with others, and thus the shape
// or its slots, depend on the order: then answers may differ by rounding.
func TestRewritten(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		const n, relations = 12, 3
		m := plantest.Model(t, n, relations, 3)
		q := plantest.Formula(t, plantest.Options{Entities: n, Relations: relations})
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "writing"), 1))
		other := &lang.Query{Free: "answer", Formula: rewritten(q.Formula, map[string]string{q.Free: "answer"}, rng)}
		require.NoError(t, other.Normalize())
		semantics := rapid.SampledFrom([]model.Semantics{model.NSMP, model.FIT, model.Mixed}).Draw(t, "semantics")
		s := m.Settings()
		s.Degrees = model.DefaultDegrees()
		s.Degrees.Candidates = rapid.SampledFrom([]int{1, 3, n}).Draw(t, "candidates")
		one, a := scores(t, m, q, semantics, s)
		two, b := scores(t, m, other, semantics, s)
		what, same := "", one.Shape().Key == two.Shape().Key && slices.Equal(one.Shape().Constants, two.Shape().Constants) &&
			slices.Equal(one.Shape().Relations, two.Shape().Relations)
		switch {
		case same && !slices.Equal(a, b):
			what = "another answer to the same shape with the same names"
		case !same && (s.Degrees.Candidates == n || semantics == model.NSMP):
			what = differs(t, one, s, b)
		}
		if what != "" {
			t.Fatalf("%s\nof shape %s answers %v\n%s\nof shape %s answers %v: %s", q, one.Shape().Key, a, other, two.Shape().Key, b, what)
		}
	})
}

// differs returns the difference between an answer and the interpreter's, "" if it is only rounding.
func differs(t *rapid.T, p *compiler.Prepared, s model.Settings, answer []float32) string {
	t.Helper()
	m := p.Model().Bundle()
	want, err := expected.Of(t.Context(), p.Compiled().Lowered, m, s, p.PartBindings(0, nil), 1)
	require.NoError(t, err)
	what, err := want.Compare(t.Context(), m, append([][]float32{answer}, want.Want[1:]...))
	require.NoError(t, err)
	return what
}

// scores prepares a query and returns a score for each entity.
func scores(t *rapid.T, m *runtime.Model, q *lang.Query, semantics model.Semantics, s model.Settings) (p *compiler.Prepared, out []float32) {
	t.Helper()
	p, err := compiler.Prepare(m, q, compiler.Options{Semantics: new(semantics)})
	require.NoError(t, err)
	b, err := p.Args(nil)
	require.NoError(t, err)
	err = p.Each(t.Context(), []runtime.Args{b}, &s, func(_ int, r *runtime.Run) error {
		answer := r.Scores()
		out = slices.Clone(answer)
		return nil
	})
	require.NoError(t, err)
	return p, out
}

// rewritten returns an equivalent formula; names renames the variables in scope.
func rewritten(f ast.Formula, names map[string]string, rng *rand.Rand) ast.Formula {
	operands := func(args []ast.Formula) []ast.Formula {
		out := make([]ast.Formula, len(args))
		for i, j := range rng.Perm(len(args)) {
			out[i] = rewritten(args[j], names, rng)
		}
		return out
	}
	term := func(t ast.Term) ast.Term {
		if t.Kind == ast.Variable {
			t.Name = names[t.Name]
		}
		return t
	}
	switch f := f.(type) {
	case *ast.And:
		return &ast.And{Args: operands(f.Args)}
	case *ast.Or:
		return &ast.Or{Args: operands(f.Args)}
	case *ast.Not:
		return &ast.Not{Arg: rewritten(f.Arg, names, rng)}
	case *ast.Exists:
		var vars []ast.Term
		for _, v := range f.Vars {
			names[v.Name] = fmt.Sprint("v", rng.IntN(1000), v.Name)
			vars = append(vars, term(v))
		}
		return &ast.Exists{Vars: vars, Body: rewritten(f.Body, names, rng)}
	case *ast.Atom:
		a := &ast.Atom{Relation: f.Relation, Head: term(f.Head), Tail: term(f.Tail)}
		if rng.IntN(2) == 0 {
			a.Relation.Inverse = !a.Relation.Inverse
			a.Head, a.Tail = a.Tail, a.Head
		}
		return a
	case *ast.Path:
		p := &ast.Path{Least: f.Least, Most: f.Most, Head: term(f.Head), Tail: term(f.Tail)}
		from := rng.IntN(2) == 0
		for _, i := range rng.Perm(len(f.Relations)) {
			r := f.Relations[i]
			r.Inverse = r.Inverse != from
			p.Relations = append(p.Relations, r)
		}
		if from {
			p.Head, p.Tail = p.Tail, p.Head
		}
		return p
	case *ast.Unequal:
		u := &ast.Unequal{Left: term(f.Left), Right: term(f.Right)}
		if rng.IntN(2) == 0 {
			u.Left, u.Right = u.Right, u.Left
		}
		return u
	case *ast.Filter:
		return &ast.Filter{Condition: f.Condition, Subject: term(f.Subject)}
	}
	panic("unknown formula")
}

// TestWitnessAsWritten checks that a witness has each atom in the direction of the query.
func TestWitnessAsWritten(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	p, err := compiler.Prepare(m, `exists x. borders(x, "France") & official_language^-1(y, x) & !borders("Spain", x)`, compiler.Options{})
	require.NoError(t, err)
	german, err := m.Entity("German")
	require.NoError(t, err)
	b, err := p.Args(nil)
	require.NoError(t, err)
	w, err := p.Why(t.Context(), b, runtime.Options{Settings: &p.Settings}, german.ID())
	if err != nil || len(w) != 1 || len(w[0].Values) != 1 {
		t.Fatalf("%v, witnesses %+v", err, w)
	}
	x := w[0].Values[0].Name
	want := map[string][2]string{"borders": {x, "France"}, "official_language^-1": {"German", x}, "!borders": {"Spain", x}}
	for _, a := range w[0].Atoms {
		name := a.Relation
		if a.Negated {
			name = "!" + name
		}
		if ends, ok := want[name]; !ok || ends != [2]string{a.Head.Name, a.Tail.Name} || a.Observed == a.Negated {
			t.Errorf("the witness %s has the atom %s(%s, %s), observed: %v", x, name, a.Head.Name, a.Tail.Name, a.Observed)
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("the witness lacks %v", want)
	}
}
