package fit

import (
	"slices"

	"github.com/efoc/efoc/runtime/scq"
)

// Trace explains the degree of an answer.
type Trace struct {
	// Disjunct is the one that gives the answer its largest degree, from 0.
	Disjunct int
	// Degree is the degree of the answer by this disjunct.
	Degree float32
	// Values are the entities of the disjunct's variables; Degrees are the truth degrees of its atoms, negation
	// included. Both are nil if Degree is 0, and last until the next run starts.
	Values  []int32
	Degrees []float32

	guessed []int // the atoms with a leaf's degree, which any value may have
}

// Trace traces the degree of entity e in the answer of the last run back to the values of the variables; graphs are
// the disjuncts' graphs.
func (m *Machine) Trace(e int32, graphs []scq.Disjunct) (Trace, error) {
	return m.follow(e, graphs, true)
}

// follow is Trace. Unless named, it may leave out the value of a leaf that only the link predictor determines, which
// saves a sweep of the table.
func (m *Machine) follow(e int32, graphs []scq.Disjunct, named bool) (Trace, error) {
	s := m.answer
	x := Trace{}
	if s.made.op == either {
		best := s
		parts := m.tracer.sets[:0]
		for _, part := range s.made.with {
			parts = append(parts, part.single())
		}
		m.tracer.sets = parts
		for i, d := range m.each(parts, e) {
			if d > x.Degree {
				x.Degree, x.Disjunct, best = d, i, s.made.with[i]
			}
		}
		s = best
	} else {
		x.Degree = m.at(s.single(), e)
	}
	if x.Degree == 0 {
		return x, nil
	}
	g := &graphs[x.Disjunct]
	t := &m.tracer
	*t = tracer{
		sharpener: &m.sharpener, named: named, values: m.arena.Ints.Take(len(g.Variables)), degrees: m.arena.Floats.Take(len(g.Atoms)),
		guessed: t.guessed[:0], sets: t.sets,
	}
	clear(t.values)
	clear(t.degrees)
	t.values[0] = e
	err := t.trace(s, 0, e)
	x.Values, x.Degrees, x.guessed = t.values, t.degrees, t.guessed
	return x, err
}

// Weakest is the weakest predicted link of an answer's best witness.
type Weakest struct {
	// Degree is the degree of the answer, which may come from several disjuncts.
	Degree float32
	// Disjunct and Atom identify the atom; Atom is -1 if there is no witness or it predicts no link.
	Disjunct, Atom int
	// Head and Tail are the entities of the atom's variables, -1 for a constant and for a variable that no entity
	// informs.
	Head, Tail int32
	// Values are the entities of the disjunct's variables in the witness, nil if there is none. They last until the
	// next run starts.
	Values []int32
}

// Weakest finds the weakest predicted link of entity e in the answer of the last run. Observed
// links have degree 1, others less. Those of a complete relation, by slot, count as the weakest.
func (m *Machine) Weakest(e int32, graphs []scq.Disjunct, complete func(relation int) bool) (Weakest, error) {
	x, err := m.follow(e, graphs, false)
	w := Weakest{Disjunct: x.Disjunct, Atom: -1, Head: -1, Tail: -1, Values: x.Values}
	if x.Degree == 0 || err != nil {
		return w, err
	}
	w.Degree = m.Degree(e)
	least := float32(1)
	for i, d := range x.Degrees {
		a := &graphs[x.Disjunct].Atoms[i]
		if d < 1 && complete(a.Relation) {
			d = 0
		}
		if d < least && !a.Negated {
			least = d
			w.Atom = i
		}
	}
	if w.Atom >= 0 {
		a := &graphs[x.Disjunct].Atoms[w.Atom]
		guessed := slices.Contains(x.guessed, w.Atom)
		w.Head, w.Tail = x.entity(a.Head, guessed), x.entity(a.Tail, guessed)
	}
	return w, nil
}

// Degree returns the truth degree of an entity in the answer of the last run.
func (m *Machine) Degree(e int32) float32 {
	if m.off > 0 { // never in a split model
		return m.Exactly(e)
	}
	return m.at(m.answer.single(), e)
}

// entity returns the entity of a term: -1 for a constant, and for a guessed existential variable.
func (x *Trace) entity(t scq.Term, guessed bool) int32 {
	if t.Constant || guessed && t.Index != 0 {
		return -1
	}
	return x.Values[t.Index]
}

// Degrees writes the truth degrees of the answer to dst, which it returns.
func (m *Machine) Degrees(dst []float32) []float32 {
	m.answer.single().Dense(dst)
	return dst
}
