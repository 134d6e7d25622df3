package newrow

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/efoc/efoc/kernels"
	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
)

// Settings of the minimisation, found by trying on entities of FB15k-237 that were held
// out: see TestQuality.
const (
	// steps of Adagrad are taken, at a rate that falls from rate times the root mean square
	// of the numbers of the table to nothing.
	steps = 20
	rate  = 1
	// n3 weighs the regulariser, as training does by default.
	n3 = 0.05
	// rangeSample and restSample are the entities that a sum over all is estimated from:
	// those with facts of the relation, and others.
	rangeSample, restSample = 100, 100
	// askerSample is the number of other facts of a relation that are looked at.
	askerSample = 50
	// maxTails bounds the known answers of a question that are looked at one by one.
	maxTails = 256
)

// fact is a fact of a new entity: its directed relation leads from the new entity to another
// one.
type fact struct {
	Relation graph.RelationID
	Other    graph.EntityID
}

// solver computes rows for a model. It is not safe for concurrent use, and must not be used
// after the model is closed.
type solver struct {
	graph     *graph.Graph
	predictor *model.Predictor
	width     int
	rate      float32
	rest      []int32
	restRows  []float32 // of rest, side by side
	blank     []float32 // width zeros
	samples   map[graph.RelationID]*sample
	askers    map[graph.RelationID]*askers
	more      [][]float32 // the rows of new entities, nil where there is none yet

	rows, products, scores, groupRows []float32 // buffers
}

// newSolver returns a solver for a model.
func newSolver(m *model.Model) *solver {
	s := &solver{
		graph: m.Graph, predictor: &m.Predictor, width: 2 * m.Predictor.Rank,
		samples: map[graph.RelationID]*sample{}, askers: map[graph.RelationID]*askers{},
	}
	n := m.NumEntities()
	k := min(n, restSample)
	sum := 0.0
	for i := range k {
		e := int32(i * n / k)
		s.rest = append(s.rest, e)
		norm := float64(m.Predictor.EntityNorms[e])
		sum += norm * norm
	}
	s.restRows = s.rowsOf(nil, s.rest)
	s.blank = make([]float32, s.width)
	s.rate = float32(rate * math.Sqrt(sum/float64(k*s.width)))
	return s
}

// idle has solvers of earlier calls, with their samples.
var idle sync.Pool

// maxSampled bounds the relations of an idle solver. Each takes about 50 queries: 100 kB at rank 256.
const maxSampled = 64

// takeSolver returns a solver for a model, an idle one if the last was for the same.
func takeSolver(m *model.Model) *solver {
	if s, is := idle.Get().(*solver); is && s.predictor == &m.Predictor {
		return s
	}
	return newSolver(m)
}

// give ends the use of a solver.
func (s *solver) give() {
	s.more = nil
	if len(s.askers) <= maxSampled {
		idle.Put(s)
	}
}

// group is the facts of a relation.
type group struct {
	relation []float32
	targets  []float32 // the sum of the rows of the tails
	count    float32   // of facts
	rows     []float32 // of the sample, and of tails that it lacks
	logs     []float32 // of these, and then of the rest
	askers   *askers
}

// rowFor returns the row of an entity with the given facts, 2d numbers: zeros if there are
// none. The order of the facts and repeated ones do not matter.
func (s *solver) rowFor(facts []fact) []float32 {
	facts = slices.Clone(facts)
	slices.SortFunc(facts, func(a, b fact) int { return cmp.Or(cmp.Compare(a.Relation, b.Relation), cmp.Compare(a.Other, b.Other)) })
	facts = slices.Compact(facts)
	x := make([]float32, s.width)
	if len(facts) == 0 {
		return x
	}
	groups, asked := s.groups(facts)
	d := descent{s: s, groups: groups, asked: asked, x: x}
	for _, v := range []*[]float32{&d.gradient, &d.query, &d.sum, &d.squares} {
		*v = make([]float32, s.width)
	}
	weight := float32(3 * 2 * n3 * float64(len(facts))) // the gradient of |x|³ is 3·|x|·x
	for step := range steps {
		d.differentiate()
		falling := 1 - float32(step)/steps
		simd.AdagradN3(x, d.squares, d.gradient, s.rate*falling, weight)
	}
	return x
}

// groups returns the facts by relation, and the questions that ask for the entity from the
// other ends.
func (s *solver) groups(facts []fact) ([]group, *askers) {
	var groups []group
	asked := &askers{weight: 1}
	s.groupRows = s.groupRows[:0]
	for len(facts) > 0 {
		r := facts[0].Relation
		g := group{relation: s.predictor.Relation(r), targets: make([]float32, s.width), askers: s.askersOf(r.Inverse())}
		var tails []int32
		for len(facts) > 0 && facts[0].Relation == r {
			tails = append(tails, int32(facts[0].Other))
			simd.Add(g.targets, g.targets, s.row(facts[0].Other))
			facts = facts[1:]
		}
		g.count = float32(len(tails))
		// The tails are in the sample for certain, each for itself.
		c := s.sampleOf(r)
		ids := slices.Clone(c.ids)
		logs := slices.Clone(c.logs[:len(c.ids)])
		rest := slices.Clone(c.logs[len(c.ids):])
		for _, e := range tails {
			at, there := c.at[e]
			switch {
			case there && at < len(c.ids):
				logs[at] = 0
				continue
			case there:
				rest[at-len(c.ids)] = never
			}
			ids = append(ids, e)
			logs = append(logs, 0)
		}
		before := len(s.groupRows)
		s.groupRows = s.rowsOf(s.groupRows, ids)
		g.rows = s.groupRows[before:]
		g.logs = append(logs, rest...)
		s.ask(asked, r.Inverse(), tails)
		groups = append(groups, g)
	}
	return groups, asked
}

// descent is a minimisation.
type descent struct {
	s       *solver
	groups  []group
	asked   *askers
	x       []float32
	squares []float32

	gradient, query, sum []float32
}

// differentiate computes the gradient at x without the regulariser.
func (d *descent) differentiate() {
	clear(d.gradient)
	for _, g := range d.groups {
		kernels.Project(d.query, d.x, g.relation, false, false)
		d.s.scores = reuse.Slice(d.s.scores, len(g.logs))
		scores := d.s.scores
		own := len(scores) - len(d.s.rest)
		simd.DotRows(scores[:own], g.rows, d.query)
		simd.DotRows(scores[own:], d.s.restRows, d.query)
		simd.Add(scores, scores, g.logs)
		exponentials(scores)
		simd.Scale(scores, scores, g.count)
		simd.Scale(d.sum, g.targets, -1)
		simd.AxpyRows(d.sum, g.rows, scores[:own])
		simd.AxpyRows(d.sum, d.s.restRows, scores[own:])
		kernels.Project(d.query, d.sum, g.relation, true, false)
		simd.Add(d.gradient, d.gradient, d.query)
		d.push(g.askers, 0)
	}
	d.push(d.asked, -1)
}

// push adds the gradients of log(1 + exp⟨q, x⟩/Z_q) for all q, or with a shift of −1 those
// of log(1 + Z_q·exp(−⟨q, x⟩)).
func (d *descent) push(a *askers, shift float32) {
	d.s.scores = reuse.Slice(d.s.scores, len(a.logs))
	scores := d.s.scores
	simd.DotRows(scores, a.queries, d.x)
	for i, score := range scores {
		scores[i] = a.weight * (shift + 1/(1+float32(math.Exp(float64(a.logs[i]-score)))))
	}
	simd.AxpyRows(d.gradient, a.queries, scores)
}
