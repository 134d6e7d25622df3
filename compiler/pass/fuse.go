package pass

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/efoc/efoc/compiler/ir"
)

// fuseSweeps computes all ready values in one sweep of the entity table, and lets the embedding of a state
// share the sweep that computes the scores of the state's messages:
//
//	v3 = score v2                       v3 = score v2 @1
//	v4 = softmax v3                     v4 = estimate v3 @1
//	v6 = blend v4 v5                      v5 = softmax v3
//	v7 = normalize v6              ->   v7 = blend v5 v6
//	v8 = normalize v7                   v8 = normalize v7
//	v9 = embed v8                       v9 = normalize v8
//	                                    v10 = correct v9 v4
//
// The embedding of a state, Σ_e s[e]·E_e, needs the state, which needs the scores of all entities. Instead, the
// sweep sums the rows weighted by an estimate g of the state: the product of exp(score) over the messages
// scored in the sweep and of the messages known before. It does so row by row, and rescales when the largest
// exponent grows. Afterwards
//
//	Σ_e s[e]·E_e = κ·Σ_e g[e]·E_e + Σ_e (s[e] − κ·g[e])·E_e
//
// holds for every g and κ, so the sum is exact for any estimate; the second term has few rows if the state is
// proportional to the estimate except at the observed edges of its messages. A negated message violates this
// condition: it is its neural part plus a constant except at the observed edges. With one such message the
// state is a sum of two estimates, with and without the message,
//
//	Σ_e s[e]·E_e = κ·Σ_e g[e]·E_e + λ·Σ_e h[e]·E_e + Σ_e (s[e] − κ·g[e] − λ·h[e])·E_e.
//
// A state with more negated messages takes a separate sweep, and so does one without other factors for the
// second estimate.
//
// Ready rows of truth degrees share the sweep as well, both of constants and of candidates: the runtime
// computes the rows that it has not kept from earlier queries. In a mixture, a row and the message along its
// atom have the same scores, up to temperature and the sign of a negated atom, so the row is computed from the
// message's scores:
//
//	v2 = score v1                          v2 = score v1 @1
//	v9 = row s1 r1 #0                  ->  v9 = row v2 s1 r1 #0 @1
var fuseSweeps = Pass{
	Name: "FuseSweeps",
	Doc:  "shares a sweep of the table among all that is ready, and between a state's scores and its embedding",
	Run: func(p *ir.Plan) bool {
		f := &fuser{level: make(map[*ir.Value]int, len(p.Values))}
		for i, v := range p.Values {
			if score := messageScore(p.Values[:i], v); score != nil {
				v.Args = []*ir.Value{score}
				f.changed = true
			}
			f.place(v)
		}
		return f.order(p) || f.changed
	},
}

// ownSweep is appended to the note of an embedding that cannot share a sweep.
const ownSweep = " (in a pass of its own, for negated messages are nowhere zero)"

// fuser assigns each value a level: the number of sweeps after which it is ready.
type fuser struct {
	level   map[*ir.Value]int
	changed bool
	// manyNegated says that the last state has no estimate because it has too many negated messages.
	manyNegated bool
	out         []placed
}

// placed is a value with its sort keys: on each level, values that make a sweep come first, scores before
// estimates.
type placed struct {
	*ir.Value
	level, kind int
}

// The kinds of values, in their order on a level.
const (
	scores = iota
	estimates
	rows
	others
)

// place computes the level of a value from the levels of its operands. An embedding that can share the sweep of its
// state's scores becomes an estimate and a correction.
func (f *fuser) place(v *ir.Value) {
	level := 0
	for _, a := range v.Args {
		level = max(level, f.level[a])
	}
	switch {
	case v.Op == ir.Embed:
		if sums := f.estimates(v.Args[0], level); sums != nil {
			v.Op = ir.Correct
			v.Args = v.Args[:1:1]
			v.Sweep = 0
			for _, factors := range sums {
				g := &ir.Value{Op: ir.Estimate, Args: factors}
				f.level[g] = f.earliest(g)
				f.put(g, f.level[g], estimates)
				v.Args = append(v.Args, g)
			}
			f.changed = true
			f.put(v, level, others)
			break
		}
		if f.manyNegated && v.Sweep == 0 { // not noted by an earlier run
			v.Note = strings.TrimSpace(v.Note + ownSweep)
			f.changed = true
		}
		level++
		f.put(v, level, scores)
	case v.Op == ir.Estimate: // made by an earlier run: it stays with its scores
		level = f.earliest(v)
		f.put(v, level, estimates)
	case v.Op.Info().Rows:
		if v.Op != ir.Row || len(v.Args) == 0 { // otherwise it belongs to the sweep of its scores
			level++
		}
		f.put(v, level, rows)
	case v.Op.Info().Sweeps > 0:
		level++
		f.put(v, level, scores)
	case v.Op.Info().WholeSweeps > 0: // last of all
		f.put(v, math.MaxInt, others)
	default:
		f.put(v, level, others)
	}
	f.level[v] = level
}

// messageScore returns the score of the message along the atom of a row; nil if none precedes it or the value
// is not a row of a constant.
func messageScore(before []*ir.Value, row *ir.Value) *ir.Value {
	if row.Op != ir.Row || row.Backward || len(row.Args) > 0 {
		return nil
	}
	i := slices.IndexFunc(before, func(v *ir.Value) bool {
		if v.Op != ir.Score || v.Args[0].Op != ir.Project {
			return false
		}
		to := v.Args[0]
		from := to.Args[0]
		return from.Op == ir.Entity && from.Const == row.Const && to.Rel == row.Rel && !to.Backward && to.Negated == row.Negated
	})
	if i < 0 {
		return nil
	}
	return before[i]
}

// earliest returns the first sweep that can compute an estimate: the sweep of its scores, or the one after all
// its other factors are known.
func (f *fuser) earliest(g *ir.Value) int {
	level := 0
	for _, a := range g.Args {
		if a.Op.Info().Raw {
			level = max(level, f.level[a])
		} else {
			level = max(level, f.level[a]+1)
		}
	}
	return level
}

// put adds a value to its level and kind.
func (f *fuser) put(v *ir.Value, level, kind int) { f.out = append(f.out, placed{v, level, kind}) }

// estimates returns the factors of one or two estimates of a state: the scores that sweep `level` computes for
// its messages, and the messages known before. It returns nil if the state does not have that form or needs no
// scores of that sweep.
func (f *fuser) estimates(state *ir.Value, level int) [][]*ir.Value {
	f.manyNegated = false
	if state.Op != ir.Normalize {
		return nil
	}
	messages := state.Args
	if messages[0].Op == ir.Mul {
		messages = messages[0].Args
	}
	var factors, negated []*ir.Value
	scored := false
	for _, m := range messages {
		if f.level[m] < level {
			factors = append(factors, m)
			continue
		}
		score, positive := rawScore(m)
		if score == nil || f.level[score] != level {
			return nil
		}
		scored = true
		if positive {
			factors = append(factors, score)
		} else {
			negated = append(negated, score)
		}
	}
	switch {
	case !scored:
		return nil
	case len(negated) == 0:
		return [][]*ir.Value{factors}
	case len(negated) == 1 && len(factors) > 0:
		return [][]*ir.Value{append(slices.Clone(factors), negated[0]), factors}
	}
	f.manyNegated = true
	return nil
}

// rawScore returns the score of a message N(softmax(score) + N(sparse)) and whether its atom is positive; nil
// for other values.
func rawScore(m *ir.Value) (score *ir.Value, positive bool) {
	if m.Op != ir.Normalize || m.Args[0].Op != ir.Blend {
		return nil, false
	}
	neural := m.Args[0].Args[0]
	symbolic := m.Args[0].Args[1]
	if neural.Op != ir.Softmax || symbolic.Op != ir.Normalize {
		return nil, false
	}
	s := neural.Args[0]
	if !s.Op.Info().Raw {
		return nil, false
	}
	return s, symbolic.Args[0].Op != ir.Complement
}

// order groups the values by level, those that make a sweep first, numbers the sweeps, and reports whether
// anything changed.
func (f *fuser) order(p *ir.Plan) bool {
	slices.SortStableFunc(f.out, func(a, b placed) int {
		return cmp.Or(cmp.Compare(a.level, b.level), cmp.Compare(a.kind, b.kind))
	})
	before := p.Values
	changed := false
	p.Values = make([]*ir.Value, len(f.out))
	sweep := 0
	var last placed // last value that makes a sweep
	for i, v := range f.out {
		p.Values[i] = v.Value
		number := 0
		if v.kind != others {
			if v.level != last.level {
				sweep++
			}
			number = sweep
			last = v
		}
		changed = changed || v.Sweep != number
		v.Sweep = number
	}
	return changed || !slices.Equal(before, p.Values)
}
