package fit

import (
	"context"
	goruntime "runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime"
)

// Bounds on a variable that is enumerated, for each of its K best, if the method is
// not exact: on its values, and on the combinations with those of others.
const (
	maxValues   = 16
	maxBranches = 64
)

// state is how far a query has come on one pattern.
type state struct {
	bindings *runtime.Bindings
	// weights are the degrees of the branches, product of those of the values of the
	// enumerated variables.
	weights []float32
	// values holds the value of each enumerated variable in each branch.
	values map[int][]int32
	// vars holds the degrees of each variable: one fuzzy set for all branches, or one
	// for each. Those of a variable that is done stay as they were.
	vars [][]*fuzzy
	// best are the best entities that a step hands on, by step: K of them, and behind
	// those the values of an enumerated variable that have no rows.
	best [][]int32
	// proposed is what neighbours say of a variable.
	proposed *fuzzy
}

// machine runs a plan for the queries of a batch, step by step: the rows that all
// of them want in a step are made together.
type machine struct {
	rows     *Rows
	plan     *plan
	settings runtime.Degrees
	observed bool // links of entities that are not among the K best count
	n        int
}

func (m *machine) exact() bool { return m.settings.Candidates >= m.n }

func (m *machine) scale() scale {
	d := &m.settings
	return scale{threshold: float32(d.Threshold), temperature: float32(d.Temperature), mass: d.Mass}
}

// run computes the states at the end of the plan, one for each query.
func (m *machine) run(ctx context.Context, batch []runtime.Bindings) ([]*state, error) {
	states := make([]*state, len(batch))
	for i := range batch {
		s := &state{bindings: &batch[i], weights: []float32{1}, values: map[int][]int32{}, best: make([][]int32, len(m.plan.steps))}
		for range m.plan.pattern.Variables {
			s.vars = append(s.vars, []*fuzzy{all})
		}
		states[i] = s
	}
	for i := 0; i < len(m.plan.steps); {
		last := i + 1
		for m.plan.steps[i].kind <= constant && last < len(m.plan.steps) && m.plan.steps[last].kind <= constant {
			last++
		}
		if err := m.together(ctx, states, i, last); err != nil {
			return nil, err
		}
		i = last
	}
	return states, nil
}

// together runs the steps from first to last, excluded, which want nothing of one
// another.
func (m *machine) together(ctx context.Context, states []*state, first, last int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	wanted := make([][]key, len(states))
	m.each(len(states), func(i int, acc *accumulator) {
		for x := first; x < last; x++ {
			wanted[i] = append(wanted[i], m.want(states[i], x, acc)...)
		}
	})
	rows, err := m.rows.fetch(ctx, m.scale(), slices.Concat(wanted...))
	if err != nil {
		return err
	}
	m.each(len(states), func(i int, acc *accumulator) {
		for x := first; x < last; x++ {
			m.do(states[i], x, rows, acc)
		}
	})
	return nil
}

// each calls do for the indices below n on all processors.
func (m *machine) each(n int, do func(i int, acc *accumulator)) {
	var next atomic.Int32
	var wg sync.WaitGroup
	work := func() {
		acc := m.rows.room()
		defer m.rows.rooms.Put(acc)
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			do(i, acc)
		}
	}
	for range min(goruntime.GOMAXPROCS(0), n) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
}

// want returns the rows that step x reads, and notes the K best that it hands on.
func (m *machine) want(s *state, x int, acc *accumulator) []key {
	st := &m.plan.steps[x]
	if len(s.weights) == 0 {
		return nil
	}
	var keys []key
	switch st.kind {
	case fact, constant:
		l := &st.links[0]
		return []key{m.constantKey(s, l)}
	case leaf:
		if !m.exact() {
			return nil
		}
	case vanish:
		return nil
	case propose:
		if m.exact() {
			return nil
		}
	}
	of := st.u
	if st.kind == loop {
		of = st.v
	}
	degrees := m.combined(s, s.vars[of], acc)
	if st.kind == enumerate && s.proposed != nil {
		degrees, s.proposed = mul(degrees, s.proposed), nil
	}
	s.best[x] = degrees.best(m.settings.Candidates, m.n)
	with := s.best[x]
	if st.kind == enumerate && m.observed && !m.exact() {
		s.best[x] = degrees.best(maxValues*m.settings.Candidates, m.n)
		with = s.best[x][:min(m.settings.Candidates, len(s.best[x]))]
	}
	for i := range st.links {
		r := st.links[i].directed(s.bindings)
		for _, e := range with {
			keys = append(keys, key{e, r})
		}
	}
	return keys
}

func (m *machine) constantKey(s *state, l *link) key {
	return key{int32(s.bindings.Constants[l.from]), l.directed(s.bindings)}
}

// do runs step x.
func (m *machine) do(s *state, x int, rows map[key]*fuzzy, acc *accumulator) {
	st := &m.plan.steps[x]
	if len(s.weights) == 0 {
		return
	}
	switch st.kind {
	case fact:
		l := &st.links[0]
		d := m.signed(rows[m.constantKey(s, l)], l).at(int32(s.bindings.Constants[l.to]))
		for b := range s.weights {
			s.weights[b] *= d
		}
	case constant:
		l := &st.links[0]
		m.restrict(s, st.v, []*fuzzy{m.signed(rows[m.constantKey(s, l)], l)})
	case loop:
		m.restrict(s, st.v, []*fuzzy{m.loops(s, x, rows)})
	case leaf:
		if !m.exact() {
			m.restrict(s, st.v, m.leaves(s, st))
			return
		}
		m.restrict(s, st.v, m.pushed(s, x, rows, acc))
	case push:
		m.restrict(s, st.v, m.pushed(s, x, rows, acc))
	case propose:
		if m.exact() {
			return
		}
		p := m.combined(s, m.pushed(s, x, rows, acc), acc)
		if s.proposed != nil {
			p = mul(s.proposed, p)
		}
		s.proposed = p
	case vanish:
		for b := range s.weights {
			s.weights[b] *= per(s.vars[st.u], b).top(m.n)
		}
	case enumerate:
		m.enumerate(s, x, rows)
	}
}

// per returns the fuzzy set of branch b.
func per(x []*fuzzy, b int) *fuzzy {
	if len(x) == 1 {
		return x[0]
	}
	return x[b]
}

// signed returns the degrees of a link, whose row is given.
func (m *machine) signed(row *fuzzy, l *link) *fuzzy {
	if l.negated {
		return row.negated(float32(m.settings.Negation))
	}
	return row
}

// restrict multiplies the degrees of v by x: one for all branches, or one for each.
func (m *machine) restrict(s *state, v int, x []*fuzzy) {
	product := make([]*fuzzy, max(len(x), len(s.vars[v])))
	for b := range product {
		product[b] = mul(per(s.vars[v], b), per(x, b))
	}
	s.vars[v] = product
}

// combined returns the largest degree of each entity in any branch, times the
// branch's; for a single fuzzy set its own degrees.
func (m *machine) combined(s *state, x []*fuzzy, acc *accumulator) *fuzzy {
	if len(x) == 1 {
		return x[0]
	}
	return acc.max(x, s.weights, nil)
}

// product returns the product of the links that lead to v, from entity e: those for
// which into is v, or all if into is nil.
func (m *machine) product(s *state, st *step, e int32, v int, rows map[key]*fuzzy) *fuzzy {
	x := all
	for i := range st.links {
		if l := &st.links[i]; st.into == nil || st.into[i] == v {
			row, ok := rows[key{e, l.directed(s.bindings)}]
			if !ok {
				row = m.observedRow(e, l.directed(s.bindings))
			}
			x = mul(x, m.signed(row, l))
		}
	}
	return x
}

// observedRow returns the observed links of an entity as a row.
func (m *machine) observedRow(e int32, r runtime.RelationID) *fuzzy {
	tails := m.rows.model.Graph.Tails(runtime.EntityID(e), r)
	x := &fuzzy{ids: tails, deg: make([]float32, len(tails))}
	for i := range x.deg {
		x.deg[i] = 1
	}
	return x
}

// pushed returns what u tells v: max over the values c of u of its degree times
// those of the links from c.
func (m *machine) pushed(s *state, x int, rows map[key]*fuzzy, acc *accumulator) []*fuzzy {
	st, best := &m.plan.steps[x], s.best[x]
	products := make([]*fuzzy, len(best))
	for i, c := range best {
		products[i] = m.product(s, st, c, st.v, rows)
	}
	out := make([]*fuzzy, len(s.vars[st.u]))
	degrees := make([]float32, len(best))
	among := map[int32]bool{}
	if m.observed && !m.exact() && positive(st.links) {
		for _, c := range best {
			among[c] = true
		}
	}
	for b, u := range s.vars[st.u] {
		for i, c := range best {
			degrees[i] = u.at(c)
		}
		var others func(offer func(e int32, deg float32))
		if len(among) > 0 && len(u.ids) > 0 {
			others = func(offer func(e int32, deg float32)) { m.links(s, st, u, among, offer) }
		}
		out[b] = acc.max(products, degrees, others)
	}
	return out
}

// links offers what the observed links tell v of entities of u that are not among
// the K best.
func (m *machine) links(s *state, st *step, u *fuzzy, among map[int32]bool, offer func(e int32, deg float32)) {
	graph := m.rows.model.Graph
	along := slices.IndexFunc(st.links, func(l link) bool { return !l.negated })
	first := st.links[along].directed(s.bindings)
	for i, c := range u.ids {
		if u.deg[i] == 0 || among[c] {
			continue
		}
	tails:
		for _, t := range graph.Tails(runtime.EntityID(c), first) {
			for j := range st.links {
				l := &st.links[j]
				if j != along && graph.Has(runtime.EntityID(c), l.directed(s.bindings), runtime.EntityID(t)) == l.negated {
					continue tails
				}
			}
			offer(t, u.deg[i])
		}
	}
}

// leaves returns what u tells v where no constant tells anything of u.
func (m *machine) leaves(s *state, st *step) []*fuzzy {
	out := make([]*fuzzy, len(s.vars[st.u]))
	for b, u := range s.vars[st.u] {
		out[b] = all
		for i := range st.links {
			if l := &st.links[i]; !l.negated {
				out[b] = mul(out[b], m.rows.leafOf(u, l.directed(s.bindings), float32(m.settings.Leaf)))
				u = all // its degrees count once
			}
		}
		if u != all && !positive(st.links) {
			out[b] = &fuzzy{rest: u.top(m.n)}
		}
	}
	return out
}

// loops returns the degrees of the atoms r(v,v).
func (m *machine) loops(s *state, x int, rows map[key]*fuzzy) *fuzzy {
	st := &m.plan.steps[x]
	best := slices.Clone(s.best[x])
	slices.Sort(best)
	product := all
	for i := range st.links {
		l := &st.links[i]
		r := l.directed(s.bindings)
		diagonal := &fuzzy{}
		next := 0
		upTo := func(e int32) {
			for ; next < len(best) && best[next] < e; next++ {
				diagonal.add(best[next], rows[key{best[next], r}].at(best[next]))
			}
		}
		heads, tails := m.rows.model.Graph.Edges(r)
		for j, h := range heads {
			if h != tails[j] {
				continue
			}
			upTo(h)
			if next < len(best) && best[next] == h {
				next++
			}
			diagonal.add(h, 1)
		}
		upTo(int32(m.n))
		product = mul(product, m.signed(diagonal, l))
	}
	return product
}

// answer writes the degrees of the free variable.
func (m *machine) answer(s *state, dst []float32, acc *accumulator) {
	free := s.vars[0]
	switch {
	case len(s.weights) == 0:
		clear(dst)
	case len(free) == 1:
		free[0].dense(dst)
		simd.Scale(dst, dst, slices.Max(s.weights))
	default:
		m.combined(s, free, acc).dense(dst)
	}
}
