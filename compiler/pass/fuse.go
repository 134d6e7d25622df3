package pass

import (
	"slices"

	"github.com/efoc/efoc/compiler/ir"
)

// FuseSweeps computes all that is ready at once in one pass over the entity
// table, and lets the embedding of a state share the pass that scores the
// state's messages:
//
//	v3 = score v2                       v3 = score v2 @1
//	v4 = softmax v3                     v4 = guess v3 @1
//	v6 = add v4 v5                      v5 = softmax v3
//	v7 = normalize v6              ->   v7 = add v5 v6
//	v8 = normalize v7                   v8 = normalize v7
//	v9 = embed v8                       v9 = normalize v8
//	                                    v10 = correct v9 v4
//
// The embedding of a state, Σ_e s[e]·E_e, needs the state, which needs the
// scores of all entities first. The pass therefore sums the rows with a guess g
// of the state instead, the product of exp(score) over the messages that the
// pass scores and of the messages that are known before, which can be done while
// the rows go by, rescaling when the largest exponent so far grows. Afterwards
//
//	Σ_e s[e]·E_e = κ·Σ_e g[e]·E_e + Σ_e (s[e] − κ·g[e])·E_e
//
// holds for every g and κ, so the sum is exact whatever the guess; the second
// term has few rows when the state is the guess scaled but for the observed
// edges of its messages. It is not for a negated message, whose symbolic part is
// nowhere zero: such a state takes a pass of its own.
var FuseSweeps = Pass{
	Name: "FuseSweeps",
	Doc:  "shares a pass over the table among all that is ready, and between a state's scores and its embedding",
	Run: func(p *ir.Plan) bool {
		f := &fuser{level: make(map[*ir.Value]int, len(p.Values))}
		for _, v := range p.Values {
			f.place(v)
		}
		return f.order(p) || f.changed
	},
}

// fuser assigns every value to a level: what is ready once as many sweeps are
// over.
type fuser struct {
	level   map[*ir.Value]int
	changed bool
	out     []placed
}

// placed is a value with what decides its place: values that make a pass come
// before the others of their level, scores before guesses.
type placed struct {
	*ir.Value
	level, kind int
}

// place computes the level of a value whose operands have theirs. An embedding
// that can share the pass of its state's scores becomes a guess and a
// correction.
func (f *fuser) place(v *ir.Value) {
	level := 0
	for _, a := range v.Args {
		level = max(level, f.level[a])
	}
	switch {
	case v.Op == ir.Embed:
		if factors := f.guess(v.Args[0], level); factors != nil {
			g := &ir.Value{Op: ir.Guess, Args: factors, Cols: 1, Sweep: level}
			f.out = append(f.out, placed{g, level, 1})
			f.level[g] = level
			v.Op, v.Args, v.Sweep = ir.Correct, []*ir.Value{v.Args[0], g}, 0
			f.changed = true
			f.out = append(f.out, placed{v, level, 2})
			break
		}
		level++
		f.sweep(v, level, 0)
	case v.Op == ir.Guess: // made before: it stays with its scores
		f.sweep(v, level, 1)
	case v.Op.Info().Passes > 0:
		level++
		f.sweep(v, level, 0)
	default:
		f.out = append(f.out, placed{v, level, 2})
	}
	f.level[v] = level
}

// sweep puts a value that makes a pass into the sweep of its level.
func (f *fuser) sweep(v *ir.Value, level, kind int) {
	f.changed = f.changed || v.Sweep != level
	v.Sweep = level
	f.out = append(f.out, placed{v, level, kind})
}

// guess returns the factors of a guess of a state: the scores that sweep `level`
// makes for its messages, and the messages that are known before. It returns
// nil if the state does not have that form or needs no scores of that sweep.
func (f *fuser) guess(state *ir.Value, level int) []*ir.Value {
	if state.Op != ir.Normalize {
		return nil
	}
	messages := state.Args
	if messages[0].Op == ir.Mul {
		messages = messages[0].Args
	}
	var factors []*ir.Value
	scored := false
	for _, m := range messages {
		if f.level[m] < level {
			factors = append(factors, m)
			continue
		}
		score := positiveScore(m)
		if score == nil || f.level[score] != level {
			return nil
		}
		factors = append(factors, score)
		scored = true
	}
	if !scored {
		return nil
	}
	return factors
}

// positiveScore returns the raw score of a message N(softmax(score) + N(sparse))
// of a positive atom, nil for anything else.
func positiveScore(m *ir.Value) *ir.Value {
	if m.Op != ir.Normalize || m.Args[0].Op != ir.Add {
		return nil
	}
	neural, symbolic := m.Args[0].Args[0], m.Args[0].Args[1]
	if neural.Op != ir.Softmax || symbolic.Op != ir.Normalize || symbolic.Args[0].Op == ir.Complement {
		return nil
	}
	if s := neural.Args[0]; s.Op == ir.Score || s.Op == ir.LoopScore {
		return s
	}
	return nil
}

// order puts the values of each level together, those that make a pass first, and
// reports whether that moved any.
func (f *fuser) order(p *ir.Plan) bool {
	slices.SortStableFunc(f.out, func(a, b placed) int {
		if a.level != b.level {
			return a.level - b.level
		}
		return a.kind - b.kind
	})
	before := p.Values
	p.Values = make([]*ir.Value, len(f.out))
	for i, v := range f.out {
		p.Values[i] = v.Value
	}
	return !slices.Equal(before, p.Values)
}
