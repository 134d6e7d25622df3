package fullfit

import (
	"cmp"
	"context"
	"slices"

	"github.com/efoc/efoc/runtime/scq"
)

// solver answers one query on one pattern.
type solver struct {
	ctx      context.Context
	steps    []step
	bindings scq.Bindings
	negation float32
	n        int
	// answer holds the largest degree of each entity so far.
	answer []float32
	free   [][]float32 // vectors that nobody uses
}

// vector returns a vector of arbitrary values.
func (s *solver) vector() []float32 {
	if k := len(s.free); k > 0 {
		v := s.free[k-1]
		s.free = s.free[:k-1]
		return v
	}
	return make([]float32, s.n)
}

// release takes vectors back.
func (s *solver) release(vectors ...[]float32) {
	for _, v := range vectors {
		if v != nil {
			s.free = append(s.free, v)
		}
	}
}

// run takes the steps from i on. vars holds the degrees of each variable, nil of those
// that are eliminated; it belongs to run. All is scaled by weight.
func (s *solver) run(i int, vars [][]float32, weight float32) error {
	for ; i < len(s.steps) && weight > 0; i++ {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		st := &s.steps[i]
		switch st.kind {
		case fact:
			l := &st.links[0]
			weight *= s.signed(l, l.matrix.at(int(s.bindings.Constants[l.from]), int(s.bindings.Constants[l.to])))
		case constant:
			l := &st.links[0]
			s.restrict(vars[st.v], l, int(s.bindings.Constants[l.from]))
		case loop:
			s.loop(st, vars[st.v])
		case vanish:
			weight *= slices.Max(vars[st.u])
		case push:
			message := s.vector()
			if err := s.push(st, vars[st.u], message); err != nil {
				return err
			}
			for e, d := range message {
				vars[st.v][e] *= d
			}
			s.release(message, vars[st.u])
			vars[st.u] = nil
		case condition:
			return s.condition(i, vars, weight)
		}
	}
	for e, d := range vars[0] {
		s.answer[e] = max(s.answer[e], weight*d)
	}
	return nil
}

// signed returns the degree of a link, p being that of its atom.
func (s *solver) signed(l *link, p float32) float32 {
	if l.negated {
		return 1 - min(1, s.negation*p)
	}
	return p
}

// restrict multiplies the degrees of a variable by those of a link from entity h.
func (s *solver) restrict(v []float32, l *link, h int) {
	ids, deg := l.matrix.row(h)
	next := 0
	for j, t := range ids {
		if !l.negated {
			clear(v[next:t])
			next = int(t) + 1
		}
		v[t] *= s.signed(l, deg[j])
	}
	if !l.negated {
		clear(v[next:])
	}
}

// loop multiplies the degrees of a variable by those of the atoms r(v,v).
func (s *solver) loop(st *step, v []float32) {
	for i := range st.links {
		l := &st.links[i]
		m := l.matrix
		for e, d := range v {
			if d > 0 {
				v[e] = d * s.signed(l, m.at(e, e))
			}
		}
	}
}

// checkEvery is the number of entities after which the context is asked again.
const checkEvery = 64

// push computes the message of u to its neighbour: for each entity the largest product of a
// value's degree and those of the links from it.
func (s *solver) push(st *step, u, message []float32) error {
	along := slices.IndexFunc(st.links, func(l link) bool { return !l.negated })
	clear(message)
	if along < 0 {
		return s.pushNegated(st, u, message)
	}
	others := make([]cursor, len(st.links))
	m := st.links[along].matrix
	for h, d := range u {
		if h%checkEvery == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		if d == 0 {
			continue
		}
		s.open(st, h, others)
		ids, deg := m.row(h)
		for j, t := range ids {
			p := d * deg[j]
			for i := 0; i < len(others) && p > message[t]; i++ {
				if i != along {
					p *= s.signed(&st.links[i], others[i].at(t))
				}
			}
			if p > message[t] {
				message[t] = p
			}
		}
	}
	return nil
}

// open starts the rows of entity h.
func (s *solver) open(st *step, h int, rows []cursor) {
	for i := range st.links {
		rows[i].ids, rows[i].deg = st.links[i].matrix.row(h)
	}
}

// pushNegated is push where all links are negated: they leave almost every entity what
// the best value has, so the values are tried from the best on, for the entities that
// may still get more.
func (s *solver) pushNegated(st *step, u, message []float32) error {
	var values, left []int32
	for h, d := range u {
		left = append(left, int32(h))
		if d > 0 {
			values = append(values, int32(h))
		}
	}
	slices.SortFunc(values, func(a, b int32) int { return cmp.Compare(u[b], u[a]) })
	rows := make([]cursor, len(st.links))
	for i, h := range values {
		if i%checkEvery == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		left = slices.DeleteFunc(left, func(t int32) bool { return message[t] >= u[h] })
		if len(left) == 0 {
			break
		}
		s.open(st, int(h), rows)
		for _, t := range left {
			p := u[h]
			for j := range rows {
				p *= s.signed(&st.links[j], rows[j].at(t))
			}
			message[t] = max(message[t], p)
		}
	}
	return nil
}

// condition fixes a variable to each of its values in turn, for the steps that follow.
func (s *solver) condition(i int, vars [][]float32, weight float32) error {
	st := &s.steps[i]
	branch := make([][]float32, len(vars))
	for h, d := range vars[st.u] {
		if d == 0 {
			continue
		}
		for v, degrees := range vars {
			branch[v] = nil
			if v != st.u && degrees != nil {
				branch[v] = s.vector()
				copy(branch[v], degrees)
			}
		}
		for j := range st.links {
			s.restrict(branch[st.links[j].to], &st.links[j], h)
		}
		if err := s.run(i+1, branch, weight*d); err != nil {
			return err
		}
		s.release(branch...)
	}
	return nil
}
