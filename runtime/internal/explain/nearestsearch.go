package explain

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/pause"
	"github.com/efoc/efoc/runtime/scq"
)

// Bounds of a search: how many degrees it multiplies, how many prefixes wait, and how many are extended together,
// unless their rows would exceed togetherDegrees numbers.
const (
	mostDegrees     = 1 << 28
	mostWaiting     = 1 << 20
	mostTogether    = 64
	togetherDegrees = 1 << 24
)

// bounds bounds the work of a search: degrees to multiply, and prefixes that wait.
type bounds struct{ degrees, prefixes int }

// nearest searches for the values of the free variables, which are assigned in order. It extends the prefix with the
// largest bound first, so that the first complete one that no bound exceeds is the best. Degrees are logarithms.
type nearest struct {
	Claim
	free  []int // variables of the disjunct
	own   [][]float64
	most  []float64 // the largest of own, by free variable
	pairs []pair    // atoms of two free variables
	loops [][]Row   // by free variable, atoms of this one alone; the entity of a row is its value

	waiting  prefixes
	extended map[string]float64 // the largest weight of a prefix with the same effect on later variables
	best     *prefix            // complete
	lost     float64            // bounds the prefixes that were left out, and the ones that will be
	work     int                // degrees multiplied
	bounds
}

// pair is an atom of two free variables, read from the first.
type pair struct {
	scq.Atom
	relation      graph.RelationID
	first, second int // indices into nearest.free
}

// prefix is a value of the first free variables.
type prefix struct {
	before *prefix
	depth  int // variables with a value
	value  graph.EntityID
	weight float64 // of the parts over its values
	bound  float64 // of the weight of what extends it
}

// prefixes is a heap, the largest bound first.
type prefixes []*prefix

func (q prefixes) Len() int           { return len(q) }
func (q prefixes) Less(i, j int) bool { return q[i].bound > q[j].bound }
func (q prefixes) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *prefixes) Push(x any)        { *q = append(*q, x.(*prefix)) }
func (q *prefixes) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	*q = (*q)[:last]
	return x
}

// prepare computes the degrees that depend on one free variable, and lists the other atoms.
func (s *nearest) prepare(ctx context.Context) error {
	n := s.Model.NumEntities()
	s.extended = map[string]float64{}
	s.loops = make([][]Row, len(s.free))
	for range s.free {
		s.own = append(s.own, make([]float64, n))
	}
	for _, f := range s.Disjunct.Filters {
		if at := slices.Index(s.free, f.Variable); at >= 0 {
			for e := range s.own[at] {
				s.own[at][e] += math.Log(filterDegree(s.Bindings.Filters[f.Slot], graph.EntityID(e)))
			}
		}
	}
	for _, a := range s.Disjunct.Atoms {
		if err := s.add(ctx, a); err != nil {
			return err
		}
	}
	for _, own := range s.own {
		s.most = append(s.most, slices.Max(own))
	}
	return nil
}

// add adds an atom to what the search reads. Atoms without free variables affect no choice.
func (s *nearest) add(ctx context.Context, a scq.Atom) error {
	p := pair{Atom: a, relation: Same}
	if !a.Unequal() {
		p.relation = s.Bindings.Relations[a.Relation]
	}
	from := a.Head
	to := a.Tail
	if s.rank(to) < s.rank(from) {
		from, to = to, from
		p.relation = p.relation.Inverse()
	}
	p.first = s.index(from)
	p.second = s.index(to)
	switch {
	case p.second < 0:
	case p.first == p.second:
		return s.loop(p)
	case p.first >= 0:
		s.pairs = append(s.pairs, p)
	default:
		row := Row{s.end(from, s.Given), p.relation}
		var keys []Row
		if !a.Negated {
			keys = append(keys, row)
		}
		rows, err := s.rows(ctx, keys)
		if err != nil {
			return err
		}
		s.multiply(s.own[p.second], a, row, rows[row])
	}
	return nil
}

// loop adds an atom whose ends are the same variable.
func (s *nearest) loop(p pair) error {
	if !p.Negated {
		s.loops[p.first] = append(s.loops[p.first], Row{None, p.relation})
		return nil
	}
	for e := range s.own[p.first] {
		if e := graph.EntityID(e); p.Unequal() || s.Model.Graph.Has(e, p.relation, e) {
			s.own[p.first][e] += math.Log(Refuted)
		}
	}
	return nil
}

// index returns the index of a term among the free variables, -1 if it has a value.
func (s *nearest) index(t scq.Term) int {
	if t.Constant {
		return -1
	}
	return slices.Index(s.free, t.Index)
}

// rows returns rows of degrees, each once.
func (s *nearest) rows(ctx context.Context, keys []Row) (map[Row][]float32, error) {
	found := map[Row][]float32{}
	var distinct []Row
	for _, k := range keys {
		if _, has := found[k]; !has {
			found[k] = nil
			distinct = append(distinct, k)
		}
	}
	list, err := s.Rows(ctx, distinct)
	for i := range list {
		found[distinct[i]] = list[i]
	}
	return found, err
}

// multiply adds the logarithms of an atom's degrees to the logarithms at its other end. It reads the degrees of a positive atom
// from row.
func (s *nearest) multiply(to []float64, a scq.Atom, r Row, row []float32) {
	refuted := math.Log(Refuted)
	if a.Unequal() {
		to[r.From] += refuted
		return
	}
	if a.Negated {
		for _, e := range s.Model.Graph.Tails(r.From, r.Relation) {
			to[e] += refuted
		}
		return
	}
	for e, degree := range row { // 1 for a stored link
		to[e] += math.Log(max(float64(degree), leastDegree))
	}
	if s.Model.Complete(r.Relation) {
		for e := range to {
			to[e] += refuted
		}
		for _, e := range s.Model.Graph.Tails(r.From, r.Relation) {
			to[e] -= refuted
		}
	} else if s.Model.Untrue != nil {
		for _, e := range s.Model.Untrue.Tails(r.From, r.Relation) {
			to[e] += refuted
		}
	}
}

// search finds the best complete prefix.
func (s *nearest) search(ctx context.Context) (*prefix, error) {
	root := &prefix{}
	if len(s.free) == 0 {
		return root, nil
	}
	if err := s.finish(ctx, root); err != nil {
		return nil, err
	}
	together := min(mostTogether, max(1, togetherDegrees/s.Model.NumEntities()))
	for size := 1; ; size = min(2*size, together) {
		batch := s.next(size)
		if len(batch) == 0 {
			return s.best, nil
		}
		if s.work > s.degrees {
			s.lost = max(s.lost, batch[0].bound)
			return s.best, nil
		}
		first, err := s.extend(ctx, batch)
		if err != nil {
			return nil, err
		}
		if err := s.finish(ctx, first); err != nil {
			return nil, err
		}
	}
}

// finish extends a prefix by the largest bound until it is complete, as complete ones bound all others.
func (s *nearest) finish(ctx context.Context, p *prefix) (err error) {
	for p != nil && err == nil {
		s.extended[s.key(p)] = p.weight
		p, err = s.extend(ctx, []*prefix{p})
	}
	return err
}

// next takes the prefixes to extend next.
func (s *nearest) next(size int) (batch []*prefix) {
	for len(batch) < size && len(s.waiting) > 0 && s.waiting[0].bound > s.best.bound {
		p := heap.Pop(&s.waiting).(*prefix)
		key := s.key(p)
		if weight, has := s.extended[key]; has && weight >= p.weight {
			continue
		}
		s.extended[key] = p.weight
		batch = append(batch, p)
	}
	return batch
}

// key identifies what a prefix means for the variables after it.
func (s *nearest) key(p *prefix) string {
	var matters []graph.EntityID
	for at, e := range p.values() {
		reaches := func(x pair) bool { return x.first == at && x.second >= p.depth }
		if at == p.depth-1 && len(s.loops[at]) > 0 || slices.ContainsFunc(s.pairs, reaches) {
			matters = append(matters, e)
		}
	}
	return fmt.Sprint(p.depth, matters)
}

// values returns the values of a prefix.
func (p *prefix) values() []graph.EntityID {
	values := make([]graph.EntityID, p.depth)
	for at := p; at.before != nil; at = at.before {
		values[at.depth-1] = at.value
	}
	return values
}

// extend adds the prefixes with one more value, and returns the incomplete one with the largest bound, nil if there is
// none.
func (s *nearest) extend(ctx context.Context, batch []*prefix) (best *prefix, err error) {
	var keys []Row
	for _, p := range batch {
		keys = append(keys, s.needs(p.values())...)
	}
	rows, err := s.rows(ctx, keys)
	if err != nil {
		return nil, err
	}
	for _, p := range batch {
		if err := pause.Here(ctx); err != nil {
			return nil, err
		}
		next := s.extendOne(p, rows)
		if best == nil || next != nil && next.bound > best.bound {
			best = next
		}
	}
	if most := s.prefixes; len(s.waiting) > most {
		slices.SortFunc(s.waiting, func(a, b *prefix) int { return cmp.Compare(b.bound, a.bound) })
		s.lost = max(s.lost, s.waiting[most/2].bound)
		s.waiting = slices.Clone(s.waiting[:most/2])
	}
	return best, nil
}

// needs returns the rows that extend a prefix with the given values.
func (s *nearest) needs(values []graph.EntityID) (keys []Row) {
	depth := len(values)
	if depth > 0 {
		keys = s.loopsAt(depth-1, values[depth-1])
	}
	for _, x := range s.pairs {
		if !x.Negated && x.first < depth && x.second >= depth {
			keys = append(keys, Row{values[x.first], x.relation})
		}
	}
	return keys
}

// loopsAt returns the rows with the degrees of the atoms of one free variable alone.
func (s *nearest) loopsAt(at int, value graph.EntityID) []Row {
	rows := slices.Clone(s.loops[at])
	for i := range rows {
		rows[i].From = value
	}
	return rows
}

// extendOne adds the prefixes with one more value, and returns the one with the largest bound. Of complete ones it keeps
// the best, and returns none.
func (s *nearest) extendOne(p *prefix, rows map[Row][]float32) (best *prefix) {
	weight := p.weight
	values := p.values()
	if p.depth > 0 {
		for _, r := range s.loopsAt(p.depth-1, p.value) {
			degree, _ := s.degree(r, p.value, rows[r][p.value])
			weight += math.Log(degree)
		}
	}
	if p.depth == len(s.free) {
		s.complete(&prefix{p.before, p.depth, p.value, weight, weight})
		return nil
	}

	rest := weight
	for later := p.depth + 1; later < len(s.free); later++ {
		_, most := s.reached(later, values, rows)
		rest += most
	}
	next, most := s.reached(p.depth, values, rows)
	s.work += len(next)
	if p.depth+1 == len(s.free) && len(s.loops[p.depth]) == 0 {
		e := graph.EntityID(slices.Index(next, most))
		s.complete(&prefix{p, p.depth + 1, e, rest + most, rest + most})
		return nil
	}
	for e, degree := range next {
		if s.best != nil && rest+degree <= max(s.best.bound, s.lost) {
			continue
		}
		c := &prefix{p, p.depth + 1, graph.EntityID(e), weight + degree, rest + degree}
		heap.Push(&s.waiting, c)
		if best == nil || c.bound > best.bound {
			best = c
		}
	}
	return best
}

// reached returns the degrees of a free variable after the values of earlier ones, and the largest.
func (s *nearest) reached(v int, values []graph.EntityID, rows map[Row][]float32) (degrees []float64, most float64) {
	degrees = s.own[v]
	most = s.most[v]
	for _, x := range s.pairs {
		if x.second != v || x.first >= len(values) {
			continue
		}
		if &degrees[0] == &s.own[v][0] {
			degrees = slices.Clone(degrees)
		}
		s.work += len(degrees)
		r := Row{values[x.first], x.relation}
		s.multiply(degrees, x.Atom, r, rows[r])
		most = slices.Max(degrees)
	}
	return degrees, most
}

// complete keeps a complete prefix if it is the best.
func (s *nearest) complete(p *prefix) {
	if s.best == nil || p.bound > s.best.bound {
		s.best = p
	}
}
