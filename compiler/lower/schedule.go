package lower

import (
	"cmp"
	"slices"

	"github.com/efoc/efoc/runtime/scq"
)

// Schedule says which messages the layers of one SCQ send. It is computed from
// the query graph alone.
type Schedule struct {
	Graph *scq.Graph
	// Starts holds, for each variable, the atoms that its state starts from; none for
	// those that start uninitialised, as all do that are linked to an entity.
	Starts [][]int
	// Layers holds the messages of each layer, in sending order.
	Layers [][]Message
	// Sent is the number of messages that are not pruned.
	Sent int
}

// Message is one possible message of a layer: an atom read in one direction.
type Message struct {
	// Atom is an index into Graph.Atoms.
	Atom int
	// Backward is set where the message goes from the tail to the head.
	Backward bool
	// From and To are the sender and the receiver; the receiver is a variable.
	From, To scq.Term
	// Pruned says that nothing is sent, because the sender is uninitialised.
	Pruned bool
	// Blank says that the sender has no state: the message is uniform.
	Blank bool
}

// NewSchedule unrolls L layers of message passing over the query graph, D+1 if
// layers is 0.
//
// On each atom, in each direction, a message goes to a variable; it is pruned
// unless the sender is a constant or a variable that has started or that an earlier layer
// updated.
// Along r(x,x), x sends itself one message. Inequalities tell little of a variable:
// messages along them go to those alone that receive another in the same layer.
func NewSchedule(g *scq.Graph, layers int) *Schedule { return newSchedule(g, layers, true) }

// newSchedule prunes if told so. Otherwise every message along an atom is sent, as in the
// paper's ablation; those of the first layer that come from variables are blank. What is
// not known excludes nothing, so inequalities are pruned in any case.
func newSchedule(g *scq.Graph, layers int, prune bool) *Schedule {
	if layers == 0 {
		layers = len(g.Variables) + 1
	}
	s := &Schedule{Graph: g, Starts: starts(g)}
	updated := make([]bool, len(g.Variables))
	for v, atoms := range s.Starts {
		updated[v] = atoms != nil
	}
	for range layers {
		var messages []Message
		receives := make([]bool, len(updated))
		add := func(atom int, backward bool, from, to scq.Term) {
			if to.Constant {
				return
			}
			unequal := g.Atoms[atom].Unequal()
			knows, prune := from.Constant || updated[from.Index], prune || unequal
			messages = append(messages, Message{Atom: atom, Backward: backward, From: from, To: to, Pruned: prune && !knows, Blank: !prune && !knows})
			if !unequal && (knows || !prune) {
				receives[to.Index] = true
			}
		}
		for i, e := range g.Atoms {
			add(i, false, e.Head, e.Tail)
			if e.Head != e.Tail {
				add(i, true, e.Tail, e.Head)
			}
		}
		for i := range messages {
			m := &messages[i]
			m.Pruned = m.Pruned || !receives[m.To.Index]
			if !m.Pruned {
				s.Sent++
			}
		}
		for v, heard := range receives {
			updated[v] = updated[v] || heard
		}
		s.Layers = append(s.Layers, messages)
	}
	return s
}

// LastHeard returns, for each variable, the last layer whose state of it contributes
// to the free variable's final state, 0 where none does.
func (s *Schedule) LastHeard() []int {
	heard := make([]int, len(s.Graph.Variables))
	heard[0] = len(s.Layers)
	// need holds the variables whose state after layer l matters.
	need := make([]bool, len(heard))
	need[0] = true
	for l := len(s.Layers); l > 0; l-- {
		before := make([]bool, len(need))
		received := make([]bool, len(need))
		for _, m := range s.Layers[l-1] {
			if m.Pruned || !need[m.To.Index] {
				continue
			}
			received[m.To.Index] = true
			if !m.From.Constant {
				before[m.From.Index] = true
			}
		}
		for v := range need {
			if need[v] && !received[v] {
				before[v] = true // it keeps its state
			}
			if before[v] && heard[v] < l-1 {
				heard[v] = l - 1
			}
		}
		need = before
	}
	return heard
}

// firstHeard returns the layer in which the free variable first receives a
// message: its distance from the nearest constant or variable that has started. D+1 layers are always enough.
func firstHeard(g *scq.Graph) int {
	layers := NewSchedule(g, 0).Layers
	first := slices.IndexFunc(layers, func(messages []Message) bool {
		return slices.ContainsFunc(messages, func(m Message) bool { return !m.Pruned && m.To.Index == 0 })
	})
	return cmp.Or(first+1, len(layers))
}
