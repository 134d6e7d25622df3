package plantest

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strconv"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/names"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/model/values"
	"github.com/efoc/efoc/runtime/scq"
)

// Model draws a small model: a random graph, with self loops, relations that
// hold of the same pairs, entities without any fact and entities whose
// embedding is zero, and random embeddings. Names are numbers. The settings are
// the default ones or random.
func Model(t *rapid.T, entities, relations, rank int) *runtime.Model {
	seed := rapid.Uint64().Draw(t, "model")
	s := model.DefaultSettings()
	if rapid.Bool().Draw(t, "random settings") {
		s.Lambda = rapid.SampledFrom([]float64{0, 0.1, 0.5, 1}).Draw(t, "lambda")
		s.Alpha = rapid.SampledFrom([]float64{1000, 20, 1.5, 0.3}).Draw(t, "alpha")
		s.Weight = rapid.SampledFrom([]float64{0.5, 0.2, 0.9, 0, 1}).Draw(t, "weight")
		s.Epsilon = rapid.SampledFrom([]float64{1e-14, 1e-9, 1e-4, 1e-2}).Draw(t, "epsilon")
	}
	m, err := NewModel(seed, entities, relations, rank, s)
	if err != nil {
		t.Fatalf("random model: %v", err)
	}
	t.Cleanup(func() { m.Close() }) // ends the goroutines that help with sweeps
	return m
}

// scoreTerms draws the weights of score terms: none half of the time, and otherwise each of them 0 at times.
func scoreTerms(seed uint64) (s model.ScoreTerms) {
	rng := rand.New(rand.NewPCG(seed, 2))
	if rng.IntN(2) == 0 {
		return s
	}
	s.Frequency = []float64{0, 0.3, 1}[rng.IntN(3)]
	s.Loop = []float64{0, 0.2, 1}[rng.IntN(3)]
	s.Second = []float64{0, 0.5, 1}[rng.IntN(3)]
	return s
}

// NewModel returns the random model of a seed.
func NewModel(seed uint64, entities, relations, rank int, s model.Settings) (*runtime.Model, error) {
	rng := rand.New(rand.NewPCG(seed, 1))
	g, err := graph.New(entities, relations, triples(rng, entities, relations))
	if err != nil {
		return nil, err
	}
	scale := 0.2 + rng.Float64()
	embeddings := normals(rng, entities*2*rank, scale)
	p := model.Predictor{Rank: rank, RelationTable: normals(rng, 2*relations*2*rank, scale)}
	if rng.IntN(3) == 0 {
		e := rng.IntN(entities)
		clear(embeddings[e*2*rank : (e+1)*2*rank])
	}
	p.EntityTable, err = table.Make(embeddings, 2*rank, table.Float32, "")
	if err != nil {
		return nil, err
	}
	m, err := model.New(model.Manifest{Name: "random", Visible: "all", Settings: s, ScoreTerms: scoreTerms(seed)}, g, nil, p,
		names.Numbered("entity", entities), names.Numbered("relation", relations))
	if err != nil {
		return nil, err
	}
	m, err = m.WithValues(Values(seed, entities))
	if err != nil {
		return nil, err
	}
	return runtime.NewModel(m), nil
}

// Attribute is the attribute of random models; its values are 0 to MaxValue.
const (
	Attribute = "size"
	MaxValue  = 5
)

// Values gives two entities in three a value, or two.
func Values(seed uint64, entities int) []values.AttributeValues {
	rng := rand.New(rand.NewPCG(seed, 3))
	size := values.AttributeValues{Name: Attribute, Kind: values.NumberKind, Values: []values.EntityValue{{Number: 1}}}
	for e := range entities {
		for range rng.IntN(3) {
			size.Values = append(size.Values, values.EntityValue{Entity: graph.EntityID(e), Number: float64(rng.IntN(MaxValue + 1))})
		}
	}
	return []values.AttributeValues{size}
}

// triples draws facts of every density among all but a few isolated entities.
func triples(rng *rand.Rand, entities, relations int) []graph.Triple {
	var out []graph.Triple
	n := max(1, entities-rng.IntN(3))
	density := rng.Float64() * 0.4
	for r := range relations {
		for h := range n {
			for t := range n {
				if p := rng.Float64(); p < density || h == t && p < 0.3 {
					out = append(out, graph.Triple{Head: graph.EntityID(h), Relation: int32(r), Tail: graph.EntityID(t)})
				}
			}
		}
	}
	// Some facts hold in several relations.
	for _, f := range out {
		if rng.IntN(4) == 0 {
			out = append(out, graph.Triple{Head: f.Head, Relation: int32(rng.IntN(relations)), Tail: f.Tail})
		}
	}
	return out
}

func normals(rng *rand.Rand, n int, scale float64) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64() * scale)
	}
	return x
}

// Arguments are the values of the parameters of a query, by name.
type Arguments struct {
	Entities  map[string]graph.EntityID
	Relations map[string]graph.RelationID
	// Model has the values that filters are about; only they need it.
	Model *model.Model
}

// DrawArguments draws a value for every parameter that a query may have.
func DrawArguments(t *rapid.T, entities, relations int) Arguments {
	a := Arguments{Entities: map[string]graph.EntityID{}, Relations: map[string]graph.RelationID{}}
	for _, name := range EntityParams {
		a.Entities[name] = graph.EntityID(rapid.IntRange(0, entities-1).Draw(t, name))
	}
	for _, name := range RelationParams {
		a.Relations[name] = graph.RelationID(rapid.IntRange(0, 2*relations-1).Draw(t, name))
	}
	return a
}

// Entity returns the entity that a term that is not a variable stands for.
func (a Arguments) Entity(t ast.Term) graph.EntityID {
	if t.Kind == ast.Parameter {
		return a.Entities[t.Name]
	}
	return graph.EntityID(number(t.Name))
}

// Relation returns the directed relation that an atom names.
func (a Arguments) Relation(r ast.Relation) graph.RelationID {
	id := graph.RelationID(2 * number(r.Name))
	if r.Param {
		id = a.Relations[r.Name]
	}
	if r.Inverse {
		id = id.Inverse()
	}
	return id
}

// condition returns a filter with the values that its parameters have.
func condition(f ast.Condition) model.Condition {
	by := model.Condition{Attribute: f.Attribute, Unknown: f.Unknown, Negated: f.Negated}
	for _, c := range f.Comparisons {
		by.Comparisons = append(by.Comparisons, model.Comparison{Operator: c.Operator, Value: value(c)})
	}
	return by
}

// Conditions returns the filters with the values of their parameters.
func Conditions(filters []ast.Condition) (list []model.Condition) {
	for _, f := range filters {
		list = append(list, condition(f))
	}
	return list
}

// Selection returns the entities that meet a filter.
func (a Arguments) Selection(f ast.Condition) *model.Selection {
	s, err := a.Model.Select(condition(f))
	if err != nil {
		panic(err)
	}
	return s
}

// Bindings fills the slots that stand for these terms, relations and filters.
func (a Arguments) Bindings(constants []ast.Term, relations []ast.Relation, filters []ast.Condition) scq.Bindings {
	var b scq.Bindings
	for _, t := range constants {
		b.Constants = append(b.Constants, a.Entity(t))
	}
	for _, r := range relations {
		b.Relations = append(b.Relations, a.Relation(r))
	}
	for _, f := range filters {
		b.Filters = append(b.Filters, a.Selection(f))
	}
	return b
}

// Factors returns the degree to which each entity meets a filter, straight from the values as text.
func Factors(m *model.Model, f ast.Condition) []float64 {
	meets := func(x int) bool {
		return !slices.ContainsFunc(f.Comparisons, func(c ast.Comparison) bool { return !Meets(c.Operator, x, number(value(c))) })
	}
	factors := make([]float64, m.NumEntities())
	var unknown []int
	meet := 0.0
	for e := range factors {
		list := m.Values(graph.EntityID(e))
		holds := false
		for _, v := range list {
			holds = holds || meets(number(v.Value))
		}
		switch {
		case len(list) == 0:
			unknown = append(unknown, e)
		case holds != f.Negated:
			factors[e] = 1
			meet++
		}
	}
	for _, e := range unknown {
		if f.Unknown {
			factors[e] = min(0.9999, (meet+1)/float64(len(factors)-len(unknown)+2))
		}
	}
	return factors
}

// Meets reports whether x compares with y as an operator says.
func Meets[N cmp.Ordered](operator string, x, y N) bool {
	return map[string]bool{"<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y, "=": x == y, "!=": x != y}[operator]
}

// value returns what a comparison compares with.
func value(c ast.Comparison) string {
	if c.Param {
		return strconv.Itoa(NumberValue)
	}
	return c.Value
}

// number reads a numbered name; a parameter's name reads as 0.
func number(name string) int {
	n, _ := strconv.Atoi(name)
	return n
}
