package fit

import (
	"context"
	"slices"

	"github.com/efoc/efoc/runtime"
)

// Witness says why an entity is an answer: values of the existential variables, and
// to what degree each atom is true of them. Without values there is none among the
// K best.
type Witness struct {
	Answer Entity `json:"answer"`
	// Degree is that of the answer by this disjunct, the product of the atoms'.
	Degree float32 `json:"degree"`
	// SCQ is the disjunct that gives the answer its largest degree, from 0.
	SCQ    int     `json:"disjunct"`
	Values []Value `json:"values,omitempty"`
	Atoms  []Atom  `json:"atoms,omitempty"`
}

// Entity names an entity.
type Entity struct {
	ID    runtime.EntityID `json:"id"`
	Name  string           `json:"name"`
	Label string           `json:"label"`
}

// Value is the value of an existential variable.
type Value struct {
	// Variable is its name in the pattern.
	Variable string `json:"variable"`
	Entity
}

// Atom is an atom with the values of its terms.
type Atom struct {
	Relation string `json:"relation"`
	Head     Entity `json:"head"`
	Tail     Entity `json:"tail"`
	Negated  bool   `json:"negated,omitempty"`
	// Observed says that the link is in the observed graph; otherwise it is predicted.
	Observed bool `json:"observed"`
	// Degree is that to which the atom, negated or not, counted as true. For a
	// variable of which no constant tells anything it may be Degrees.Leaf.
	Degree float32 `json:"degree"`
}

// Witnesses returns the best witness for each of the answers, in order. They may be
// those of another semantics; it explains them by truth degrees.
func (e *Engine) Witnesses(ctx context.Context, b runtime.Bindings, d runtime.Degrees, answers []runtime.EntityID) ([]Witness, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	witnesses := make([]Witness, len(answers))
	for i, a := range answers {
		witnesses[i].Answer = e.entity(int32(a))
	}
	for p := range e.plans {
		m := e.machine(p, d)
		states, err := m.run(ctx, []runtime.Bindings{b})
		if err != nil {
			return nil, err
		}
		for i, a := range answers {
			t := &tracer{machine: m, state: states[0], values: make([]int32, len(m.plan.pattern.Variables))}
			if degree := t.choose(int32(a)); degree > witnesses[i].Degree {
				w := &witnesses[i]
				w.Degree, w.SCQ = degree, p
				if w.Values, w.Atoms, err = t.trace(ctx, e); err != nil {
					return nil, err
				}
			}
		}
	}
	return witnesses, nil
}

func (e *Engine) entity(id int32) Entity {
	m := e.rows.model
	x := runtime.EntityID(id)
	return Entity{ID: x, Name: m.EntityName(x), Label: m.EntityLabel(x)}
}

// tracer finds who won each maximum on the way to an answer.
type tracer struct {
	*machine
	state  *state
	branch int
	values []int32 // of the variables, as far as they are known
}

// choose takes the branch that is best for the answer and returns its degree there.
func (t *tracer) choose(answer int32) float32 {
	t.values[0] = answer
	best := float32(0)
	for b, w := range t.state.weights {
		if d := w * per(t.state.vars[0], b).at(answer); d > best {
			best, t.branch = d, b
		}
	}
	return best
}

// trace returns the values of the existential variables and the degrees of the atoms.
func (t *tracer) trace(ctx context.Context, e *Engine) ([]Value, []Atom, error) {
	for u, values := range t.state.values {
		t.values[u] = values[t.branch]
	}
	for x := len(t.plan.steps) - 1; x >= 0; x-- {
		var err error
		switch st := &t.plan.steps[x]; {
		case st.kind == push || st.kind == leaf && t.exact():
			err = t.pushedBy(ctx, x)
		case st.kind == leaf:
			err = t.leafBy(ctx, st)
		case st.kind == vanish:
			if best := t.degrees(st.u).best(1, t.n); len(best) > 0 {
				t.values[st.u] = best[0]
			}
		}
		if err != nil {
			return nil, nil, err
		}
	}
	var values []Value
	for v, name := range t.plan.pattern.Variables[1:] {
		values = append(values, Value{name, e.entity(t.values[v+1])})
	}
	atoms, err := t.atoms(ctx, e)
	return values, atoms, err
}

// degrees returns the degrees that a variable had when the plan was done with it.
func (t *tracer) degrees(v int) *fuzzy { return per(t.state.vars[v], t.branch) }

// pushedBy finds the value of u that won the push of step x.
func (t *tracer) pushedBy(ctx context.Context, x int) error {
	st := &t.plan.steps[x]
	var keys []key
	for i := range st.links {
		for _, c := range t.state.best[x] {
			keys = append(keys, key{c, st.links[i].directed(t.state.bindings)})
		}
	}
	rows, err := t.rows.fetch(ctx, t.scale(), keys)
	if err != nil {
		return err
	}
	u, v := t.degrees(st.u), t.values[st.v]
	best := float32(0)
	for _, c := range t.state.best[x] {
		d := u.at(c)
		for i := range st.links {
			l := &st.links[i]
			row := rows[key{c, l.directed(t.state.bindings)}]
			d *= t.sign(row.at(v), l)
		}
		if d > best {
			best, t.values[st.u] = d, c
		}
	}
	if t.observed && !t.exact() && positive(st.links) {
		t.observedBest(st, t.state.best[x], u, best)
	}
	return nil
}

// observedBest looks for a value of u beyond those with rows whose degree is above the
// best so far.
func (t *tracer) observedBest(st *step, rows []int32, u *fuzzy, best float32) {
	graph, v := t.rows.model.Graph, runtime.EntityID(t.values[st.v])
	along := slices.IndexFunc(st.links, func(l link) bool { return !l.negated })
	r := st.links[along].directed(t.state.bindings)
heads:
	for _, c := range graph.Tails(v, r.Inverse()) {
		if u.at(c) <= best || slices.Contains(rows, c) {
			continue
		}
		for i := range st.links {
			l := &st.links[i]
			if graph.Has(runtime.EntityID(c), l.directed(t.state.bindings), v) == l.negated {
				continue heads
			}
		}
		best, t.values[st.u] = u.at(c), c
	}
}

// leafBy finds a value of u that a leaf may have meant: one with an observed link, or
// else the one that the link predictor finds best.
func (t *tracer) leafBy(ctx context.Context, st *step) error {
	u := t.degrees(st.u)
	best := u.best(1, t.n)
	if len(best) > 0 {
		t.values[st.u] = best[0]
	}
	i := slices.IndexFunc(st.links, func(l link) bool { return !l.negated })
	if i < 0 {
		return nil
	}
	back := key{t.values[st.v], st.links[i].directed(t.state.bindings).Inverse()}
	top, found := float32(t.settings.Leaf)*u.top(t.n), false
	for _, c := range t.rows.model.Graph.Tails(runtime.EntityID(back.h), back.r) {
		if d := u.at(c); d > top || d == top && !found {
			top, found, t.values[st.u] = d, true, c
		}
	}
	if found || len(u.ids) > 0 {
		return nil
	}
	rows, err := t.rows.fetch(ctx, t.scale(), []key{back})
	if err != nil {
		return err
	}
	if best := rows[back].best(1, t.n); len(best) > 0 {
		t.values[st.u] = best[0]
	}
	return nil
}

func (t *tracer) sign(d float32, l *link) float32 {
	if l.negated {
		return 1 - min(1, float32(t.settings.Negation)*d)
	}
	return d
}

// atoms returns the atoms with their degrees, in the pattern's order.
func (t *tracer) atoms(ctx context.Context, e *Engine) ([]Atom, error) {
	atoms := make([]Atom, len(t.plan.pattern.Atoms))
	keys := make([]key, len(atoms))
	to := make([]int32, len(atoms))
	for i, a := range t.plan.pattern.Atoms {
		r, h, tail := t.state.bindings.Relations[a.Relation], t.value(a.Head), t.value(a.Tail)
		atoms[i] = Atom{
			Relation: t.rows.model.RelationName(r), Head: e.entity(h), Tail: e.entity(tail), Negated: a.Negated,
			Observed: t.rows.model.Graph.Has(runtime.EntityID(h), r, runtime.EntityID(tail)),
		}
		keys[i], to[i] = key{h, r}, tail
		if t.plan.fromTail[i] {
			keys[i], to[i] = key{tail, r.Inverse()}, h
		}
	}
	rows, err := t.rows.fetch(ctx, t.scale(), keys)
	if err != nil {
		return nil, err
	}
	for x := range t.plan.steps {
		st := &t.plan.steps[x]
		for i := range st.links {
			l := &st.links[i]
			a := &atoms[l.atom]
			d := rows[keys[l.atom]].at(to[l.atom])
			switch {
			case a.Observed:
				d = 1
			case t.exact():
			case st.kind == leaf:
				d = float32(t.settings.Leaf)
			case st.kind == loop && !slices.Contains(t.state.best[x], t.values[st.v]),
				st.kind == push && !slices.Contains(t.state.best[x], t.values[st.u]),
				st.kind == enumerate && slices.Index(t.state.best[x], t.values[st.u]) >= t.settings.Candidates:
				d = 0 // its row is not read
			}
			if st.kind == propose {
				continue
			}
			a.Degree = t.sign(d, l)
			if st.kind == leaf && l.negated && !t.exact() {
				a.Degree = 1
			}
		}
	}
	return atoms, nil
}

// value returns the entity that a term stands for.
func (t *tracer) value(x runtime.PatternTerm) int32 {
	if x.Constant {
		return int32(t.state.bindings.Constants[x.Index])
	}
	return t.values[x.Index]
}
