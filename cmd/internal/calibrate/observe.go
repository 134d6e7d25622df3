package calibrate

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/efoc/efoc/cmd/internal/missing"
	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/cmd/internal/sample"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

const (
	// perRelation is the number of questions for the facts of each directed relation, beside
	// those that are drawn.
	perRelation = 3
	// ordinaryFacts is the number of ordinary questions of a single atom, and ordinaryShapes is one to that
	// of other shapes, for each query that is drawn of a shape.
	ordinaryFacts, ordinaryShapes = 20, 3
)

// question is a query with its answers: easy ones follow from the observed graph, hard ones
// from the full one alone.
type question struct {
	asking
	args       runtime.Args
	used       bool // its answers do not take too much work
	easy, hard []int32
	halves     [][]int32 // follow from the observed graph and each half of the facts that are put aside
	form       int       // see scq.Form
	wrong      []int32   // easy answers that the full graph refutes: known, but false; ascending
	doubts     []point   // model.Doubt of each easy answer if it may be refuted
}

// found is what a semantics finds of a question: its best predicted answers and a sample of those behind, and its smallest
// model.Ratio.
type found struct {
	list  []runtime.Observed
	ratio float64
}

// observer asks questions.
type observer struct {
	model   *runtime.Model
	full    *graph.Graph
	halves  []*graph.Graph // the observed graph and each half of the facts that are put aside
	judged  int            // questions of each shape
	options Options
	sampler *sample.Sampler // of held-out questions
	plain   *sample.Sampler // of ordinary ones
	seen    map[model.Semantics]*observed
	asked   int
}

// shape asks queries of a benchmark shape.
func (o *observer) shape(ctx context.Context, name string, valid []graph.Triple) error {
	t, err := sample.NewShape(name)
	if err != nil {
		return err
	}
	p, err := compiler.Prepare(o.model, t.Query, compiler.Options{Plans: o.options.Plans, Semantics: new(model.Mixed)})
	if err != nil {
		return err
	}
	asked, err := o.draw(ctx, t, p, valid)
	if err != nil {
		return err
	}
	questions, err := o.questions(ctx, p, asked)
	if err != nil || len(questions) == 0 {
		return err
	}
	args := make([]runtime.Args, len(questions))
	for i := range questions {
		args[i] = questions[i].args
	}
	all := make(map[model.Semantics][]found)
	for _, s := range model.AllSemantics {
		all[s] = make([]found, len(questions))
	}
	refutable := scq.Negates(p.Shape().Disjuncts)
	err = p.Each(ctx, args, nil, func(i int, r *runtime.Run) error {
		q := &questions[i]
		return r.Observe(q.kind < extra, q.easy, func(s model.Semantics, list []runtime.Observed, scores plan.Vector) {
			f := &all[s][i]
			f.list = list
			f.ratio = q.ratio(s, list, scores)
			if s == model.FIT && refutable {
				q.doubt(scores)
			}
		})
	})
	if err != nil {
		return err
	}
	for s, seen := range o.seen {
		for i := range questions {
			seen.add(&questions[i], o.asked+i, all[s][i], o.ends)
		}
	}
	o.asked += len(questions)
	return nil
}

// ratio returns the smallest model.Ratio of an answer, given the best one that is not known.
func (q *question) ratio(by model.Semantics, best []runtime.Observed, scores plan.Vector) float64 {
	if len(best) == 0 {
		return 0
	}
	least := float32(math.Inf(1))
	for _, e := range slices.Concat(q.easy, q.hard) {
		least = min(least, scores[e])
	}
	return digits(model.Ratio(by, least, scores[best[0].Entity]))
}

// doubt notes the truth degrees of the easy answers.
func (q *question) doubt(degrees plan.Vector) {
	for _, e := range q.easy {
		p := point{x: digits(model.Doubt(float64(degrees[e]))), weight: 1}
		if _, wrong := slices.BinarySearch(q.wrong, e); wrong {
			p.hits = 1
		}
		q.doubts = append(q.doubts, p)
	}
}

// draw returns the queries of a shape: held-out and ordinary ones.
func (o *observer) draw(ctx context.Context, t *sample.Template, p *compiler.Prepared, valid []graph.Triple) ([]asking, error) {
	drawn, err := o.sampler.Draw(ctx, t, o.model.Bundle().Pool().Size(), nil)
	if err != nil {
		return nil, err
	}
	asked := tagged(nil, heldOut, drawn.Queries)
	if t.Name == "1p" {
		asked = tagged(asked, extra, o.facts(p, valid))
		asked = tagged(asked, ordinary, o.randomFacts(p))
		asked = tagged(asked, lacking, o.lacking(p))
		return append(asked, o.untrue(p)...), nil
	}
	drawn, err = o.plain.Draw(ctx, t, o.model.Bundle().Pool().Size(), nil)
	if err != nil {
		return nil, err
	}
	return tagged(asked, ordinary, drawn.Queries), nil
}

// ends returns what the graphs have of a link's ends, and the chance that its relation applies to the first end without
// facts of it.
func (o *observer) ends(x *runtime.Observed) (ends [2]end, applies float64) {
	m := o.model.Bundle()
	at := [2]graph.EntityID{x.Head, x.Tail}
	for i, r := range []graph.RelationID{x.Relation, x.Relation.Inverse()} {
		switch {
		case x.Relation < 0 || at[i] < 0 || len(m.Graph.Tails(at[i], r)) > 0:
			continue
		case len(o.full.Tails(at[i], r)) > 0:
			ends[i] = lost
		default:
			ends[i] = unsure
		}
		if ends[0] == linked || i == 0 {
			applies = m.Applies(at[i], r, m.Manifest.Missing.HeldOut)
		}
	}
	return ends, applies
}

// add notes what was found of a question.
func (o *observed) add(q *question, number int, f found, ends func(x *runtime.Observed) ([2]end, float64)) {
	for i, x := range f.list {
		if _, counts := slices.BinarySearch(q.only, int32(x.Entity)); q.only != nil && !counts {
			continue
		}
		_, right := slices.BinarySearch(q.hard, int32(x.Entity))
		a := observation{
			stands: x.Stands, place: x.Place, known: len(q.easy),
			question: number, evidence: x.Evidence, margin: x.Margin, relation: x.Relation, terms: x.Terms, isTrue: right, kind: q.kind, form: q.form,
		}
		a.ends, a.applies = ends(&x)
		if i >= model.Judged {
			o.behind = append(o.behind, a)
			continue
		}
		o.answers = append(o.answers, a)
		if right && q.kind == heldOut && a.ends[0] == linked {
			o.overlap.add(q, int32(x.Entity))
		}
	}
	if q.kind >= extra {
		return
	}
	o.queries[q.kind]++
	o.doubts[q.kind] = append(o.doubts[q.kind], q.doubts...)
	o.hard[number] = float64(len(q.hard))
	if len(q.hard) > 0 {
		list := &o.ratios[q.kind][q.form]
		*list = append(*list, f.ratio)
	}
}

// facts returns questions for facts of each directed relation, spread evenly over all of them,
// so that no relation's offset is left to chance.
func (o *observer) facts(p *compiler.Prepared, valid []graph.Triple) []queryset.Case {
	heads := make([][]int32, o.model.NumRelations())
	for _, f := range valid {
		heads[2*f.Relation] = append(heads[2*f.Relation], int32(f.Head))
		heads[2*f.Relation+1] = append(heads[2*f.Relation+1], int32(f.Tail))
	}
	var queries []queryset.Case
	for r, list := range heads {
		slices.Sort(list)
		list = slices.Compact(list)
		count := min(len(list), max(1, perRelation*o.judged/mostConfidence))
		for i := range count {
			queries = append(queries, single(p, list[(2*i+1)*len(list)/(2*count)], graph.RelationID(r)))
		}
	}
	return queries
}

// untrue returns questions, from either end, for the facts that users have marked as not true, which alone count:
// it is certain that they are false.
func (o *observer) untrue(p *compiler.Prepared) (list []asking) {
	untrue := o.model.Bundle().Untrue
	if untrue == nil {
		return nil
	}
	for r := range graph.RelationID(o.model.NumRelations()) {
		heads, _ := untrue.Edges(r)
		for _, h := range slices.Compact(slices.Clone(heads)) {
			list = append(list, asking{single(p, h, r), extra, untrue.Tails(graph.EntityID(h), r)})
		}
	}
	return list
}

// randomFacts returns questions for random facts of the whole graph, read in either direction. A question
// that comes twice is asked once.
func (o *observer) randomFacts(p *compiler.Prepared) (queries []queryset.Case) {
	rng := rand.New(rand.NewPCG(o.options.Seed, uint64(o.judged)))
	seen := map[[2]int32]bool{}
	for range ordinaryFacts * o.judged {
		f := sample.Fact(rng, o.full)
		q := [2]int32{int32(f.Head), 2 * f.Relation}
		if rng.IntN(2) == 1 {
			q = [2]int32{int32(f.Tail), 2*f.Relation + 1}
		}
		if !seen[q] {
			seen[q] = true
			queries = append(queries, single(p, q[0], graph.RelationID(q[1])))
		}
	}
	return queries
}

// lacking returns questions by which facts of random entities may be missing, of which the graph has no fact.
func (o *observer) lacking(p *compiler.Prepared) (queries []queryset.Case) {
	rng := rand.New(rand.NewPCG(o.options.Seed, uint64(o.judged)))
	for _, e := range rng.Perm(o.model.NumEntities()) {
		for _, r := range missing.Plausible(o.model, graph.EntityID(e)) {
			if len(o.model.Bundle().Graph.Tails(graph.EntityID(e), r)) == 0 {
				queries = append(queries, single(p, int32(e), r))
			}
		}
		if len(queries) > ordinaryFacts*o.judged {
			break
		}
	}
	return queries
}

// single returns the question r(e, y).
func single(p *compiler.Prepared, e int32, r graph.RelationID) queryset.Case {
	args := make([]int32, len(p.Source.Params))
	for j, param := range p.Source.Params {
		args[j] = e
		if strings.HasPrefix(param.Name, "r") {
			args[j] = int32(r)
		}
	}
	return queryset.Case{Args: args}
}

// asking is a query of a kind to ask.
type asking struct {
	queryset.Case
	kind kind
	only []int32 // answers that count, ascending; nil for all
}

// tagged appends queries of a kind.
func tagged(list []asking, of kind, queries []queryset.Case) []asking {
	for _, q := range queries {
		list = append(list, asking{q, of, nil})
	}
	return list
}

// questions returns the queries with their answers.
func (o *observer) questions(ctx context.Context, p *compiler.Prepared, queries []asking) ([]question, error) {
	all := make([]question, len(queries))
	errs := make([]error, len(all))
	solvers := make([]exact.Solver, o.model.Bundle().Pool().Size())
	o.model.Bundle().Pool().Each(len(all), func(worker, i int) {
		s := &solvers[worker]
		x := &all[i]
		s.Budget = answerBudget
		x.asking = queries[i]
		x.args = p.Spec().Args(x.Args...)
		errs[i] = p.CheckArgs(x.args)
		if errs[i] != nil || ctx.Err() != nil {
			return
		}
		patterns := p.Shape().Disjuncts
		x.form = scq.Form(patterns)
		bindings := p.PartBindings(0, x.args)
		var answers [4][]int32
		for k, g := range append([]*graph.Graph{o.model.Bundle().Graph, o.full}, o.halves...) {
			found, err := s.Answers(g, patterns, bindings)
			if err != nil { // a question that takes too much work is left out
				if !errors.Is(err, exact.ErrBudget) {
					errs[i] = err
				}
				return
			}
			answers[k] = slices.Clone(found) // it may be a part of the graph, or what the next call overwrites
		}
		x.easy = answers[0]
		full := answers[1]
		x.halves = answers[2:]
		x.used = true
		x.wrong = sample.Without(x.easy, full)
		x.hard = sample.Without(full, x.easy)
	})
	if err := errors.Join(append(errs, ctx.Err())...); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(x question) bool { return !x.used }), nil
}

// answerBudget bounds the work for the answers of a question.
const answerBudget = 1_000_000
