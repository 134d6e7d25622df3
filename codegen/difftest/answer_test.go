package difftest

import (
	"context"
	"fmt"
	"slices"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/runtime/scq"
)

// answer answers queries, one alone or several as a batch, and returns for each of them
// the answer and the fuzzy sets.
func answer(q *query.Query, batch []scq.Bindings, s model.Settings) ([][][]float32, error) {
	out := make([][][]float32, len(batch))
	use := func(i int, answer query.Vector, sets []query.Vector) error {
		out[i] = append(out[i], slices.Clone(answer))
		for _, set := range sets {
			out[i] = append(out[i], slices.Clone(set))
		}
		return nil
	}
	if len(batch) > 1 {
		return out, q.ScoresBatch(context.Background(), batch, &s, use)
	}
	return out, q.Scores(context.Background(), batch[0], &s, func(answer query.Vector, sets []query.Vector) error {
		return use(0, answer, sets)
	})
}

// top checks the ranking that Answer makes of an answer: in order, each with its
// probability, and nothing left out that is clearly better than the last. The model is the
// whole one.
func top(q *query.Query, m *query.Model, x *expected) (string, error) {
	if what := ranking(q, x); what == "" {
		return "", nil
	}
	if err := x.Refine(context.Background(), m.Model); err != nil {
		return "", err
	}
	return ranking(q, x), nil
}

func ranking(q *query.Query, x *expected) string {
	want := x.Want[0]
	k := 1 + len(want)/2
	a, err := q.Answer(context.Background(), x.bindings, query.Options{K: k, NoStatus: true, Settings: &x.settings})
	if err != nil {
		return err.Error()
	}
	if len(a.Answers) > k {
		return fmt.Sprintf("%d answers, want %d at most", len(a.Answers), k)
	}
	listed := map[model.EntityID]bool{}
	last := float32(2)
	for _, member := range a.Answers {
		if listed[member.Entity] || member.Score > last {
			return fmt.Sprintf("entity %d with %g stands behind %g, or twice", member.Entity, member.Score, last)
		}
		listed[member.Entity], last = true, member.Score
		if what := x.Differs(0, int(member.Entity), member.Score); what != "" {
			return "of the ranking, " + what
		}
	}
	if len(a.Answers) < k {
		last = 0
	}
	for e, w := range want {
		if !listed[model.EntityID(e)] && float64(w)-x.Tolerance(0, e) > float64(last) {
			return fmt.Sprintf("entity %d with %g is not among %d answers down to %g", e, w, len(a.Answers), last)
		}
	}
	return ""
}

// run makes the comparison of a case alone, on the kernels that are in use. It returns
// the difference, "" if there is none; the error says that there is no such case.
func (c *testCase) run(qs *questions) (string, error) {
	q, err := qs.get(c.Query, c.Settings.Layers, c.Semantics, false)
	if err != nil {
		return "", err
	}
	m, err := c.World.model()
	if err != nil {
		return "", err
	}
	defer m.Close()
	var batch []scq.Bindings
	for _, values := range c.Bindings {
		for _, name := range c.Fixed {
			if values[name] != c.Bindings[0][name] {
				return "", fmt.Errorf("%s is fixed and has two values", name)
			}
		}
		batch = append(batch, q.bind(values))
	}
	asked, err := q.ask(m, c.Engine, c.Fixed, batch[0])
	if err == nil && asked == nil {
		err = fmt.Errorf("engine %s has no plan for %s", c.Engine, c.Query)
	}
	if err != nil {
		return "", err
	}
	got, err := answer(asked, batch, c.Settings)
	if err != nil {
		return err.Error(), nil
	}
	for i, b := range batch {
		x, err := q.expect(m, c.Settings, b, c.World.Seed)
		if err != nil {
			return "", err
		}
		what, err := x.Compare(context.Background(), m.Model, got[i])
		if err != nil {
			return "", err
		}
		if what == "" && len(batch) == 1 {
			if what, err = top(asked, m, x); err != nil {
				return "", err
			}
		}
		if what != "" {
			return fmt.Sprintf("query %d of %d: %s", i+1, len(batch), what), nil
		}
	}
	return "", nil
}

// onKernels makes the comparison of a case on its kernels. No other test may run.
func (c *testCase) onKernels(qs *questions) (string, error) {
	before := simd.Engine()
	if err := simd.Use(c.Kernels); err != nil {
		return "", err
	}
	defer func() {
		if err := simd.Use(before); err != nil {
			panic(err)
		}
	}()
	return c.run(qs)
}
