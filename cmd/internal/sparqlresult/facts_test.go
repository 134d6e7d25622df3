package sparqlresult

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/lang/sparql"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

var unbounded = Bounds{Rows: math.MaxInt, Kept: math.MaxInt, Work: math.MaxInt}

// world is a small graph. The relation r0 has the name of an entity.
type world struct {
	entities, relations []string
	facts               [][3]string
	sizes               map[string]float64 // by entity
	model               *runtime.Model
}

func drawWorld(t testing.TB, rng *rand.Rand) *world {
	w := &world{entities: []string{"r0", "a", "b", "c"}, relations: []string{"r0", "r1", "r2"}, sizes: map[string]float64{}}
	var triples []model.Triple
	for range rng.IntN(12) {
		f := model.Triple{Head: model.EntityID(rng.IntN(4)), Relation: rng.Int32N(3), Tail: model.EntityID(rng.IntN(4))}
		named := [3]string{w.entities[f.Head], w.relations[f.Relation], w.entities[f.Tail]}
		if !slices.Contains(w.facts, named) {
			w.facts = append(w.facts, named)
			triples = append(triples, f)
		}
	}
	var sizes []model.EntityValue
	for e, name := range w.entities[:3] {
		w.sizes[name] = float64(rng.IntN(5))
		sizes = append(sizes, model.EntityValue{Entity: model.EntityID(e), Number: w.sizes[name]})
	}
	const rank = 1
	m, err := modeltest.Spec{
		Manifest: model.Manifest{Name: "small"}, EntityNames: w.entities, RelationNames: w.relations, Facts: triples,
		Rank: rank, Rows: make([]float32, 4*2*rank), RelationRows: make([]float32, 6*2*rank),
	}.Model()
	require.NoError(t, err)
	m, err = m.WithValues([]model.AttributeValues{{Name: "size", Kind: model.NumberKind, Values: sizes}})
	require.NoError(t, err)
	w.model = runtime.NewModel(m)
	return w
}

// solution has the names that variables stand for.
type solution map[string]string

// group is a pattern in braces, written and as a function that scans all facts.
type groupPattern struct {
	text  string
	solve func() []solution
	vars  []string // that have a value in each solution
	kinds map[string]byte
}

// drawing draws queries over a graph.
type drawing struct {
	*world
	rng    *rand.Rand
	values bool // conditions on values are drawn, too
}

func pick[T any](rng *rand.Rand, list ...T) T { return list[rng.IntN(len(list))] }

// triples draws triples that name or leave open what they like, and joins them.
func (d *drawing) triples(n int) groupPattern {
	g := groupPattern{kinds: map[string]byte{}}
	var patterns [][3]string
	var texts []string
	for range n {
		end := func() string {
			if d.rng.IntN(3) == 0 {
				return ":" + pick(d.rng, d.entities...)
			}
			return pick(d.rng, "?x", "?y", "?z")
		}
		p := [3]string{end(), pick(d.rng, "?p", "?q", ":"+pick(d.rng, d.relations...)), end()}
		patterns = append(patterns, p)
		switch {
		case p[1][0] == ':' && d.rng.IntN(4) == 0:
			texts = append(texts, fmt.Sprintf("%s ^%s %s .", p[2], p[1], p[0]))
		default:
			texts = append(texts, fmt.Sprintf("%s %s %s .", p[0], p[1], p[2]))
		}
		for i, term := range p {
			if term[0] == '?' && g.kinds[term] == 0 {
				g.kinds[term] = "ere"[i]
				g.vars = append(g.vars, term)
			}
		}
	}
	g.text = strings.Join(texts, " ")
	g.solve = func() []solution {
		found := []solution{{}}
		for _, p := range patterns {
			var one []solution
			for _, f := range d.facts {
				if s := match(p, f); s != nil {
					one = append(one, s)
				}
			}
			found = join(found, one)
		}
		return found
	}
	return g
}

// match returns the solution of a triple that is a fact, nil if it is another.
func match(p, fact [3]string) solution {
	s := solution{}
	for i, term := range p {
		switch old, ok := s[term]; {
		case term[0] == ':' && term[1:] != fact[i], ok && old != fact[i]:
			return nil
		case term[0] == '?':
			s[term] = fact[i]
		}
	}
	return s
}

// join returns the unions of compatible solutions.
func join(a, b []solution) (out []solution) {
	for _, x := range a {
		for _, y := range b {
			if s := merge(x, y); s != nil {
				out = append(out, s)
			}
		}
	}
	return out
}

func merge(x, y solution) solution {
	s := solution{}
	for v, name := range x {
		s[v] = name
	}
	for v, name := range y {
		if old, ok := s[v]; ok && old != name {
			return nil
		}
		s[v] = name
	}
	return s
}

// filter draws a condition on variables of a pattern.
func (d *drawing) filter(g groupPattern) (text string, holds func(solution) bool) {
	term := func() string {
		if d.rng.IntN(2) == 0 && len(g.vars) > 0 {
			return pick(d.rng, g.vars...)
		}
		return ":" + pick(d.rng, "r0", "r1", "a", "b", "nothing")
	}
	name := func(s solution, t string) string {
		if t[0] == ':' {
			return t[1:]
		}
		return s[t]
	}
	a := term()
	b := term()
	switch d.rng.IntN(7) {
	case 0:
		return a + " = " + b, func(s solution) bool { return name(s, a) == name(s, b) }
	case 1:
		return a + " != " + b, func(s solution) bool { return name(s, a) != name(s, b) }
	case 2:
		c := term()
		return fmt.Sprintf("%s IN (%s, %s)", a, b, c), func(s solution) bool { return name(s, a) == name(s, b) || name(s, a) == name(s, c) }
	case 3:
		c := term()
		return fmt.Sprintf("%s NOT IN (%s, %s)", a, b, c), func(s solution) bool { return name(s, a) != name(s, b) && name(s, a) != name(s, c) }
	case 4:
		return "!(" + a + " = " + b + ")", func(s solution) bool { return name(s, a) != name(s, b) }
	case 5:
		c := term()
		return fmt.Sprintf("%s = %s || isIRI(%s) && %s != %s", a, b, a, b, c), func(s solution) bool { return name(s, a) == name(s, b) || name(s, b) != name(s, c) }
	}
	inner := d.triples(1 + d.rng.IntN(2))
	not := d.rng.IntN(2) == 0
	word := pick(d.rng, "EXISTS", "EXISTS")
	if not {
		word = "NOT EXISTS"
	}
	return word + " { " + inner.text + " }", func(s solution) bool { return (len(join([]solution{s}, inner.solve())) > 0) != not }
}

// pattern draws a pattern: triples, a union, what is left out, and conditions.
func (d *drawing) pattern() groupPattern {
	g := d.triples(1 + d.rng.IntN(3))
	if d.rng.IntN(4) == 0 {
		a := d.triples(1 + d.rng.IntN(2))
		b := d.triples(1)
		base := g.solve
		g.text += " { " + a.text + " } UNION { " + b.text + " }"
		g.solve = func() []solution { return join(base(), append(a.solve(), b.solve()...)) }
		for _, v := range a.vars {
			if slices.Contains(b.vars, v) && !slices.Contains(g.vars, v) {
				g.vars = append(g.vars, v)
			}
		}
		for _, other := range []groupPattern{a, b} {
			for v, kind := range other.kinds {
				if g.kinds[v] == 0 {
					g.kinds[v] = kind
				}
			}
		}
	}
	if d.rng.IntN(5) == 0 {
		out := d.triples(1)
		if slices.ContainsFunc(out.vars, func(v string) bool { return slices.Contains(g.vars, v) }) {
			base := g.solve
			g.text += " MINUS { " + out.text + " }"
			g.solve = func() (left []solution) {
				for _, s := range base() {
					if len(join([]solution{s}, out.solve())) == 0 {
						left = append(left, s)
					}
				}
				return left
			}
		}
	}
	for range d.rng.IntN(3) {
		text, holds := d.filter(g)
		g = filtered(g, " FILTER("+text+")", holds)
	}
	if v := pick(d.rng, "?x", "?y"); d.values && d.rng.IntN(3) == 0 && slices.Contains(g.vars, v) {
		least := float64(d.rng.IntN(5))
		g = filtered(g, fmt.Sprintf(" %s :size ?v FILTER(?v >= %v)", v, least), func(s solution) bool {
			size, ok := d.sizes[s[v]]
			return ok && size >= least
		})
	}
	return g
}

func filtered(g groupPattern, text string, holds func(solution) bool) groupPattern {
	base := g.solve
	g.text += text
	g.solve = func() (left []solution) {
		for _, s := range base() {
			if holds(s) {
				left = append(left, s)
			}
		}
		return left
	}
	return g
}

// query draws a query, and finds its solutions by scanning all facts. Each is a sorted list of NAME=VALUE.
func (d *drawing) query() (text string, want any) {
	g := d.pattern()
	all := g.solve()
	if len(g.vars) == 0 || d.rng.IntN(6) == 0 {
		return "ASK { " + g.text + " }", len(all) > 0
	}
	first := pick(d.rng, g.vars...)
	second := pick(d.rng, g.vars...)
	selected := slices.Compact([]string{first, second})
	switch d.rng.IntN(5) {
	case 0:
		return fmt.Sprintf("SELECT (COUNT(*) AS ?n) { %s }", g.text), [][]string{{fmt.Sprintf("n=%d", len(all))}}
	case 1:
		counts := map[string]int{}
		different := map[string]map[string]bool{}
		for _, s := range all {
			counts[s[first]]++
			if different[s[first]] == nil {
				different[s[first]] = map[string]bool{}
			}
			different[s[first]][s[second]] = true
		}
		rows := [][]string{}
		for name, n := range counts {
			rows = append(rows, []string{fmt.Sprintf("d=%d", len(different[name])), first[1:] + "=" + sparql.IRI(name), fmt.Sprintf("n=%d", n)})
		}
		return fmt.Sprintf("SELECT %s (COUNT(*) AS ?n) (COUNT(DISTINCT %s) AS ?d) { %s } GROUP BY %[1]s", first, second, g.text), sorted(rows)
	}
	rows := [][]string{}
	for _, s := range all {
		row := []string{}
		for _, v := range selected {
			row = append(row, v[1:]+"="+sparql.IRI(s[v]))
		}
		rows = append(rows, row)
	}
	rows = sorted(rows)
	distinct := ""
	if d.rng.IntN(2) == 0 {
		distinct = "DISTINCT "
		rows = slices.CompactFunc(rows, slices.Equal)
	}
	return fmt.Sprintf("SELECT %s%s { %s }", distinct, strings.Join(selected, " "), g.text), rows
}

func sorted(rows [][]string) [][]string {
	for _, row := range rows {
		slices.Sort(row)
	}
	slices.SortFunc(rows, slices.Compare)
	return rows
}

// ask returns the solutions of a query that stored facts answer. It skips those that a plan answers.
func ask(t testing.TB, w *world, text string) (got any, stored bool) {
	t.Helper()
	if !strings.Contains(text, "COUNT") && !strings.Contains(text, "?p") && !strings.Contains(text, "?q") {
		return nil, false
	}
	r, err := sparql.Parse(text)
	if err != nil {
		for _, refusal := range []string{"compares two entities", "asks about an entity that it names", "MINUS of a variable", "has no value in some solutions"} {
			if strings.Contains(err.Error(), refusal) {
				return nil, false
			}
		}
		t.Fatalf("%s: %v", text, err)
	}
	require.NoError(t, Bind(r, w.model, false))
	result, err := Facts(t.Context(), r, w.model, unbounded)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if r.Ask {
		return result.Holds, true
	}
	rows := [][]string{}
	for _, row := range result.Rows {
		list := []string{}
		for _, v := range row.Values {
			list = append(list, v.Variable+"="+termOf(v.Name).Value)
		}
		rows = append(rows, list)
	}
	return sorted(rows), true
}

// TestFacts compares the solutions of random queries with those that joins of all facts have.
func TestFacts(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.Of(t), 47))
	asked := 0
	some := 0
	for range long.Or(20_000, 3_000) {
		d := &drawing{world: drawWorld(t, rng), rng: rng, values: true}
		text, want := d.query()
		got, stored := ask(t, d.world, text)
		if !stored {
			continue
		}
		asked++
		if rows, ok := want.([][]string); ok && len(rows) > 0 {
			some++
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%s over %v, sizes %v:\n got %v\nwant %v", text, d.facts, d.sizes, got, want)
		}
	}
	if asked < 1000 || some < 300 {
		t.Errorf("%d queries were asked, %d of them with solutions", asked, some)
	}
}

// TestFactsEngine compares the solutions of random queries with those of rdflib.
func TestFactsEngine(t *testing.T) {
	program := os.Getenv("EFOC_PYTHON")
	if program == "" {
		t.Skip("it needs a Python with rdflib, named by EFOC_PYTHON")
	}
	rng := rand.New(rand.NewPCG(seed.Of(t), 48))
	var in bytes.Buffer
	var texts, got []string
	for range long.Or(3_000, 200) {
		d := &drawing{world: drawWorld(t, rng), rng: rng}
		text, _ := d.query()
		answer, stored := ask(t, d.world, text)
		if !stored {
			continue
		}
		var graph strings.Builder
		for _, f := range d.facts {
			fmt.Fprintf(&graph, "<urn:efoc:%s> <urn:efoc:%s> <urn:efoc:%s> .\n", f[0], f[1], f[2])
		}
		line, err := json.Marshal([2]string{graph.String(), text})
		require.NoError(t, err)
		in.Write(append(line, '\n'))
		texts = append(texts, text+" over "+graph.String())
		written, err := json.Marshal(answer)
		require.NoError(t, err)
		got = append(got, string(written))
	}
	command := exec.CommandContext(t.Context(), program, "testdata/engine.py")
	command.Stdin = &in
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, err.(*exec.ExitError).Stderr)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(got) || len(got) < 100 {
		t.Fatalf("%d answers to %d queries", len(lines), len(got))
	}
	for i, line := range lines {
		if want := strings.ReplaceAll(strings.ReplaceAll(line, `", "`, `","`), `], [`, `],[`); got[i] != want {
			t.Errorf("%s:\n got %s\nwant %s", texts[i], got[i], want)
		}
	}
}

// TestFactsBounds checks what ends a search.
func TestFactsBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	w := drawWorld(t, rng)
	for len(w.facts) < 10 {
		w = drawWorld(t, rng)
	}
	for _, x := range []struct {
		query  string
		bounds Bounds
		want   string
	}{
		{`SELECT * { ?x ?p ?y . ?y ?q ?z . ?z ?r ?a }`, Bounds{Rows: 1000, Kept: 1000, Work: 30}, "went through 30 facts"},
		{`SELECT * { ?x ?p ?y . ?y ?q ?z }`, Bounds{Rows: 3, Kept: 1000, Work: 1000}, "there are more than 3"},
		{`SELECT DISTINCT ?x ?y { ?x ?p ?y }`, Bounds{Rows: 1000, Kept: 2, Work: 1000}, "more than 2 different ones"},
		{`SELECT (COUNT(DISTINCT ?x) AS ?n) { ?x ?p ?y }`, Bounds{Rows: 1000, Kept: 1, Work: 1000}, "more than 1 different"},
		{`SELECT ?x (COUNT(*) AS ?n) { ?x ?p ?y } GROUP BY ?x`, Bounds{Rows: 1000, Kept: 1, Work: 1000}, "more than 1 groups"},
		{`SELECT ?x (COUNT(*) AS ?n) { ?x ?p ?y } GROUP BY ?x`, Bounds{Rows: 1, Kept: 1000, Work: 1000}, "there are more than 1"},
		{`SELECT ?x ?y { ?x ?p ?y } LIMIT 5`, Bounds{Rows: 4, Kept: 1000, Work: 1000}, "LIMIT is 5, want at most 4"},
	} {
		r, err := sparql.Parse(x.query)
		require.NoError(t, err)
		require.NoError(t, Bind(r, w.model, false))
		_, err = Facts(t.Context(), r, w.model, x.bounds)
		if !errors.Is(err, ErrTooMany) || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: got %v, want %q", x.query, err, x.want)
		}
	}

	r, err := sparql.Parse(`SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n1 ?o . ?p ?q ?r . ?s ?t ?u }`)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Facts(ctx, r, w.model, unbounded); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v after the end", err)
	}
}
