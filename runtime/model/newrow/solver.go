package newrow

import (
	"cmp"
	"math"
	"slices"

	"github.com/efoc/efoc/kernels"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model"
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
	rangeSample, restSample = 200, 200
	// askerSample is the number of other facts of a relation that are looked at.
	askerSample = 100
	// maxTails bounds the known answers of a question that are looked at one by one.
	maxTails = 256
)

// Fact is a fact of a new entity: its directed relation leads from the new entity to
// another one.
type Fact struct {
	Relation model.RelationID
	Other    model.EntityID
}

// Solver makes rows for a model. It is not safe for concurrent use, and must not be used
// when the model is closed.
type Solver struct {
	graph     *model.Graph
	predictor *model.Predictor
	width     int
	rate      float32
	rest      []int32
	askers    map[model.RelationID]*askers
	more      [][]float32 // the rows of new entities, nil where there is none yet
}

// New returns a solver for a model.
func New(m *model.Model) *Solver {
	s := &Solver{graph: m.Graph, predictor: &m.Predictor, width: 2 * m.Predictor.Rank, askers: map[model.RelationID]*askers{}}
	n := m.NumEntities()
	k := min(n, restSample)
	sum := 0.0
	for i := range k {
		e := int32(i * n / k)
		s.rest = append(s.rest, e)
		norm := float64(m.Predictor.EntityNorms[e])
		sum += norm * norm
	}
	s.rate = float32(rate * math.Sqrt(sum/float64(k*s.width)))
	return s
}

// group is the facts of a relation.
type group struct {
	relation []float32 // W_r
	tails    []int32
	targets  []float32 // the sum of their rows
	sample   sample
	askers   *askers
}

// Row returns the row of an entity with the given facts, 2d numbers: zeros if there are
// none. The order of the facts and repeated ones do not matter.
func (s *Solver) Row(facts []Fact) []float32 {
	facts = slices.Clone(facts)
	slices.SortFunc(facts, func(a, b Fact) int { return cmp.Or(cmp.Compare(a.Relation, b.Relation), cmp.Compare(a.Other, b.Other)) })
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
func (s *Solver) groups(facts []Fact) ([]group, *askers) {
	var groups []group
	asked := &askers{weight: 1}
	for len(facts) > 0 {
		r, end := facts[0].Relation, 0
		g := group{relation: s.predictor.Relation(r), targets: make([]float32, s.width)}
		for ; end < len(facts) && facts[end].Relation == r; end++ {
			other := facts[end].Other
			g.tails = append(g.tails, int32(other))
			simd.ScaleAdd(g.targets, g.targets, 1, s.row(other))
		}
		facts = facts[end:]
		g.sample, g.askers = s.sampleOf(r, g.tails), s.askersOf(r.Inverse())
		s.ask(asked, s.sampleOf(r.Inverse(), nil), r.Inverse(), g.tails)
		groups = append(groups, g)
	}
	return groups, asked
}

// descent is a minimisation.
type descent struct {
	s       *Solver
	groups  []group
	asked   *askers
	x       []float32
	squares []float32

	gradient, query, sum []float32
	scores               []float32
}

// differentiate computes the gradient at x without the regulariser.
func (d *descent) differentiate() {
	clear(d.gradient)
	for _, g := range d.groups {
		count := float64(len(g.tails))
		kernels.Project(d.query, d.x, g.relation, false, false)
		scores := d.fit(len(g.sample.logs))
		simd.DotRows(scores, g.sample.rows, d.query)
		z := logSum(scores, g.sample.logs)
		for i, score := range scores {
			scores[i] = float32(count * math.Exp(float64(score+g.sample.logs[i])-z))
		}
		simd.Scale(d.sum, g.targets, -1)
		simd.AxpyRows(d.sum, g.sample.rows, scores)
		kernels.Project(d.query, d.sum, g.relation, true, false)
		simd.Add(d.gradient, d.gradient, d.query)
		d.push(g.askers, 0)
	}
	d.push(d.asked, -1)
}

// push adds the gradients of log(1 + exp⟨q, x⟩/Z_q) for all q, or with a shift of −1 those
// of log(1 + Z_q·exp(−⟨q, x⟩)).
func (d *descent) push(a *askers, shift float64) {
	scores := d.fit(len(a.logs))
	simd.DotRows(scores, a.queries, d.x)
	for i, score := range scores {
		scores[i] = float32(a.weight * (shift + 1/(1+math.Exp(a.logs[i]-float64(score)))))
	}
	simd.AxpyRows(d.gradient, a.queries, scores)
}

// fit returns room for so many scores.
func (d *descent) fit(count int) []float32 {
	d.scores = slices.Grow(d.scores[:0], count)[:count]
	return d.scores
}
