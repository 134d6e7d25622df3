package claims

import (
	"context"
	"slices"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
)

// Covered compares a level of coverage with ordinary questions of a shape to which the graph lacks an answer.
type Covered struct {
	Shape     string  `json:"shape"`
	Level     float64 `json:"level"`
	Questions int     `json:"questions"`
	Covered   int     `json:"covered"` // questions whose true answers are all among the best Answers
	Answers   int     `json:"answers"` // of all questions
}

// coverage measures levels on questions of a shape; there are none for which the model lacks calibration.
func (a *asker) coverage(ctx context.Context, shape string) (list []Covered, err error) {
	t, queries, err := a.drawn(ctx, shape, a.count)
	if err != nil {
		return nil, err
	}
	if shape == "1p" {
		queries = a.facts()
	}
	p, err := compiler.Prepare(a.model, t.Query, a.prepare())
	if err != nil {
		return nil, err
	}
	queries = slices.DeleteFunc(queries, func(q queryset.Case) bool { return len(q.Hard) == 0 })
	o := a.options.Options
	o.K = 1
	for _, o.Coverage = range []float64{0.8, 0.9, 0.95} {
		if p.Check(o) != nil {
			continue
		}
		c := Covered{Shape: shape, Level: o.Coverage, Questions: len(queries)}
		for _, q := range queries {
			err := p.Each(ctx, []runtime.Args{p.Spec().Args(q.Args...)}, o.Settings, func(_ int, r *runtime.Run) error {
				return c.add(r, o, slices.Concat(q.Easy, q.Hard))
			})
			if err != nil {
				return nil, err
			}
		}
		list = append(list, c)
	}
	return list, nil
}

// facts returns the questions of random facts, including those put aside, from either end.
func (a *asker) facts() (list []queryset.Case) {
	for _, x := range slices.Concat(a.ordinary(a.full, false), a.ordinary(a.full, true)) {
		q := queryset.Case{Args: []int32{int32(x.head), int32(x.r)}, Easy: a.model.Bundle().Graph.Tails(x.head, x.r)}
		q.Hard = slices.DeleteFunc(slices.Clone(a.full.Tails(x.head, x.r)), func(e int32) bool { return slices.Contains(q.Easy, e) })
		list = append(list, q)
	}
	return list
}

// add adds a question with its true answers.
func (c *Covered) add(r *runtime.Run, o runtime.Options, truth []int32) error {
	reply, err := r.Reply(o)
	if err != nil {
		return err
	}
	c.Answers += reply.Coverage.Size
	ranked := slices.Sorted(slices.Values(r.Scores()))
	least := ranked[len(ranked)-max(1, reply.Coverage.Size)]
	if !slices.ContainsFunc(truth, func(e int32) bool { return r.Scores()[e] < least }) {
		c.Covered++
	}
	return nil
}
