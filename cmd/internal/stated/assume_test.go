package stated_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/cmd/internal/stated"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/facts"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/values"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// plain is a graph as plain sets, which share no code with the model.
type plain struct {
	entities []string
	facts    map[[3]string]bool // head, relation, tail
	sizes    map[string]map[float64]bool
}

func (g *plain) clone() *plain {
	next := &plain{slices.Clone(g.entities), maps.Clone(g.facts), map[string]map[float64]bool{}}
	for e, all := range g.sizes {
		next.sizes[e] = maps.Clone(all)
	}
	return next
}

const size = 12 // entities

// draw returns a graph, and a model of it in a file.
func draw(t *testing.T, rng *rand.Rand) (*plain, string) {
	t.Helper()
	const rank = 4
	g := &plain{facts: map[[3]string]bool{}, sizes: map[string]map[float64]bool{}}
	spec := modeltest.Spec{Rank: rank, RelationNames: []string{"r", "s"}}
	attribute := values.AttributeValues{Name: "size", Kind: values.NumberKind}
	for e := range size {
		name := fmt.Sprint("e", e)
		g.entities = append(g.entities, name)
		g.sizes[name] = map[float64]bool{}
		for range rng.IntN(3) {
			x := float64(rng.IntN(9))
			if !g.sizes[name][x] {
				attribute.Values = append(attribute.Values, values.EntityValue{Entity: graph.EntityID(e), Number: x})
			}
			g.sizes[name][x] = true
		}
	}
	for range 3 * size {
		h, r, x := rng.IntN(size), rng.IntN(2), rng.IntN(size)
		g.facts[[3]string{g.entities[h], spec.RelationNames[r], g.entities[x]}] = true
		spec.Facts = append(spec.Facts, graph.Triple{Head: graph.EntityID(h), Relation: int32(r), Tail: graph.EntityID(x)})
	}
	spec.EntityNames = g.entities
	spec.Rows = modeltest.Normals(rng, 2*rank*size)
	spec.RelationRows = modeltest.Normals(rng, 2*rank*4)
	m, err := modeltest.New(t, spec).WithValues([]values.AttributeValues{attribute})
	require.NoError(t, err)
	return g, save(t, m)
}

// save writes a model to a new file.
func save(t *testing.T, m *model.Model) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "model.efoc")
	require.NoError(t, model.Save(t.Context(), path, m, nil))
	return path
}

func open(t *testing.T, path string) *runtime.Model {
	t.Helper()
	m, err := runtime.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	return m
}

// assumed draws formulas, the change that they state, and the graph after it.
func (g *plain) assumed(rng *rand.Rand) (formulas []string, change facts.Change, after *plain) {
	change = facts.Change{New: true, Replace: true}
	after = g.clone()
	stored := slices.SortedFunc(maps.Keys(g.facts), func(a, b [3]string) int { return slices.Compare(a[:], b[:]) })
	entity := func() string { return g.entities[rng.IntN(size)] }
	for range 1 + rng.IntN(3) {
		f := [3]string{entity(), []string{"r", "s"}[rng.IntN(2)], entity()}
		switch rng.IntN(5) {
		case 0:
			f = stored[rng.IntN(len(stored))]
			if slices.Contains(change.Add, f) {
				continue
			}
			change.Remove = append(change.Remove, f)
			formulas = append(formulas, fmt.Sprintf("!%s(%q, %q)", f[1], f[0], f[2]))
			delete(after.facts, f)
			continue
		case 1:
			x := float64(rng.IntN(9))
			if slices.ContainsFunc(change.Add, func(y facts.Fact) bool { return y[0] == f[0] && y[1] == "size" }) {
				continue
			}
			change.Add = append(change.Add, facts.Fact{f[0], "size", fmt.Sprint(x)})
			formulas = append(formulas, fmt.Sprintf("size(%q) = %v", f[0], x))
			after.sizes[f[0]] = map[float64]bool{x: true}
			continue
		case 2:
			f[0] = "new"
			if !slices.Contains(after.entities, "new") {
				after.entities = append(after.entities, "new")
			}
		}
		if slices.Contains(change.Remove, f) {
			continue
		}
		change.Add = append(change.Add, f)
		formulas = append(formulas, fmt.Sprintf("%s^-1(%q, %q)", f[1], f[2], f[0]))
		after.facts[f] = true
	}
	return formulas, change, after
}

// asked is a question with its known answers by definition.
type asked struct {
	formula string
	count   bool
	holds   func(g *plain, x, y string) bool // for one value of each variable
	rows    bool                             // x is an answer variable too
}

// some reports whether a claim holds of some x.
func some(holds func(g *plain, x, y string) bool) func(g *plain, _, y string) bool {
	return func(g *plain, _, y string) bool {
		return slices.ContainsFunc(g.entities, func(x string) bool { return holds(g, x, y) })
	}
}

func (g *plain) has(h, r, t string) bool { return g.facts[[3]string{h, r, t}] }

func (g *plain) over(e string, least float64) bool {
	for x := range g.sizes[e] {
		if x > least {
			return true
		}
	}
	return false
}

var questions = []asked{
	{formula: `r("e1", y)`, holds: func(g *plain, _, y string) bool { return g.has("e1", "r", y) }},
	{formula: `r("e1", y)`, count: true, holds: func(g *plain, _, y string) bool { return g.has("e1", "r", y) }},
	{formula: `s^-1("e2", y) | r("e3", y)`, holds: func(g *plain, _, y string) bool { return g.has(y, "s", "e2") || g.has("e3", "r", y) }},
	{formula: `r(y, "e4") & !s("e1", y)`, holds: func(g *plain, _, y string) bool { return g.has(y, "r", "e4") && !g.has("e1", "s", y) }},
	{formula: `exists x. r("e0", x) & s(x, y) & size(y) > 3`,
		holds: some(func(g *plain, x, y string) bool { return g.has("e0", "r", x) && g.has(x, "s", y) && g.over(y, 3) })},
	{formula: `exists x. r("e0", x) & r(x, y) & size(x) > 2 & y != "e5"`,
		holds: some(func(g *plain, x, y string) bool {
			return g.has("e0", "r", x) && g.has(x, "r", y) && g.over(x, 2) && y != "e5"
		})},
	{formula: `x, y: r("e0", x) & s(x, y)`, rows: true,
		holds: func(g *plain, x, y string) bool { return g.has("e0", "r", x) && g.has(x, "s", y) }},
	{formula: `exists x, y. r("e0", x) & s(x, y) & r(y, "e1")`,
		holds: some(func(g *plain, x, y string) bool {
			return g.has("e0", "r", x) && g.has(x, "s", y) && g.has(y, "r", "e1")
		})},
}

// known returns the known answers by definition: the rows of several variables, otherwise the values of y.
func (a *asked) known(g *plain) (list []string) {
	for _, y := range g.entities {
		if !a.rows && a.holds(g, "", y) {
			list = append(list, y)
		}
		for _, x := range g.entities {
			if a.rows && a.holds(g, x, y) {
				list = append(list, x+" "+y)
			}
		}
	}
	slices.Sort(list)
	return list
}

// ask returns the reply to a question.
func ask(t *testing.T, m *runtime.Model, formula string, count bool, s model.Semantics) *runtime.Reply {
	t.Helper()
	q, err := lang.ParseFormula(formula)
	require.NoError(t, err)
	if count {
		q.Wants = kind.Count
	}
	p, err := compiler.Prepare(m, q, compiler.Options{Semantics: &s})
	require.NoError(t, err)
	r, err := p.Ask(t.Context(), nil, runtime.Options{K: 200})
	require.NoError(t, err)
	require.NoError(t, p.Believe(t.Context(), r))
	return r
}

// text returns a reply as JSON.
func text(t *testing.T, r *runtime.Reply) string {
	t.Helper()
	out, err := json.Marshal(r)
	require.NoError(t, err)
	return string(out)
}

// checkKnown compares the known answers of a reply with those by definition.
func (a *asked) checkKnown(t *testing.T, r *runtime.Reply, g *plain, formulas []string) {
	t.Helper()
	want := a.known(g)
	switch {
	case r.Verdict != nil:
		if got := r.Verdict.Status == runtime.Known; got != (len(want) > 0) {
			t.Errorf("%s under %q is known: %v", a.formula, formulas, got)
		}
		return
	case r.Count != nil:
		if r.Count.Known != len(want) {
			t.Errorf("%s under %q has %d known answers, want %d", a.formula, formulas, r.Count.Known, len(want))
		}
		return
	}
	got := []string{}
	for _, row := range r.Rows {
		var names []string
		for _, v := range row.Values {
			names = append(names, v.Name)
		}
		if row.Status == runtime.Known {
			got = append(got, strings.Join(names, " "))
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%s under %q: known are %q, want %q", a.formula, formulas, got, want)
	}
}

// TestAssume assumes random facts. The answers are those after the same change of a copy of the model, the known ones
// are also those of brute force over the changed graph, and the model itself stays as it was.
func TestAssume(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.Of(t), 58))
	for range 12 {
		before, path := draw(t, rng)
		m := open(t, path)
		formulas, change, after := before.assumed(rng)
		earlier, _, err := stated.Assume(t.Context(), m, []string{`r("earlier", "e1") & s("e2", "later")`}, nil)
		require.NoError(t, err)
		ask(t, earlier, `r("earlier", y)`, false, model.Mixed)
		earlier.Bundle().GiveBack()
		assumed, _, err := stated.Assume(t.Context(), m, formulas, nil)
		require.NoError(t, err)
		copied := open(t, path)
		store, err := facts.Open(path, copied)
		require.NoError(t, err)
		_, err = store.Apply(t.Context(), change)
		require.NoError(t, err)
		for i := range questions {
			q := &questions[i]
			for _, s := range []model.Semantics{model.NSMP, model.FIT, model.Mixed} {
				if q.rows && s == model.NSMP {
					continue // statuses of the best rows alone
				}
				first := text(t, ask(t, m, q.formula, q.count, s))
				r := ask(t, assumed, q.formula, q.count, s)
				q.checkKnown(t, r, after, formulas)
				if want := text(t, ask(t, copied, q.formula, q.count, s)); !alike(t, text(t, r), want) {
					t.Errorf("%s under %q by %s:\n%s\nafter the change\n%s", q.formula, formulas, s, text(t, r), want)
				}
				again := ask(t, m, q.formula, q.count, s)
				q.checkKnown(t, again, before, nil)
				if text(t, again) != first {
					t.Errorf("%s by %s, without assumptions but after %q:\n%s\nbefore\n%s", q.formula, s, formulas, text(t, again), first)
				}
			}
		}
		require.NoError(t, store.Close())
	}
}

// TestAssumeWorld assumes facts of the world, which is calibrated, with an unbounded and with a complete relation. The
// answers, their confidences included, are those after the same change of a copy.
func TestAssumeWorld(t *testing.T) {
	for _, missing := range []map[string]float64{nil, {"borders": 0}} {
		m, err := world.Open()
		require.NoError(t, err)
		defer m.Close()
		bundle := *m.Bundle()
		bundle.Manifest.Missing.Relations = missing
		path := save(t, &bundle)
		m = open(t, path)
		copied := open(t, path)
		store, err := facts.Open(path, copied)
		require.NoError(t, err)
		_, err = store.Apply(t.Context(), facts.Change{
			New: true, Replace: true,
			Add: []facts.Fact{
				{"Brazil", "borders", "Atlantis"}, {"Atlantis", "official_language", "Spanish"}, {"France", "area", "5"}, {"Spain", "area", "7"},
				{"Brazil", "borders", "Peru"},
			},
			Remove: []facts.Fact{{"Brazil", "borders", "Bolivia"}, {"Spain", "official_language", "Spanish"}},
		})
		require.NoError(t, err)
		assumed, warnings, err := stated.Assume(t.Context(), m, []string{
			`borders("Brazil", "Atlantis") & official_language("Atlantis", "Spanish") & area("France") = 5`,
			`!borders("Brazil", "Bolivia") & !official_language("Spain", "Spanish")`, `area("Spain") = 7`, `borders("Brazil", "Peru")`,
		}, nil)
		require.NoError(t, err)
		if len(warnings) != 2 || !strings.Contains(warnings[0].String(), `assume[0]:1:19: warning: the model has no entity "Atlantis"`) {
			t.Errorf("warnings %q", warnings)
		}
		for _, formula := range []string{
			`borders("Brazil", y)`, `borders("Brazil", y) & official_language(y, "Spanish")`, `borders("France", y) & !official_language(y, "Spanish")`,
			`borders("Atlantis", y)`, `exists x. borders("Portugal", x) & official_language(x, y) & area(x) > 6`, `x, y: borders("Brazil", x) & capital(x, y)`,
			`exists x. borders("Brazil", x) & borders(x, "Chile")`, `borders("France", "Spain")`, `exists x. borders("France", x) & area(x) > 6`,
		} {
			for _, count := range []bool{false, true} {
				q, err := lang.ParseFormula(formula)
				require.NoError(t, err)
				if count && (q.Free == "" || len(q.Others) > 0) {
					continue
				}
				got := text(t, ask(t, assumed, formula, count, model.Mixed))
				if want := text(t, ask(t, copied, formula, count, model.Mixed)); !alike(t, got, want) {
					t.Errorf("%s:\n%s\nafter the change\n%s", formula, got, want)
				}
			}
		}
		require.NoError(t, store.Close())
	}
}
