package plan

import (
	"slices"

	"github.com/efoc/efoc/kernels"
	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/kernels/simd"
)

// The state of a variable is N(m_1 ∘ … ∘ m_k). At entities without links, a message of the last loop is f·g, or f·g +
// c if negated, so the state is κ·Π g·Π others, or κ times that plus λ times the same without the negated message.
// Its embedding is the loop's estimates times κ and λ, plus the rows of the linked entities, weighted by the state's
// surplus there:
//
//	Π m_i − Π b_i = Σ_j (Π_{i<j} b_i)·(m_j − b_j)·(Π_{i>j} m_i)
//
// where b_j is message j without its links. pass/fuse.go computes the same sum for states without such a formula.

// tileState is a state of the run, with what Correct needs.
type tileState struct {
	value   Vec
	k, l    float64
	again   bool // the sum is to be computed from the state
	ids     []int32
	weights []float32
}

// Limits, relative to the sum of a state's entries, on the entries that N cuts and on what links subtract from its
// estimates. Beyond them the embedding is computed anew.
const (
	mostCut   = 1e-6
	mostTaken = 8

	leastNormal = 1e-37

	// mostFactors bounds the messages of a state with an estimate. N cuts most entries of longer products.
	mostFactors = 2
)

// State computes N(x ∘ y ∘ …), of messages. dst may be one of the first two.
func (t *Tiles) State(dst, x Vec, more ...Vec) Vec {
	s := t.addState(dst)
	s.k = 1
	s.l = 1
	t.factors = t.factors[:0]
	t.addFactor(x)
	for _, m := range more {
		t.addFactor(m)
	}
	t.change(s)
	product := t.factors[0].x
	to := t.w.Vector(dst)
	for _, f := range t.factors[1:] {
		simd.Mul(to, product, f.x)
		product = to
	}
	epsilon := t.w.settings.Epsilon
	sum := kernels.SumCut(product, float32(epsilon))
	if !s.again && float64(t.n)*epsilon > mostCut*sum {
		s.again = kernels.SumCut(product, leastNormal)-sum > mostCut*sum
	}
	by := 1 / max(sum, epsilon)
	simd.ScaleAbove(to, product, float32(epsilon), float32(by))

	s.k *= by
	s.l *= by
	simd.Scale(s.weights, s.weights, float32(by))
	taken := float32(0)
	for _, weight := range s.weights {
		taken -= min(weight, 0)
	}
	s.again = s.again || !(taken <= mostTaken)
	return dst
}

// addState adds a state, reusing the memory of an earlier run.
func (t *Tiles) addState(v Vec) *tileState {
	if len(t.states) == cap(t.states) {
		t.states = append(t.states, tileState{})
	} else {
		t.states = t.states[:len(t.states)+1]
	}
	s := &t.states[len(t.states)-1]
	s.value = v
	s.again = false
	s.ids = s.ids[:0]
	s.weights = s.weights[:0]
	return s
}

// change finds the factors of a state's estimates, and the change by links to the product of its messages, which it
// does not modify. Links to many entities are left to a sum computed anew.
func (t *Tiles) change(s *tileState) {
	links := 0
	s.again = t.again || len(t.factors) > mostFactors
	for _, m := range t.factors {
		if m.sent == nil {
			continue
		}
		s.again = s.again || m.many
		links += len(m.ids)
		s.k *= m.factor
		if m.negated {
			s.l *= m.constant
		} else {
			s.l *= m.factor
		}
	}
	if s.again || t.tooMany(links) {
		s.again = true
		return
	}
	for i := range t.factors {
		t.leaveOut(s, i)
	}
	for _, f := range t.factors {
		if f.sent == nil {
			continue
		}
		for i, e := range f.ids {
			f.x[e] = f.whole[i]
		}
	}
}

// addFactor adds a message to the factors of the current state.
func (t *Tiles) addFactor(v Vec) { t.factors = append(t.factors, factor{t.sent(v), t.w.Vector(v)}) }

// factor is a message in a state; sent describes it if the last loop made it.
type factor struct {
	*sent
	x Vector
}

// leaveOut removes the links from factor j, and adds their effect on the product.
func (t *Tiles) leaveOut(s *tileState, j int) {
	f := t.factors[j]
	if f.sent == nil {
		return
	}
	for i, e := range f.ids {
		weight := f.more[i]
		for k := range t.factors {
			if k != j {
				weight *= t.factors[k].x[e]
			}
		}
		f.x[e] = f.base[i]
		s.ids = append(s.ids, e)
		s.weights = append(s.weights, weight)
	}
}

// sent returns a message of the last loop, nil for an earlier one.
func (t *Tiles) sent(v Vec) *sent {
	for i := range t.columns {
		if m := &t.columns[i].message; m.value == v {
			return m
		}
	}
	return nil
}

// sumRows computes Σ_e x[e]·E_e, from the rows with nonzero x if they are few.
func (t *Tiles) sumRows(s *tileState, to Embedding, x Vector) {
	clear(to)
	s.ids = reuse.Slice(s.ids, t.n)
	s.ids = s.ids[:simd.IndexAbove(s.ids, x, leastNormal)]
	if t.tooMany(len(s.ids)) {
		simd.AxpyRows(to, t.table, x)
		return
	}
	s.weights = s.weights[:0]
	for _, e := range s.ids {
		s.weights = append(s.weights, x[e])
	}
	simd.AxpyAt(to, t.table, s.ids, s.weights)
}

// Correct computes Σ_e x[e]·E_e for a state x from one or two estimates of it. dst reuses the buffer of the first
// one.
func (t *Tiles) Correct(dst Emb, x Vec, estimates ...Emb) Emb {
	i := slices.IndexFunc(t.states, func(s tileState) bool { return s.value == x })
	s := &t.states[i]
	to := t.w.Embedding(dst)
	if s.again {
		t.sumRows(s, to, t.w.Vector(x))
		return dst
	}
	simd.Scale(to, t.w.Embedding(estimates[0]), float32(s.k))
	if len(estimates) > 1 {
		simd.ScaleAdd(to, to, float32(s.l), t.w.Embedding(estimates[1]))
	}
	simd.AxpyAt(to, t.table, s.ids, s.weights)
	return dst
}
