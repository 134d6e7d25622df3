package runtime_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/values"
	"github.com/efoc/efoc/runtime/shards"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
)

// valuedGraph is a random model with values, and what it was made of.
type valuedGraph struct {
	*runtime.Model
	split *runtime.Model // on some shards
	n     int
	facts map[[3]int]bool // head, relation, tail
	sizes map[int][]float64
	years map[int][]int
}

// newValuedGraph draws a model. An entity has no size, one or two, and no year or one.
func newValuedGraph(t *testing.T, rng *rand.Rand, n int) *valuedGraph {
	t.Helper()
	const relations, rank = 2, 4
	g := &valuedGraph{n: n, facts: map[[3]int]bool{}, sizes: map[int][]float64{}, years: map[int][]int{}}
	spec := modeltest.Spec{Entities: n, Relations: relations, Rank: rank}
	for range 5 * n {
		f := [3]int{rng.IntN(n), rng.IntN(relations), rng.IntN(n)}
		if !g.facts[f] {
			g.facts[f] = true
			spec.Facts = append(spec.Facts, graph.Triple{Head: graph.EntityID(f[0]), Relation: int32(f[1]), Tail: graph.EntityID(f[2])})
		}
	}
	spec.Rows = modeltest.Normals(rng, 2*rank*n)
	spec.RelationRows = modeltest.Normals(rng, 2*rank*2*relations)
	size := values.AttributeValues{Name: "size", Kind: values.NumberKind}
	born := values.AttributeValues{Name: "born", Kind: values.DateKind}
	for e := range n {
		for range rng.IntN(3) {
			x := float64(rng.IntN(9)) / 2
			g.sizes[e] = append(g.sizes[e], x)
			size.Values = append(size.Values, values.EntityValue{Entity: graph.EntityID(e), Number: x})
		}
		if rng.IntN(3) > 0 {
			year := 1900 + rng.IntN(5)
			first, _, err := values.DateKind.Parse(fmt.Sprintf("%d-06-15", year))
			require.NoError(t, err)
			g.years[e] = append(g.years[e], year)
			born.Values = append(born.Values, values.EntityValue{Entity: graph.EntityID(e), Number: first})
		}
	}
	m, err := modeltest.New(t, spec).WithValues([]values.AttributeValues{size, born})
	require.NoError(t, err)
	g.Model = runtime.NewModel(m)
	t.Cleanup(func() { g.Close() })
	split, end, err := shards.Here(m, 1+rng.IntN(4), stages.Distributed, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, end()) })
	g.split = split
	return g
}

// valueParam is a parameter of a template, with its value.
type valueParam struct{ name, kind, value string }

// filter draws a filter of a variable, and returns it as it reads, and with a parameter in place of its value.
func filter(rng *rand.Rand, variable string, unknown bool, name string) (text, open string, param valueParam) {
	mark := ""
	if unknown {
		mark = "?"
	}
	op := []string{"=", "!=", "<", "<=", ">", ">=", "in"}[rng.IntN(7)]
	dots := []string{"..", "<..", "..<", "<..<"}[rng.IntN(4)]
	least := float64(rng.IntN(9)) / 2
	param = valueParam{name, "number", fmt.Sprint(least)}
	left := fmt.Sprintf("size(%s) %s%s ", variable, op, mark)
	text = left + param.value
	most := dots + fmt.Sprint(least+float64(1+rng.IntN(3))/2)
	if rng.IntN(3) == 0 {
		year := 1900 + rng.IntN(5)
		param = valueParam{name, "date", fmt.Sprint(year)}
		left = fmt.Sprintf("born(%s) %s%s ", variable, op, mark)
		text = left + strconv.Quote(param.value)
		most = dots + strconv.Quote(fmt.Sprint(year+2+rng.IntN(3)))
	}
	open = left + "$" + name
	if op == "in" {
		text += most
		open += most
	}
	if rng.IntN(4) == 0 {
		return "!" + text, "!" + open, param
	}
	return text, open, param
}

// meets says of an entity whether it has a value, and whether it meets a filter.
func (g *valuedGraph) meets(t *testing.T, f ast.Condition, e int) (known, holds bool) {
	t.Helper()
	values := g.sizes[e]
	if f.Attribute == "born" { // years, as the filter names one
		values = nil
		for _, year := range g.years[e] {
			values = append(values, float64(year))
		}
	}
	fails := func(x float64) bool {
		return slices.ContainsFunc(f.Comparisons, func(c ast.Comparison) bool {
			y, err := strconv.ParseFloat(c.Value, 64)
			require.NoError(t, err)
			return !plantest.Meets(c.Operator, x, y)
		})
	}
	meet := slices.ContainsFunc(values, func(x float64) bool { return !fails(x) })
	return len(values) > 0, meet != f.Negated
}

// holds evaluates a formula, negated if that is set, for known facts and values. Quantifiers are not negated.
func (g *valuedGraph) holds(t *testing.T, f ast.Formula, at map[string]int, negated bool) bool {
	t.Helper()
	value := func(x ast.Term) int {
		if x.Kind == ast.Variable {
			return at[x.Name]
		}
		e, err := strconv.Atoi(x.Name)
		require.NoError(t, err)
		return e
	}
	switch f := f.(type) {
	case *ast.Not:
		return g.holds(t, f.Arg, at, !negated)
	case *ast.Exists:
		body := f.Body
		if len(f.Vars) > 1 {
			body = &ast.Exists{Vars: f.Vars[1:], Body: body}
		}
		for e := range g.n {
			at[f.Vars[0].Name] = e
			if g.holds(t, body, at, false) {
				return true
			}
		}
		return false
	case *ast.Unequal:
		return (value(f.Left) != value(f.Right)) != negated
	case *ast.Filter:
		of := f.Condition
		of.Negated = negated
		known, holds := g.meets(t, of, value(f.Subject))
		return known && holds
	case *ast.Atom:
		r, err := strconv.Atoi(f.Relation.Name)
		require.NoError(t, err)
		return g.facts[[3]int{value(f.Head), r, value(f.Tail)}] != negated
	}
	_, or := f.(*ast.Or)
	holds := func(a ast.Formula) bool { return g.holds(t, a, at, negated) }
	if or != negated {
		return slices.ContainsFunc(ast.Parts(f), holds)
	}
	return !slices.ContainsFunc(ast.Parts(f), func(a ast.Formula) bool { return !holds(a) })
}
