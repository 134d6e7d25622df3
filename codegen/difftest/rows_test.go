package difftest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/efoc/efoc/compiler"
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

// A rowsCase is a template with several answer variables, whose rows are compared with those of the reference.
type rowsCase struct {
	testCase
	query *lang.Query
	// scores are the scores of all rows by the reference, by the text of their entities.
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

// prepare asks the reference for all rows.
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
	p, args, err := c.asked(m, compiler.EngineReference)
	if err != nil {
		return err
	}
	c.marginals, err = c.marginalsOf(m, p, args)
	if err != nil {
		return err
	}
	c.scores, err = c.scoresOf(p, args)
	return err
}

// asked prepares the question for an engine.
func (c *rowsCase) asked(m *runtime.Model, engine compiler.Engine) (p *compiler.Prepared, args runtime.Args, err error) {
	p, err = compiler.Prepare(m, c.query, compiler.Options{Semantics: &c.Semantics, Settings: &c.Settings, Engine: engine})
	for _, x := range c.query.Params {
		if x.Kind == kind.Number {
			args = append(args, plan.Number(plantest.NumberValue))
		} else {
			args = append(args, plan.Arg{Kind: x.Kind, ID: c.Bindings[0][x.Name]})
		}
	}
	return p, args, err
}

// scoresOf returns the scores of all rows that have one, by the text of their entities.
func (c *rowsCase) scoresOf(p *compiler.Prepared, args runtime.Args) (map[string]float64, error) {
	all := int(math.Pow(float64(c.World.Entities), float64(len(c.query.Others)+1)))
	r, err := p.Ask(context.Background(), args, runtime.Options{K: all, Prefixes: all * c.World.Entities, NoStatus: true})
	if err != nil {
		return nil, err
	}
	scores := map[string]float64{}
	for _, row := range r.Rows {
		ids := make([]graph.EntityID, len(row.Values))
		for i, v := range row.Values {
			ids[i] = v.ID
		}
		scores[fmt.Sprint(ids)] = float64(row.Score)
	}
	return scores, nil
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
	p, args, err := c.asked(m, engine)
	if err != nil {
		return "", err
	}
	if apart, err := c.apart(m, p, args); apart || err != nil {
		return "", err
	}
	got, err := c.scoresOf(p, args)
	if err != nil {
		return "", err
	}
	for row, score := range got {
		if want := c.scores[row]; !closeTo(score, want) {
			return fmt.Sprintf("row %s has score %v, want %v", row, score, want), nil
		}
	}
	for row, want := range c.scores {
		if _, found := got[row]; !found && want > 1e-4 {
			return fmt.Sprintf("row %s is not found, want score %v", row, want), nil
		}
	}
	return "", nil
}

// marginalsOf returns the message-passing results of the variables, in search order; nil for model.FIT.
func (c *rowsCase) marginalsOf(m *runtime.Model, p *compiler.Prepared, args runtime.Args) (list [][]float32, err error) {
	if c.Semantics == model.FIT {
		return nil, nil
	}
	for i := range len(c.query.Others) + 1 {
		part, err := m.Bind(byslot.Part(p.Spec(), i))
		if err != nil {
			return nil, err
		}
		err = part.Each(context.Background(), []runtime.Args{args}, &c.Settings, func(_ int, r *runtime.Run) error {
			list = append(list, slices.Clone(r.Scores()))
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// apart reports whether message passing differs from the reference for a variable. Rounding may change a state barely
// above ε, and queries with one answer variable are compared elsewhere.
func (c *rowsCase) apart(m *runtime.Model, p *compiler.Prepared, args runtime.Args) (apart bool, err error) {
	got, err := c.marginalsOf(m, p, args)
	if err != nil {
		return false, err
	}
	for i, want := range c.marginals {
		for e, x := range got[i] {
			apart = apart || !closeTo(float64(x), float64(want[e]))
		}
	}
	return apart, nil
}
