package train

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/efoc/efoc/kernels"
	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/model/graph"
)

// Trainer is a training: the tables, and the position in the order of the examples. It is not safe for concurrent
// use.
type Trainer struct {
	options             Options
	n3                  float64 // of this step
	entities, relations weights
	queries             *queries

	number int // of epochs begun
	step   int // of steps done in the epoch
	order  *epoch
	spent  *epoch // the previous order, whose memory the next one reuses
	loss   Loss   // of the steps done in the epoch

	ask, link   softmax // over entities, over relations
	toEntities  gradient
	toRelations gradient
	updater     updater
	examples    []example
	heads       []int32 // of the examples
	links       []example
	byHead      matrix // gradients with respect to heads and relations of queries
	byRelation  matrix
	linkHead    matrix // gradients with respect to heads and tails of examples
	linkTail    matrix
	sample      []int32 // rows of the candidates, then the other touched rows
	sampled     matrix
	place       []int32 // the index of a row in sample, -1 if absent
	workers     *pool.Pool
	negatives   int
	correction  float64
}

// Loss sums up the cross-entropies of examples.
type Loss struct {
	// Examples is the number of examples.
	Examples int `json:"examples"`
	// Entities and Relations are sums over the examples, in nats.
	Entities  float64 `json:"entities"`
	Relations float64 `json:"relations"`
}

// add adds other to l.
func (l *Loss) add(other Loss) {
	l.Examples += other.Examples
	l.Entities += other.Entities
	l.Relations += other.Relations
}

// Mean returns the mean cross-entropy of the target, in nats.
func (l Loss) Mean() float64 { return l.Entities / float64(max(1, l.Examples)) }

// ErrDiverged reports a step whose loss is not finite. The tables are unchanged.
var ErrDiverged = errors.New("the loss is not a finite number: lower the learning rate")

// maxTable bounds the numbers in a table of embeddings.
const maxTable = 1 << 38

// New returns a training on the facts of g, before its first step. Results do not depend on threads, the number of
// goroutines.
func New(g *graph.Graph, o Options, threads int) (*Trainer, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	n := g.NumEntities()
	relations := g.NumRelations()
	switch {
	case g.NumTriples() == 0:
		return nil, errors.New("the graph has no facts to train on")
	case g.NumTriples() > math.MaxInt32/2:
		return nil, fmt.Errorf("%d facts, more than the %d that can be trained on", g.NumTriples(), math.MaxInt32/2)
	case threads < 1:
		return nil, fmt.Errorf("%d threads, want at least 1", threads)
	case 2*max(n, relations) > maxTable/roundUp(o.Rank):
		return nil, fmt.Errorf("%d entities and %d relations at rank %d: too large a table", n, relations, o.Rank)
	}
	t := &Trainer{
		options:  o,
		entities: newWeights(n, o.Rank), relations: newWeights(relations, o.Rank),
		queries: newQueries(g), workers: pool.New(threads),
	}
	t.begin()
	t.ask.workers, t.link.workers, t.updater.workers = t.workers, t.workers, t.workers
	t.correction = 1
	if o.Negatives > 0 && o.Negatives < n {
		t.negatives = o.Negatives
		t.correction = float64(n) / float64(o.Negatives)
		t.sampled = newMatrix(o.Negatives, t.entities.values.width)
		t.place = slices.Repeat([]int32{-1}, n)
	}
	width := t.entities.values.width
	for _, m := range []*matrix{&t.byHead, &t.byRelation, &t.linkHead, &t.linkTail} {
		*m = newMatrix(0, width)
	}
	return t, nil
}

// begin draws the initial numbers.
func (t *Trainer) begin() {
	rng := t.options.stream(streamInit, 0, 0)
	t.entities.fill(rng, t.options.Init)
	t.relations.fill(rng, t.options.Init)
}

// restart begins another training, with the next seed. The last one ended after an epoch.
func (t *Trainer) restart() {
	t.options.Seed++
	t.number = 0
	t.loss = Loss{}
	clear(t.entities.squares.data)
	clear(t.relations.squares.data)
	t.begin()
}

// Epoch returns the number of completed epochs.
func (t *Trainer) Epoch() int {
	if t.step > 0 {
		return t.number - 1
	}
	return t.number
}

// Steps returns the number of steps done in the epoch, and in total; both are 0 between epochs.
func (t *Trainer) Steps() (done, all int) {
	if t.order == nil {
		return 0, 0
	}
	return t.step, len(t.order.steps) - 1
}

// Loss returns the loss of the steps done in this epoch or, between epochs, of the last one.
func (t *Trainer) Loss() Loss { return t.loss }

// cut ends an epoch that has begun.
func (t *Trainer) cut() {
	if t.order != nil {
		t.spent = t.order
		t.order = nil
		t.step = 0
	}
}

// done returns the number of epochs done, with the part of the last one.
func (t *Trainer) done() float64 {
	if t.order == nil {
		return float64(t.number)
	}
	return float64(t.number-1) + float64(t.step)/float64(len(t.order.steps)-1)
}

// Step takes the next step and returns the loss before it. Between epochs it begins one. The rate depends on the share
// of the training that is over. It converts a panic to an error, after which the training must not continue.
func (t *Trainer) Step(share float64) (_ Loss, err error) {
	defer pool.Catch(&err)
	if t.order == nil {
		t.order = t.queries.epoch(&t.options, t.number, t.spent)
		t.number++
		t.loss = Loss{}
	}
	t.updater.rate = float32(t.options.rateAt(share))
	t.n3 = t.options.n3At(share)
	t.gather(t.order.groups[t.order.steps[t.step]:t.order.steps[t.step+1]])
	loss, err := t.learn()
	if err != nil {
		if t.step == 0 {
			t.order, t.spent, t.number = nil, t.order, t.number-1
		}
		return loss, err
	}
	t.loss.add(loss)
	t.step++
	if t.step == len(t.order.steps)-1 {
		t.cut()
	}
	return loss, nil
}

// gather lists the examples of groups, and computes the vectors of their queries.
func (t *Trainer) gather(groups []group) {
	t.examples = t.examples[:0]
	t.heads = t.heads[:0]
	t.links = t.links[:0]
	t.ask.reset(len(groups), t.entities.values.width)
	t.toEntities.reset(t.entities.values.rows)
	t.toRelations.reset(t.relations.values.rows)
	t.draw()
	for q, g := range groups {
		h := t.queries.heads[g.query]
		r := t.queries.relations[g.query]
		targets := t.order.tails[g.start:g.end]
		kernels.Project(t.ask.queries.row(q), t.entities.values.row(int(h)), t.relations.values.row(int(r)), false, false)
		t.toEntities.use(h, len(targets))
		t.toRelations.use(r, len(targets))
		for _, target := range targets {
			at := target
			if t.negatives > 0 {
				at = t.place[target]
			}
			t.toEntities.use(target, 1)
			if t.options.Relations > 0 {
				t.links = append(t.links, example{int32(len(t.links)), r, r})
			}
			t.examples = append(t.examples, example{int32(q), target, at})
			t.heads = append(t.heads, h)
		}
	}
	if t.negatives == 0 {
		return
	}
	// Other touched rows follow the candidates.
	for _, row := range t.toEntities.touched {
		if t.place[row] < 0 {
			t.sample = append(t.sample, row)
		}
	}
}

// draw chooses the candidates of the step and gathers their embeddings.
func (t *Trainer) draw() {
	if t.negatives == 0 {
		return
	}
	for _, row := range t.sample {
		t.place[row] = -1
	}
	t.sample = t.sample[:0]
	rng := t.options.stream(streamNegatives, t.number, t.step)
	for len(t.sample) < t.negatives {
		if row := rng.Int32N(int32(t.entities.values.rows)); t.place[row] < 0 {
			t.place[row] = 0
			t.sample = append(t.sample, row)
		}
	}
	slices.Sort(t.sample)
	for i, row := range t.sample {
		t.place[row] = int32(i)
		copy(t.sampled.row(i), t.entities.values.row(int(row)))
	}
}

// learn computes the loss and the gradients of the examples and updates the tables.
func (t *Trainer) learn() (Loss, error) {
	values := &t.entities.values
	weight := 1 / float64(len(t.examples))
	candidates := values
	rows := []int32(nil)
	if t.negatives > 0 {
		candidates = &t.sampled
		rows = t.sample
	}
	loss := Loss{Examples: len(t.examples)}
	loss.Entities = t.ask.run(candidates, values, t.examples, t.correction, weight)
	if t.options.Relations > 0 {
		loss.Relations = t.relate(weight)
	}
	if sum := loss.Entities + loss.Relations; math.IsNaN(sum) || math.IsInf(sum, 0) {
		return loss, ErrDiverged
	}
	t.pullQueries()
	n3 := t.n3 * weight
	t.updater.update(&t.entities, rows, &t.ask, &t.toEntities, n3)
	var dense *softmax
	if t.options.Relations > 0 {
		dense = &t.link
	}
	t.updater.update(&t.relations, nil, dense, &t.toRelations, n3)
	return loss, nil
}

// pullQueries propagates the gradients of the queries to heads, relations and targets.
func (t *Trainer) pullQueries() {
	count := t.ask.queries.rows
	t.byHead.fit(count)
	t.byRelation.fit(count)
	heads := make([]int32, count)
	relations := make([]int32, count)
	groups := t.order.groups[t.order.steps[t.step]:]
	for q := range count {
		heads[q], relations[q] = t.queries.heads[groups[q].query], t.queries.relations[groups[q].query]
	}
	t.workers.Each(count, func(_, q int) {
		g := t.ask.gradient.row(q)
		h := t.entities.values.row(int(heads[q]))
		r := t.relations.values.row(int(relations[q]))
		kernels.Project(t.byHead.row(q), g, r, true, false)
		kernels.Project(t.byRelation.row(q), g, h, true, false)
	})
	for q := range count {
		t.toEntities.pull(heads[q], 1, t.byHead.row(q))
		t.toRelations.pull(relations[q], 1, t.byRelation.row(q))
	}
	for i, x := range t.examples {
		t.toEntities.pull(x.target, t.ask.pulls[i], t.ask.queries.row(int(x.query)))
	}
}

// relate adds the loss of the relations, given heads and tails: a query is
// conj(h) ⊗ t.
func (t *Trainer) relate(weight float64) (loss float64) {
	entities := &t.entities.values
	relations := &t.relations.values
	count := len(t.links)
	t.link.reset(count, entities.width)
	t.linkHead.fit(count)
	t.linkTail.fit(count)
	t.workers.Each(count, func(_, i int) {
		kernels.Project(t.link.queries.row(i), entities.row(int(t.examples[i].target)), entities.row(int(t.heads[i])), true, false)
	})
	loss = t.link.run(relations, relations, t.links, 1, weight*t.options.Relations)
	t.workers.Each(count, func(_, i int) {
		// With respect to t it is h ⊗ g, with respect to h it is conj(g) ⊗ t.
		g := t.link.gradient.row(i)
		kernels.Project(t.linkTail.row(i), g, entities.row(int(t.heads[i])), false, false)
		kernels.Project(t.linkHead.row(i), entities.row(int(t.examples[i].target)), g, true, false)
	})
	for i, x := range t.links {
		t.toEntities.pull(t.heads[i], 1, t.linkHead.row(i))
		t.toEntities.pull(t.examples[i].target, 1, t.linkTail.row(i))
		t.toRelations.pull(x.target, t.link.pulls[i], t.link.queries.row(i))
	}
	return loss
}
