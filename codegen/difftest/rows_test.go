package difftest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/reference"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/byslot"
	"github.com/efoc/efoc/testdata/plantest"
)

// A rowsCase is a template with several answer variables, whose rows are compared with the reference's score of every
// row.
type rowsCase struct {
	testCase
	query *lang.Query
	// scores are the scores of all rows not excluded by inequalities, by the text of their entities.
	scores map[string]float64
	// marginals are the message-passing results of the variables, in search order.
	marginals [][]float32
}

// rowEngines search for rows; the other engines are for queries with one answer variable.
var rowEngines = []compiler.Engine{compiler.EngineInterpreted, compiler.EngineLayers}

// rowFormulas draws formulas for rows of two and of three answer variables.
var rowFormulas = [2]plantest.Options{
	{Entities: 1, Relations: 1, Atoms: 5, Disjuncts: 3, Name: "T", Values: true, Answers: 2},
	{Entities: 1, Relations: 1, Atoms: 5, Disjuncts: 3, Name: "T", Values: true, Answers: 3},
}

// drawRows draws a case with a small world, moderate scores and exact degrees.
func drawRows(rng *rand.Rand) (*rowsCase, error) {
	c := &rowsCase{}
	c.World = drawWorld(rng)
	c.World.Entities = between(rng, 2, 5)
	c.World.Facts = rng.IntN(2 * c.World.Entities)
	c.World.Scale = 0.1 + rng.Float64()
	c.World.Shift = 0
	c.World.Table = table.Float32
	c.World.Exact = ""
	c.Semantics = model.AllSemantics[rng.IntN(len(model.AllSemantics))]
	c.Settings = model.DefaultSettings()
	c.Settings.Degrees = model.Degrees{
		Candidates: c.World.Entities, Negation: pick(rng, 1, 3.0), Temperature: pick(rng, 1, 1.5), Mass: rng.IntN(2) == 0, Mixture: pick(rng, 0.5, 0.8),
	}
	formulas := plantest.Formulas(rowFormulas[rng.IntN(3)/2])
	for {
		q := formulas.Example(int(rng.Uint32()))
		parametrize(q)
		if q.Normalize() == nil {
			c.Query = oneLine(q)
			c.Bindings = drawBindings(rng, q.Params, c.World, 1)
			return c, c.prepare()
		}
	}
}

// prepare scores all rows with the reference.
func (c *rowsCase) prepare() (err error) {
	c.query, err = parseTemplate(c.Query)
	if err != nil {
		return err
	}
	m, err := c.World.model()
	if err != nil {
		return err
	}
	defer m.Close()
	names := argumentsOf(m, c.query.Params, c.Bindings[0])
	tuples, err := reference.NewTuples(context.Background(), m.Bundle(), c.query, c.Semantics, c.Settings, names)
	if err != nil {
		return err
	}
	c.marginals = tuples.Marginals()
	c.scores = map[string]float64{}
	n := c.World.Entities
	row := make([]graph.EntityID, len(c.query.Others)+1)
	for i := range int(math.Pow(float64(n), float64(len(row)))) {
		for v := range row {
			row[v] = graph.EntityID(i % n)
			i /= n
		}
		if score, excluded := tuples.Score(row); !excluded {
			c.scores[fmt.Sprint(row)] = score
		}
	}
	return nil
}

// closeTo reports whether two scores are equal up to rounding.
func closeTo(x, y float64) bool { return math.Abs(x-y) <= 2e-6+2e-3*math.Abs(y) }

// compare asks an engine for all rows and returns the difference, "" for none.
func (c *rowsCase) compare(engine compiler.Engine) (string, error) {
	m, err := c.World.model()
	if err != nil {
		return "", err
	}
	defer m.Close()
	p, err := compiler.Prepare(m, c.query, compiler.Options{Semantics: &c.Semantics, Settings: &c.Settings, Engine: engine})
	if err != nil {
		return "", err
	}
	var args runtime.Args
	for _, x := range c.query.Params {
		if x.Kind == kind.Number {
			args = append(args, plan.Number(plantest.NumberValue))
		} else {
			args = append(args, plan.Arg{Kind: x.Kind, ID: c.Bindings[0][x.Name]})
		}
	}
	if apart, err := c.apart(m, p, args); apart || err != nil {
		return "", err
	}
	r, err := p.Ask(context.Background(), args, runtime.Options{K: len(c.scores) + 1, Prefixes: (len(c.scores) + 1) * c.World.Entities, NoStatus: true})
	if err != nil {
		return "", err
	}
	for _, row := range r.Rows {
		ids := make([]graph.EntityID, len(row.Values))
		for i, v := range row.Values {
			ids[i] = v.ID
		}
		want, ok := c.scores[fmt.Sprint(ids)]
		if !ok || !closeTo(float64(row.Score), want) {
			return fmt.Sprintf("row %v has score %v, want %v", ids, row.Score, want), nil
		}
	}
	positive := 0
	for _, score := range c.scores {
		if score > 1e-4 {
			positive++
		}
	}
	if len(r.Rows) < positive {
		return fmt.Sprintf("%d rows, want %d at least", len(r.Rows), positive), nil
	}
	return "", nil
}

// apart reports whether message passing differs from the reference for a variable. Rounding may change a state barely
// above ε, and queries with one answer variable are compared elsewhere.
func (c *rowsCase) apart(m *runtime.Model, p *compiler.Prepared, args runtime.Args) (apart bool, err error) {
	for i, want := range c.marginals {
		part, err := m.Bind(byslot.Part(p.Spec(), i))
		if err != nil {
			return false, err
		}
		err = part.Each(context.Background(), []runtime.Args{args}, &c.Settings, func(_ int, r *runtime.Run) error {
			for e, x := range r.Scores() {
				apart = apart || !closeTo(float64(x), float64(want[e]))
			}
			return nil
		})
		if err != nil {
			return false, err
		}
	}
	return apart, nil
}
