package calibrate

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"gonum.org/v1/gonum/stat"

	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/kernels"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
)

// trial is the result of settings: the MRR of every query, by shape.
type trial struct {
	settings model.Settings
	mrr      [][]float64
}

// mean is the mean MRR over the shapes, of the mean over a shape's queries.
func (t *trial) mean() float64 {
	sum := 0.0
	for _, queries := range t.mrr {
		sum += stat.Mean(queries, nil)
	}
	return sum / float64(len(t.mrr))
}

// best returns the trial with the greatest certain gain over the first, or the first if none has
// one. A gain is certain if it exceeds two standard errors, because the best of many looks good
// by chance.
func best(trials []trial) *trial {
	found := &trials[0]
	most := 0.0
	for i := range trials[1:] {
		t := &trials[1+i]
		gain := eval.NewGain(several(t.mrr), several(trials[0].mrr))
		if certain := gain.Mean - 2*gain.Err; certain > most {
			found = t
			most = certain
		}
	}
	return found
}

// several returns the shapes of more than one query: a single one has no error.
func several(mrr [][]float64) [][]float64 {
	return slices.DeleteFunc(slices.Clone(mrr), func(queries []float64) bool { return len(queries) < 2 })
}

// trials asks validation queries.
type trials struct {
	model *runtime.Model
	set   *queryset.Set
}

// values returns a list of values with the model's own first.
func values(list []float64, own float64) []float64 {
	return append([]float64{own}, slices.DeleteFunc(slices.Clone(list), func(x float64) bool { return x == own })...)
}

// messages tries every α with every λ, at the cost of one λ: p = λ·s + (1−λ)·c, where neither the fuzzy
// state s nor the softmaxed cosines c depend on λ. The model's own settings come first.
func (t trials) messages(ctx context.Context, alphas, lambdas []float64, progress func(done, total int)) ([]trial, error) {
	own := t.model.Settings()
	alphas, lambdas = values(alphas, own.Alpha), values(lambdas, own.Lambda)
	list := make([]trial, len(alphas)*len(lambdas))
	for i := range list {
		list[i].settings = own
		list[i].settings.Alpha, list[i].settings.Lambda = alphas[i/len(lambdas)], lambdas[i%len(lambdas)]
	}
	err := t.each(progress, func(g *queryset.Group) error {
		p, args, err := t.prepare(g, model.NSMP)
		if err != nil {
			return err
		}
		q, err := p.Readout()
		if err != nil {
			return err
		}
		var rows [][]float64
		for i := range alphas {
			at := list[i*len(lambdas) : (i+1)*len(lambdas)]
			if i == 0 || alphaMatters(p) {
				rows, err = ranked(ctx, g, q, args, &at[0].settings, len(lambdas), func(dst, scratch plan.Vector, _, k int, _ plan.Vector, sets []plan.Vector) {
					mix(dst, scratch, sets, lambdas[k])
				})
				if err != nil {
					return err
				}
			}
			for k := range at {
				at[k].mrr = append(at[k].mrr, rows[k])
			}
		}
		return nil
	})
	return list, err
}

// alphaMatters reports whether α makes a difference for a shape: whether an atom between two
// variables is negated. Otherwise, below n, it makes none: N(α/n − s·M) is the same for all α
// if s is one-hot.
func alphaMatters(p *compiler.Prepared) bool {
	for _, pattern := range p.Shape().Disjuncts {
		for _, a := range pattern.Atoms {
			if a.Negated && !a.Unequal() && !a.Head.Constant && !a.Tail.Constant {
				return true
			}
		}
	}
	return false
}

// mixtures tries every g; the model's own comes first. Each semantics runs once.
func (t trials) mixtures(ctx context.Context, weights []float64, progress func(done, total int)) ([]trial, error) {
	own := t.model.Settings()
	own.Degrees = own.Degrees.OrDefault()
	weights = values(weights, own.Degrees.Mixture)
	list := make([]trial, len(weights))
	for i, g := range weights {
		list[i].settings = own
		list[i].settings.Degrees.Mixture = g
	}
	err := t.each(progress, func(g *queryset.Group) error {
		degrees, args, err := t.prepare(g, model.FIT)
		if err != nil {
			return err
		}
		messages, _, err := t.prepare(g, model.NSMP)
		if err != nil {
			return err
		}
		logs := make([]plan.Vector, len(args))
		if err := messages.Each(ctx, args, &own, func(i int, r *runtime.Run) error {
			answer := r.Scores()
			logs[i] = slices.Clone(answer)
			fit.LogProbabilities(logs[i])
			return nil
		}); err != nil {
			return err
		}
		rows, err := ranked(ctx, g, degrees.Question, args, &own, len(weights), func(dst, scratch plan.Vector, i, k int, answer plan.Vector, _ []plan.Vector) {
			if k == 0 {
				copy(scratch, answer)
				fit.LogDegrees(scratch)
			}
			fit.MixLogs(dst, logs[i], scratch, weights[k])
		})
		for k, row := range rows {
			list[k].mrr = append(list[k].mrr, row)
		}
		return err
	})
	return list, err
}

// each calls try for every shape.
func (t trials) each(progress func(done, total int), try func(g *queryset.Group) error) error {
	for i, g := range t.set.Groups {
		progress(i, len(t.set.Groups))
		if err := try(g); err != nil {
			return fmt.Errorf("queries %s: %w", g.Name, err)
		}
	}
	return nil
}

// prepare compiles the formula of a shape, and returns the values of the parameters of its queries.
func (t trials) prepare(g *queryset.Group, s model.Semantics) (*compiler.Prepared, []runtime.Args, error) {
	p, err := compiler.Prepare(t.model, g.Template, compiler.Options{Semantics: &s})
	if err != nil {
		return nil, nil, err
	}
	args := make([]runtime.Args, len(g.Queries))
	for i, q := range g.Queries {
		args[i] = p.Spec().Args(q.Args...)
	}
	return p, args, nil
}

// ranked asks the queries of a shape once and returns the MRR of each under each of several values of
// a setting that costs nothing. mixed puts the scores of query i under value k into dst; it is told
// what the query reports, and finds in scratch what it put there for the values before. Scores of a
// union need not sum to 1: they only rank.
func ranked(ctx context.Context, g *queryset.Group, q *runtime.Question, args []runtime.Args, s *model.Settings, values int,
	mixed func(dst, scratch plan.Vector, i, k int, answer plan.Vector, sets []plan.Vector)) ([][]float64, error) {
	rows := make([][]float64, values)
	for k := range rows {
		rows[k] = make([]float64, len(g.Queries))
	}
	n := q.Model().NumEntities()
	pairs := sync.Pool{New: func() any { return &[2]plan.Vector{make(plan.Vector, n), make(plan.Vector, n)} }}
	return rows, q.Each(ctx, args, s, func(i int, r *runtime.Run) error {
		answer := r.Scores()
		sets := r.Sets()
		room := pairs.Get().(*[2]plan.Vector)
		defer pairs.Put(room)
		for k := range rows {
			mixed(room[0], room[1], i, k, answer, sets)
			ranks, err := eval.Ranks(room[0], g.Queries[i].Hard, g.Queries[i].Easy)
			if err != nil {
				return err
			}
			rows[k][i] = eval.MRR(ranks)
		}
		return nil
	})
}

// mix computes the answer from s and c of each disjunct in turn. A single disjunct gives the answer as it
// is; of several, each is scaled to its own best and the maximum is taken.
func mix(dst, scratch plan.Vector, sets []plan.Vector, lambda float64) {
	kernels.Mix(dst, sets[0], sets[1], lambda)
	if len(sets) == 2 {
		return
	}
	kernels.ScaleMax(dst, dst)
	for i := 2; i < len(sets); i += 2 {
		kernels.Mix(scratch, sets[i], sets[i+1], lambda)
		kernels.ScaleMax(scratch, scratch)
		kernels.Max(dst, dst, scratch)
	}
}
