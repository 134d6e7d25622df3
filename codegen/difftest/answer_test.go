package difftest

import (
	"context"
	"fmt"
	"slices"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/byslot"
)

// differences asks queries, a single one or a batch, and returns how the answer, fuzzy sets and, if ranked, the
// ranking of each differ from the expected ones, "" for no difference. The model must not be split.
func differences(q *runtime.Question, m *runtime.Model, want []*wanted, ranked bool) ([]string, error) {
	ctx := context.Background()
	got := make([][][]float32, len(want))
	var batch []runtime.Args
	for _, x := range want {
		batch = append(batch, byslot.Args(x.bindings))
	}
	err := q.Each(ctx, batch, &want[0].settings, func(i int, r *runtime.Run) error {
		got[i] = append(got[i], slices.Clone(r.Scores()))
		for _, set := range r.Sets() {
			got[i] = append(got[i], slices.Clone(set))
		}
		return nil
	})
	if err != nil {
		return slices.Repeat([]string{err.Error()}, len(want)), nil
	}
	what := make([]string, len(want))
	for i, x := range want {
		if what[i], err = x.Compare(ctx, m.Bundle(), got[i]); err != nil || what[i] != "" {
			ranked = false
		}
		if err != nil {
			return nil, err
		}
	}
	if ranked {
		return rankings(q, m, want)
	}
	return what, nil
}

// rankings checks the results of Ask for a single query, or AskAll for several. It returns the difference for
// each, "" for none. The model must not be split.
func rankings(q *runtime.Question, m *runtime.Model, want []*wanted) ([]string, error) {
	o := runtime.Options{K: 1 + len(want[0].Want[0])/2, NoStatus: true, Settings: &want[0].settings}
	var batch []runtime.Args
	for _, x := range want {
		batch = append(batch, byslot.Args(x.bindings))
	}
	answers := make([]*runtime.Reply, 1)
	var err error
	if len(batch) > 1 {
		answers, err = q.AskAll(context.Background(), batch, o)
	} else {
		answers[0], err = q.Ask(context.Background(), batch[0], o)
	}
	if err != nil {
		return slices.Repeat([]string{err.Error()}, len(want)), nil
	}
	what := make([]string, len(want))
	for i, x := range want {
		if what[i] = ranking(answers[i].Rows, o.K, x); what[i] == "" {
			continue
		}
		if err := x.Refine(context.Background(), m.Bundle()); err != nil {
			return nil, err
		}
		what[i] = ranking(answers[i].Rows, o.K, x)
	}
	return what, nil
}

// ranking checks that the answers are in order, each with its probability, and that every omitted entity is at
// most slightly better than the last.
func ranking(answers []runtime.Row, k int, x *wanted) string {
	if len(answers) > k {
		return fmt.Sprintf("%d answers, want %d at most", len(answers), k)
	}
	listed := map[graph.EntityID]bool{}
	last := float32(2)
	for _, member := range answers {
		if listed[member.Values[0].ID] || member.Score > last {
			return fmt.Sprintf("entity %d with %g stands behind %g, or twice", member.Values[0].ID, member.Score, last)
		}
		listed[member.Values[0].ID], last = true, member.Score
		if what := x.Differs(0, int(member.Values[0].ID), member.Score); what != "" {
			return "of the ranking, " + what
		}
	}
	if len(answers) < k {
		last = 0
	}
	for e, w := range x.Want[0] {
		if !listed[graph.EntityID(e)] && float64(w)-x.Tolerance(0, e) > float64(last) {
			return fmt.Sprintf("entity %d with %g is not among %d answers down to %g", e, w, len(answers), last)
		}
	}
	return ""
}

// run repeats the comparison of a single case, on the kernels in use. It returns the difference, "" for none;
// the error says that there is no such case.
func (c *testCase) run(qs *questions) (string, error) {
	if parsed, err := parseTemplate(c.Query); err == nil && parsed.Asks() == kind.Rows {
		rows := &rowsCase{testCase: *c}
		if err := rows.prepare(); err != nil {
			return "", err
		}
		return rows.compare(c.Engine)
	}
	q, err := qs.get(c.Query, c.Settings.Layers, c.Semantics, false)
	if err != nil {
		return "", err
	}
	m, err := c.World.model()
	if err != nil {
		return "", err
	}
	defer m.Close()
	var want []*wanted
	for _, values := range c.Bindings {
		x, err := q.expect(m, c.Settings, q.bind(m, values), c.World.Seed)
		if err != nil {
			return "", err
		}
		want = append(want, x)
	}
	asked, err := q.ask(m, c.Engine)
	if err == nil && asked == nil {
		err = fmt.Errorf("engine %s has no plan for %s", c.Engine, c.Query)
	}
	if err != nil {
		return "", err
	}
	what, err := differences(asked, m, want, true)
	for i, what := range what {
		if what != "" {
			return fmt.Sprintf("query %d of %d: %s", i+1, len(want), what), nil
		}
	}
	return "", err
}

// onKernels repeats the comparison of a case on its kernels. No other test may run meanwhile.
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
