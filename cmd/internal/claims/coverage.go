package claims

import (
	"context"
	"slices"

	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/cmd/internal/sample"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/exact"
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

// shapes are the shapes whose numbers of answers are measured, with the kinds of answers whose claims are summed up.
var shapes = []struct {
	name  string
	kinds []answerKind
}{
	{"1p", nil},
	{"2i", []answerKind{{"r(a, y) & s(b, y)", notKnown}}},
	{"2in", []answerKind{{"r(a, y) & !s(b, y)", notKnown}, {"the same, known answers", runtime.Known}}},
	{"2p", nil},
}

// answerKind is answers of some statuses.
type answerKind struct {
	name     string
	statuses runtime.Status
}

// asked is what is found of a question: its known answers, those that the facts put aside add, and all that are true.
type asked struct {
	queryset.Case
	truth []int32
	run   *runtime.Run
	by    runtime.Options
}

// shape asks ordinary queries of a shape, and adds what it finds to a report. There are no levels of coverage for which
// the model lacks calibration.
func (a *asker) shape(ctx context.Context, to *Report, shape string, kinds []answerKind) error {
	t, queries, err := a.drawn(ctx, shape, a.count)
	if err != nil {
		return err
	}
	if shape == "1p" {
		queries = a.facts()
	}
	p, err := compiler.Prepare(a.model, t.Query, a.prepare())
	if err != nil {
		return err
	}
	x := asked{by: a.options.Options}
	n := Counted{Shape: shape}
	var covered []Covered
	for _, x.by.Coverage = range levels {
		if p.Check(x.by) == nil {
			covered = append(covered, Covered{Shape: shape, Level: x.by.Coverage})
		}
	}
	claims := make([][]claim, len(kinds))
	solver := exact.Solver{Context: ctx, Budget: answerBudget}
	for _, x.Case = range queries {
		args := p.Spec().Args(x.Args...)
		x.truth, err = solver.Answers(a.full, p.Shape().Disjuncts, p.PartBindings(0, args))
		if err != nil {
			return err
		}
		err := p.Each(ctx, []runtime.Args{args}, x.by.Settings, func(_ int, r *runtime.Run) (err error) {
			x.run = r
			for i, k := range kinds {
				claims[i], err = x.claims(claims[i], k.statuses)
				if err != nil {
					return err
				}
			}
			for i := range covered {
				if err := covered[i].add(&x); err != nil {
					return err
				}
			}
			return n.add(&x)
		})
		if err != nil {
			return err
		}
	}
	for i, k := range kinds {
		to.Kinds = append(to.Kinds, newKind(k.name, n.Questions, claims[i]))
	}
	to.Counts = append(to.Counts, n)
	to.Coverage = append(to.Coverage, covered...)
	return nil
}

// claims appends the claims about the best answers of some statuses.
func (x *asked) claims(list []claim, statuses runtime.Status) ([]claim, error) {
	o := x.by
	o.K = predictedEach
	o.Coverage = 0
	o.Filter.Statuses = statuses
	reply, err := x.run.Reply(o)
	if err != nil {
		return nil, err
	}
	for _, row := range reply.Rows {
		_, holds := slices.BinarySearch(x.truth, int32(row.Values[0].ID))
		list = append(list, claim{Claim: eval.Claim{Confidence: row.Confidence, True: holds}})
	}
	return list, nil
}

// facts returns the questions of random facts, including those put aside, from either end.
func (a *asker) facts() (list []queryset.Case) {
	for _, x := range slices.Concat(a.ordinary(a.full, false), a.ordinary(a.full, true)) {
		q := queryset.Case{Args: []int32{int32(x.head), int32(x.r)}, Easy: a.model.Bundle().Graph.Tails(x.head, x.r)}
		q.Hard = sample.Without(a.full.Tails(x.head, x.r), q.Easy)
		list = append(list, q)
	}
	return list
}

// add adds a question, if its answers can be counted.
func (n *Counted) add(x *asked) error {
	c, err := x.run.Count(runtime.Options{}, x.Easy)
	if err != nil || c.Uncalibrated != "" {
		return err
	}
	n.Questions++
	n.Known += c.Known
	n.Expected += c.Missing
	n.True += len(x.Hard)
	if all := float64(len(x.truth)); c.Low <= all && all <= c.High {
		n.Within++
	}
	return nil
}

// add adds a question to which the graph lacks an answer.
func (c *Covered) add(x *asked) error {
	if len(x.Hard) == 0 {
		return nil
	}
	o := x.by
	o.K = 1
	o.Coverage = c.Level
	reply, err := x.run.Reply(o)
	if err != nil {
		return err
	}
	c.Questions++
	c.Answers += reply.Coverage.Size
	scores := x.run.Scores()
	ranked := slices.Sorted(slices.Values(scores))
	least := ranked[len(ranked)-max(1, reply.Coverage.Size)]
	if !slices.ContainsFunc(x.truth, func(e int32) bool { return scores[e] < least }) {
		c.Covered++
	}
	return nil
}
