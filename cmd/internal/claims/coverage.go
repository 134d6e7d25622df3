package claims

import (
	"context"
	"slices"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/graph"
)

// Counted compares estimated numbers of answers to ordinary questions of a shape with the true ones.
type Counted struct {
	Shape     string `json:"shape"`
	Questions int    `json:"questions"`
	Known     int    `json:"known"`
	// Expected is the number of answers expected beside the known ones, and True the true number of these.
	Expected float64 `json:"expected"`
	True     int     `json:"true"`
	Within   int     `json:"within"` // questions whose number of true answers lies within the bounds
}

// Covered compares a level of coverage with ordinary questions of a shape to which the graph lacks an answer.
type Covered struct {
	Shape     string  `json:"shape"`
	Level     float64 `json:"level"`
	Questions int     `json:"questions"`
	Covered   int     `json:"covered"` // questions whose true answers are all among the best Answers
	Answers   int     `json:"answers"` // of all questions
}

// levels are the levels of coverage that are measured.
var levels = []float64{0.8, 0.9, 0.95}

// sized measures the numbers of answers to questions of a shape, and levels of coverage. There are none for which the
// model lacks calibration.
func (a *asker) sized(ctx context.Context, shape string) (n Counted, list []Covered, err error) {
	n.Shape = shape
	t, queries, err := a.drawn(ctx, shape, a.count)
	if err != nil {
		return n, nil, err
	}
	if shape == "1p" {
		queries = a.facts()
	}
	p, err := compiler.Prepare(a.model, t.Query, a.prepare())
	if err != nil {
		return n, nil, err
	}
	o := a.options.Options
	o.K = 1
	for _, o.Coverage = range levels {
		if p.Check(o) == nil {
			list = append(list, Covered{Shape: shape, Level: o.Coverage})
		}
	}
	for _, q := range queries {
		args := p.Spec().Args(q.Args...)
		truth := slices.Concat(q.Easy, q.Hard)
		if shape == "2in" { // the facts put aside refute known answers
			d := &p.Spec().Parts[0].Plan.Disjuncts[0]
			b := p.PartBindings(0, args)
			truth = slices.DeleteFunc(truth, func(e int32) bool { return !a.holds(d, b, graph.EntityID(e)) })
		}
		err := p.Each(ctx, []runtime.Args{args}, o.Settings, func(_ int, r *runtime.Run) error {
			if err := n.add(r, q, len(truth)); err != nil || len(q.Hard) == 0 {
				return err
			}
			for i := range list {
				o.Coverage = list[i].Level
				if err := list[i].add(r, o, truth); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return n, nil, err
		}
	}
	return n, list, nil
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

// add adds a question with its true number of answers.
func (n *Counted) add(r *runtime.Run, q queryset.Case, truth int) error {
	c, err := r.Count(runtime.Options{}, q.Easy)
	if err != nil || c.Uncalibrated != "" {
		return err
	}
	n.Questions++
	n.Known += c.Known
	n.Expected += c.Missing
	n.True += len(q.Hard)
	if x := float64(truth); c.Low <= x && x <= c.High {
		n.Within++
	}
	return nil
}

// add adds a question with its true answers.
func (c *Covered) add(r *runtime.Run, o runtime.Options, truth []int32) error {
	reply, err := r.Reply(o)
	if err != nil {
		return err
	}
	c.Questions++
	c.Answers += reply.Coverage.Size
	ranked := slices.Sorted(slices.Values(r.Scores()))
	least := ranked[len(ranked)-max(1, reply.Coverage.Size)]
	if !slices.ContainsFunc(truth, func(e int32) bool { return r.Scores()[e] < least }) {
		c.Covered++
	}
	return nil
}
