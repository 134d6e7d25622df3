package lower_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/seed"
)

// TestNewSchedulePruned runs message passing on a random query graph with numbers as states: a message is
// pruned exactly if its sender's state is zero.
func TestNewSchedulePruned(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		shape := lower.NewShape(drawDNF(t, 4))
		for i := range shape.Disjuncts {
			g := &shape.Disjuncts[i]
			layers := rapid.IntRange(0, 4).Draw(t, "layers")
			s := lower.NewSchedule(g, layers)
			if want := len(g.Variables) + 1; layers == 0 && len(s.Layers) != want {
				t.Fatalf("%s: %d layers, want %d", shape.Key, len(s.Layers), want)
			}
			state := make([]float64, len(g.Variables))
			for v := range state {
				if started(g, v) {
					state[v] = 1
				}
			}
			for l, messages := range s.Layers {
				possible := 0
				heard := map[scq.Term]bool{}
				for _, m := range messages {
					heard[m.To] = heard[m.To] || !g.Atoms[m.Atom].Unequal() && !m.Pruned
				}
				for _, e := range g.Atoms {
					if !e.Tail.Constant {
						possible++
					}
					if !e.Head.Constant && e.Head != e.Tail {
						possible++
					}
				}
				if len(messages) != possible {
					t.Fatalf("%s layer %d considers %d messages, want %d", shape.Key, l+1, len(messages), possible)
				}
				received := make([]float64, len(state))
				for _, m := range messages {
					known := 1.0
					if !m.From.Constant {
						known = state[m.From.Index]
					}
					if g.Atoms[m.Atom].Unequal() {
						// A message along an inequality needs another message to the same variable.
						if m.Pruned != (known == 0 || !heard[m.To]) {
							t.Fatalf("%s layer %d: message %+v along an inequality, the sender's state is %g", shape.Key, l+1, m, known)
						}
						continue
					}
					if m.Pruned != (known == 0) {
						t.Fatalf("%s layer %d: message %+v, the sender's state is %g", shape.Key, l+1, m, known)
					}
					received[m.To.Index] += known / 16
				}
				for v, x := range received {
					if x != 0 {
						state[v] = x
					}
				}
			}
		}
	})
}

// started reports whether a variable has a state before the first layer: it has a positive atom, and no path
// connects it to a constant.
func started(g *scq.Disjunct, v int) bool {
	positive, seen := false, map[scq.Term]bool{}
	var walk func(t scq.Term) bool
	walk = func(t scq.Term) bool {
		if t.Constant || seen[t] {
			return t.Constant
		}
		seen[t] = true
		return slices.ContainsFunc(g.Atoms, func(a scq.Atom) bool {
			return !a.Unequal() && (a.Head == t && walk(a.Tail) || a.Tail == t && walk(a.Head))
		})
	}
	for _, a := range g.Atoms {
		positive = positive || !a.Negated && (a.Head == scq.Var(v) || a.Tail == scq.Var(v))
	}
	return positive && !walk(scq.Var(v))
}

// TestLastHeard perturbs the state of a variable after a layer and checks whether the free variable's final
// state changes.
func TestLastHeard(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		shape := lower.NewShape(drawDNF(t, 4))
		for i := range shape.Disjuncts {
			s := lower.NewSchedule(&shape.Disjuncts[i], rapid.IntRange(0, 5).Draw(t, "layers"))
			heard := s.LastHeard()
			undisturbed := simulate(s, -1, -1)
			for v := range heard {
				want := 0
				for l := 1; l <= len(s.Layers); l++ {
					if simulate(s, v, l) != undisturbed {
						want = l
					}
				}
				if heard[v] != want {
					t.Fatalf("%s: variable %d was last heard in layer %d, want %d", shape.Key, v, heard[v], want)
				}
			}
		}
	})
}

// simulate passes hashes as messages and returns the final one of the free variable. The state of variable v is
// perturbed after the given layer.
func simulate(s *lower.Schedule, v, layer int) uint64 {
	mix := func(h, x uint64) uint64 {
		h = (h ^ x) * 0x9e3779b97f4a7c15
		return h ^ h>>29
	}
	state := make([]uint64, len(s.Graph.Variables))
	for l, messages := range s.Layers {
		next, received := slices.Clone(state), make([]bool, len(state))
		for j, m := range messages {
			if m.Pruned {
				continue
			}
			if !received[m.To.Index] {
				next[m.To.Index], received[m.To.Index] = 1, true
			}
			content := uint64(j + 1)
			if !m.From.Constant && m.From != m.To { // the message along a loop is fixed
				content = mix(content, state[m.From.Index])
			}
			next[m.To.Index] = mix(next[m.To.Index], content)
		}
		if state = next; l+1 == layer {
			state[v] ^= 1 << 40
		}
	}
	return state[0]
}
