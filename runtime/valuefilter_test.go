package runtime_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/values"
	"github.com/efoc/efoc/runtime/shards"
	"github.com/efoc/efoc/testdata/require"
)

// TestValueFilters asks random models with filters of every kind and place, by all semantics, as they read and by
// templates that take the values as parameters. Known answers are those of an evaluation of the formula as it
// reads; entities that a filter of the answer rules out are none; and scores are those of the reference.
func TestValueFilters(t *testing.T) {
	rng := rand.New(rand.NewPCG(47, 4))
	patterns := []string{
		`"0"("1", y) & F(y)`, `"0"(x0, y) & F(y)`, `"0"("1", y) & "1"(y, "2") & F(y)`,
		`exists x. "0"("1", x) & "1"(x, y) & F(x)`, `exists x. "0"("1", x) & "1"(x, y) & F(x) & F(y)`,
		`exists x. "0"(y, x) & F(x)`, `exists x. "0"(y, x) & "1"("3", y) & F(x) & F(y)`,
		`"0"("1", y) & F(y) | "1"("2", y) & F(y)`, `"0"("1", y) & (F(y) | F(y))`, `"0"("1", y) & !(F(y) & F(y))`,
		`exists x. "0"("1", x) & "1"(x, y) & !"0"(y, x) & F(x) & x != y`,
		`exists x, z. "0"("1", x) & "1"(x, z) & "0"(z, y) & "1"(x, y) & F(z)`,
		`"0"("1", y) & !"1"(y, "2") & F(y)`,
	}
	asked := 0
	for round := range 60 {
		g := newValuedGraph(t, rng, 8+rng.IntN(30))
		text := patterns[round%len(patterns)]
		unknown := round%3 == 0
		text = strings.Replace(text, "x0", `"0"`, 1)
		open := text
		var params []valueParam
		for _, v := range []string{"x", "y", "z"} {
			for strings.Contains(text, "F("+v+")") {
				plain, with, param := filter(rng, v, unknown, fmt.Sprintf("p%d", len(params)))
				text = strings.Replace(text, "F("+v+")", plain, 1)
				open = strings.Replace(open, "F("+v+")", with, 1)
				params = append(params, param)
			}
		}
		q, err := lang.ParseFormula(text)
		require.NoError(t, err)
		if again, err := lang.ParseFormula(q.String()); err != nil || again.String() != q.String() {
			t.Fatalf("%s is written %s, which is read with %v", text, q, err)
		}
		want := map[graph.EntityID]bool{}
		for e := range g.n {
			if g.holds(t, q.Formula, map[string]int{"y": e}, false) {
				want[graph.EntityID(e)] = true
			}
		}
		asked += len(want)
		for _, semantics := range model.AllSemantics {
			g.check(t, q, nil, semantics, want)
			template, args := templateOf(t, open, params)
			g.check(t, template, args, semantics, want)
		}
	}
	if asked < 100 {
		t.Errorf("only %d known answers were asked for", asked)
	}
}

// templateOf returns a formula as a template, and the values of its parameters.
func templateOf(t *testing.T, formula string, params []valueParam) (*lang.Query, map[string]string) {
	t.Helper()
	var declared []string
	args := map[string]string{}
	for _, p := range params {
		declared = append(declared, p.name+" "+p.kind)
		args[p.name] = p.value
	}
	f, err := lang.ParseFile("t.efo", []byte(fmt.Sprintf("query T(%s) y = %s\n", strings.Join(declared, ", "), formula)))
	require.NoError(t, err)
	return f.Queries[0], args
}

// check asks a question by a semantics.
func (g *valuedGraph) check(t *testing.T, text *lang.Query, values map[string]string, semantics model.Semantics, want map[graph.EntityID]bool) {
	t.Helper()
	var scores [][]float32
	for _, at := range []struct {
		model  *runtime.Model
		engine compiler.Engine
	}{{g.Model, compiler.EngineInterpreted}, {g.Model, compiler.EngineReference}, {g.split, compiler.EngineInterpreted}} {
		engine := string(at.engine)
		if at.model == g.split {
			engine = "shards"
		}
		p, err := compiler.Prepare(at.model, text, compiler.Options{Semantics: &semantics, Engine: at.engine})
		require.NoError(t, err)
		args, err := p.Args(values)
		require.NoError(t, err)
		r, err := p.Ask(t.Context(), args, runtime.Options{K: g.n})
		require.NoError(t, err)
		checkPages(t, p, args, 5, r)
		best, err := p.Best(t.Context(), args, g.n, nil)
		require.NoError(t, err)
		same := func(x runtime.Scored, row runtime.Row) bool {
			return x.Entity == row.Values[0].ID && x.Score == row.Score
		}
		if !slices.EqualFunc(best, r.Rows, same) {
			t.Errorf("%s, %s, %s: the best are %v, the answers %v", text, semantics, engine, best, idsOf(r.Rows))
		}
		known := 0
		all := make([]float32, g.n)
		for _, row := range r.Rows {
			e := row.Values[0].ID
			all[e] = row.Score
			g.checkAttributes(t, text, row)
			if row.Status == runtime.Known {
				known++
			}
			if (row.Status == runtime.Known) != want[e] {
				t.Errorf("%s, %s, %s: %d is %s, want known %v", text, semantics, engine, e, row.Status, want[e])
			}
			if row.Score == 0 && want[e] {
				t.Errorf("%s, %s, %s: the known answer %d has score 0", text, semantics, engine, e)
			}
		}
		if known != len(want) {
			t.Errorf("%s, %s, %s: %d known answers, want %d", text, semantics, engine, known, len(want))
		}
		scores = append(scores, all)
		replies, err := p.AskAll(t.Context(), []runtime.Args{args, args}, runtime.Options{K: 3})
		require.NoError(t, err)
		for _, row := range replies[1].Rows {
			g.checkAttributes(t, text, row)
		}
	}
	for e := range g.n {
		for i, other := range []string{"the reference", "shards"} {
			x := float64(scores[0][e])
			y := float64(scores[i+1][e])
			if math.Abs(x-y) > 1e-3*math.Max(x, y)+1e-6 {
				t.Errorf("%s, %s: %d has score %v, by %s %v", text, semantics, e, x, other, y)
			}
		}
	}
}

// checkAttributes checks the attributes beside the entities of an answer: those by which a formula filters their
// variables, each with the values of which the graph was made.
func (g *valuedGraph) checkAttributes(t *testing.T, text *lang.Query, row runtime.Row) {
	t.Helper()
	for _, v := range row.Values {
		want := map[string]string{}
		ast.Walk(text.Formula, func(f ast.Formula) {
			filter, ok := f.(*ast.Filter)
			if !ok || filter.Subject.Name != v.Variable {
				return
			}
			var list []string
			for _, x := range slices.Sorted(slices.Values(g.sizes[int(v.ID)])) {
				list = append(list, fmt.Sprint(x))
			}
			if filter.Attribute == "born" {
				list = nil
				for _, year := range slices.Sorted(slices.Values(g.years[int(v.ID)])) {
					list = append(list, fmt.Sprintf("%d-06-15", year))
				}
			}
			want[filter.Attribute] = strings.Join(slices.Compact(list), " ")
		})
		got := map[string]string{}
		for _, a := range v.Attributes {
			got[a.Name] = strings.Join(a.Texts(), " ")
		}
		if !maps.Equal(got, want) || len(v.Attributes) != len(want) {
			t.Errorf("%s: beside %s = %s there is %v, want %v", text, v.Variable, v.Name, got, want)
		}
	}
}

// TestFilterSlots leaves a filter out, or empty.
func TestFilterSlots(t *testing.T) {
	g := newValuedGraph(t, rand.New(rand.NewPCG(4, 7)), 12)
	for _, m := range []*runtime.Model{g.Model, g.split} {
		p, err := compiler.Prepare(m, `"0"("1", y) & size(y) > 2`, compiler.Options{})
		require.NoError(t, err)
		spec := *p.Spec()
		spec.Parts = slices.Clone(spec.Parts)
		for _, filters := range [][]int{nil, {0, 0}} {
			spec.Parts[0].Filters = filters
			if _, err := m.Bind(&spec); err == nil || !strings.Contains(err.Error(), "takes 1 entities, 1 relations and 1 filters") {
				t.Errorf("error is %v", err)
			}
		}
	}
}

// TestFilteredRows compares rows under filters with the rows without, of which those are kept whose entities meet the
// filters. A filter of an existential variable keeps what is left of the rows that have the variable as an answer.
func TestFilteredRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(47, 8))
	compared := 0
	for range 12 {
		g := newValuedGraph(t, rng, 8+rng.IntN(8))
		for _, c := range []struct{ head, formula, filtered string }{
			{"x, y", `"0"(x, y)`, "x"}, {"y, x", `"0"(x, y) & "1"(y, "2")`, "x"}, {"x, y", `"0"(x, y) & !"1"(x, y)`, "y"},
			{"x, y, z", `"0"(x, z) & "1"(z, y)`, "z"}, {"x, z, y", `"0"(x, z) & "1"(z, y) & x != y`, "x"},
		} {
			condition, _, _ := filter(rng, c.filtered, false, "")
			all := g.rows(t, c.head+": "+c.formula, model.FIT)
			got := g.rows(t, c.head+": "+c.formula+" & "+condition, model.FIT)
			want := g.keep(t, all, c.filtered, condition)
			if !slices.EqualFunc(got, want, func(a, b runtime.Row) bool {
				same := func(a, b runtime.Value) bool { return a.ID == b.ID }
				return a.Score == b.Score && a.Status == b.Status && slices.EqualFunc(a.Values, b.Values, same)
			}) {
				t.Errorf("%s: %s & %s has %d rows, want %d of %d", c.head, c.formula, condition, len(got), len(want), len(all))
			}
			compared += len(got)
		}

		const path = `"0"(x, z) & "1"(z, y)`
		condition, _, _ := filter(rng, "z", false, "")
		for _, semantics := range model.AllSemantics {
			want := map[[2]graph.EntityID]bool{}
			for _, row := range g.keep(t, g.rows(t, "x, y, z: "+path, semantics), "z", condition) {
				if row.Status == runtime.Known {
					want[[2]graph.EntityID{row.Value("x").ID, row.Value("y").ID}] = true
				}
			}
			known := 0
			for _, row := range g.rows(t, "x, y: exists z. "+path+" & "+condition, semantics) {
				if row.Status != runtime.Known {
					continue
				}
				known++
				if !want[[2]graph.EntityID{row.Value("x").ID, row.Value("y").ID}] {
					t.Errorf("%s, %s: row %v is known", condition, semantics, row.Values)
				}
			}
			if known != len(want) {
				t.Errorf("%s, %s: %d rows are known, want %d", condition, semantics, known, len(want))
			}
			compared += known
		}
	}
	if compared < 1000 {
		t.Errorf("only %d rows were compared", compared)
	}
}

// rows returns all rows of a question of positive score, with exact degrees.
func (g *valuedGraph) rows(t *testing.T, text string, semantics model.Semantics) []runtime.Row {
	t.Helper()
	settings := model.DefaultSettings()
	settings.Degrees = settings.Degrees.OrDefault()
	settings.Degrees.Candidates = g.n
	p, err := compiler.Prepare(g.Model, text, compiler.Options{Semantics: &semantics, Settings: &settings})
	require.NoError(t, err)
	all := g.n * g.n * g.n
	r, err := p.Ask(t.Context(), nil, runtime.Options{K: all, Prefixes: all})
	require.NoError(t, err)
	for _, row := range r.Rows {
		g.checkAttributes(t, p.Source, row)
	}
	return r.Rows
}

// keep returns the rows in which the entity of a variable meets a filter.
func (g *valuedGraph) keep(t *testing.T, rows []runtime.Row, variable, condition string) (kept []runtime.Row) {
	t.Helper()
	q, err := lang.ParseFormula(fmt.Sprintf(`"0"(%s, "1") & %s`, variable, condition))
	require.NoError(t, err)
	f := q.Normal.Disjuncts[0].Literals[1].Condition
	for _, row := range rows {
		if known, holds := g.meets(t, f, int(row.Value(variable).ID)); known && holds {
			kept = append(kept, row)
		}
	}
	return kept
}

// change draws changes of values and facts, and makes them of the model and of what it was made of.
func (g *valuedGraph) change(t *testing.T, rng *rand.Rand) {
	t.Helper()
	var c model.Change
	for range 1 + rng.IntN(6) {
		e := rng.IntN(g.n)
		v := values.Fact{EntityValue: values.EntityValue{Entity: graph.EntityID(e)}}
		if rng.IntN(2) == 0 {
			x := float64(rng.IntN(9)) / 2
			v.Attribute = "size"
			v.Kind = values.NumberKind
			v.Number = x
			if at := slices.Index(g.sizes[e], x); at < 0 {
				c.AddValues = append(c.AddValues, v)
				g.sizes[e] = append(g.sizes[e], x)
			} else if !slices.Contains(c.AddValues, v) {
				c.RemoveValues = append(c.RemoveValues, v)
				g.sizes[e] = slices.DeleteFunc(g.sizes[e], func(y float64) bool { return x == y })
			}
			continue
		}
		year := 1900 + rng.IntN(5)
		first, _, err := values.DateKind.Parse(fmt.Sprintf("%d-06-15", year))
		require.NoError(t, err)
		v.Attribute = "born"
		v.Kind = values.DateKind
		v.Number = first
		if at := slices.Index(g.years[e], year); at < 0 {
			c.AddValues = append(c.AddValues, v)
			g.years[e] = append(g.years[e], year)
		} else if !slices.Contains(c.AddValues, v) {
			c.RemoveValues = append(c.RemoveValues, v)
			g.years[e] = slices.Delete(g.years[e], at, at+1)
		}
	}
	if rng.IntN(3) == 0 {
		f := [3]int{rng.IntN(g.n), rng.IntN(2), rng.IntN(g.n)}
		c.Add = append(c.Add, graph.Triple{Head: graph.EntityID(f[0]), Relation: int32(f[1]), Tail: graph.EntityID(f[2])})
		g.facts[f] = true
	}
	_, err := g.Change(c)
	require.NoError(t, err)
}

// TestChangedValues asks the same questions of one model between random changes of its values, by queries bound
// once and by new ones, with caches, and of splits of it. It compares known answers with an evaluation, and scores
// with the reference.
func TestChangedValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(47, 6))
	g := newValuedGraph(t, rng, 24)
	g.DegreeCache().KeepSweeps(true)
	asked := 0
	var questions []*lang.Query
	var bound []*compiler.Prepared
	for _, text := range []string{
		`"0"("1", y) & size(y) > 1.5`, `exists x. "0"("1", x) & "1"(x, y) & born(x) >= "1902"`, `"0"("1", y) & !size(y) =? 2`,
	} {
		q, err := lang.ParseFormula(text)
		require.NoError(t, err)
		p, err := compiler.Prepare(g.Model, q, compiler.Options{})
		require.NoError(t, err)
		questions = append(questions, q)
		bound = append(bound, p)
	}
	for range 40 {
		g.change(t, rng)
		split, end, err := shards.Here(g.Now().Bundle(), 1+rng.IntN(4), stages.Distributed, nil)
		require.NoError(t, err)
		g.split = split
		for i, q := range questions {
			want := map[graph.EntityID]bool{}
			for e := range g.n {
				if g.holds(t, q.Formula, map[string]int{"y": e}, false) {
					want[graph.EntityID(e)] = true
				}
			}
			asked += len(want)
			r, err := bound[i].Ask(t.Context(), nil, runtime.Options{K: g.n})
			require.NoError(t, err)
			batch, err := bound[i].AskAll(t.Context(), []runtime.Args{nil, nil}, runtime.Options{K: g.n})
			require.NoError(t, err)
			for _, row := range slices.Concat(r.Rows, batch[1].Rows) {
				if known := row.Status == runtime.Known; known != want[row.Values[0].ID] {
					t.Errorf("%s: %d is known: %v", q, row.Values[0].ID, known)
				}
			}
			for _, semantics := range model.AllSemantics {
				g.check(t, q, nil, semantics, want)
			}
		}
		require.NoError(t, end())
	}
	if asked < 100 {
		t.Errorf("only %d known answers were asked for", asked)
	}
}
