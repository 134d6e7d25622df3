package lower

import (
	"cmp"
	"slices"

	"github.com/efoc/efoc/runtime/scq"
)

// Schedule lists the messages that the layers of one disjunct send. It depends only on the query graph.
type Schedule struct {
	Graph *scq.Disjunct
	// Starts holds, for each variable, the atoms that determine its initial state; nil if it starts uninitialised,
	// as every anchored variable does.
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
	// Backward says that the message goes from the tail to the head.
	Backward bool
	// From and To are the sender and the receiver; the receiver is a variable.
	From, To scq.Term
	// Pruned says that the message is not sent, because the sender is uninitialised.
	Pruned bool
}

// NewSchedule unrolls L layers of message passing over the query graph, D+1 if layers is 0.
//
// Each atom sends a message to each of its variables. It is pruned unless the sender is a constant or an
// initialised variable: one that started initialised or was updated in an earlier layer. Along r(x,x), x sends
// itself one message. An inequality carries little information about a variable, so it sends a message only to
// a variable that also receives one along an atom in the same layer.
func NewSchedule(g *scq.Disjunct, layers int) *Schedule {
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
			knows := from.Constant || updated[from.Index]
			messages = append(messages, Message{Atom: atom, Backward: backward, From: from, To: to, Pruned: !knows})
			if knows && !g.Atoms[atom].Unequal() {
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

// LastHeard returns, for each variable, the last layer whose state of it contributes to the free variable's
// final state, 0 if none does.
func (s *Schedule) LastHeard() []int {
	heard := make([]int, len(s.Graph.Variables))
	heard[0] = len(s.Layers)
	// need marks the variables whose state after layer l contributes.
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
				before[v] = true // its state is carried over
			}
			if before[v] && heard[v] < l-1 {
				heard[v] = l - 1
			}
		}
		need = before
	}
	return heard
}

// firstHeard returns the layer in which the free variable first receives a message, 0 if it
// receives none.
func (s *Schedule) firstHeard() int {
	return 1 + slices.IndexFunc(s.Layers, func(messages []Message) bool {
		return slices.ContainsFunc(messages, func(m Message) bool { return !m.Pruned && m.To.Index == 0 })
	})
}

// layersNeeded returns the layer in which the free variable first receives a message from an
// initialised variable or a constant. D+1 layers are always enough.
func (s *Schedule) layersNeeded() int {
	if heard := s.firstHeard(); heard > 0 {
		return heard
	}
	all := NewSchedule(s.Graph, 0)
	return cmp.Or(all.firstHeard(), len(all.Layers))
}
