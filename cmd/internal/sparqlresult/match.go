package sparqlresult

import (
	"context"
	"errors"
	"fmt"

	"github.com/efoc/efoc/runtime/model"
)

// errEnough ends a search that needs no more solutions.
var errEnough = errors.New("enough")

// matcher finds the solutions of a pattern among the stored facts of a model: it goes through the parts of the
// pattern in their order, and tries each fact that fits.
type matcher struct {
	ctx    context.Context
	bundle *model.Model
	// values are the entities or relations of the variables, negative for those without a value.
	values []int32
	// work counts the facts and relations that were looked at, which most bounds.
	work, most int
}

// part is a part of a pattern. It calls then for each of its solutions, with the variables set. An error ends
// the search.
type part interface {
	match(m *matcher, then func() error) error
}

// all finds the solutions of parts that all must hold.
func (m *matcher) all(parts []part, then func() error) error {
	if len(parts) == 0 {
		return then()
	}
	return parts[0].match(m, func() error { return m.all(parts[1:], then) })
}

// step counts work.
func (m *matcher) step() error {
	m.work++
	if m.work > m.most {
		return fmt.Errorf("%w: the search went through %d facts and gave up: name an entity or a relation, or ask for fewer solutions by LIMIT", ErrTooMany, m.most)
	}
	if m.work%10_000 == 0 {
		return m.ctx.Err()
	}
	return nil
}

// place is a term of a triple: a variable by its index, or a constant if that is negative.
type place struct {
	variable int
	constant int32
}

// value returns the value of a place, negative if it has none yet.
func (m *matcher) value(p place) int32 {
	if p.variable < 0 {
		return p.constant
	}
	return m.values[p.variable]
}

// bind gives a place a value, and reports whether it can have it, and has got it by this.
func (m *matcher) bind(p place, value int32) (fits, bound bool) {
	old := m.value(p)
	if old >= 0 {
		return old == value, false
	}
	m.values[p.variable] = value
	return true, true
}

// triple matches facts.
type triple struct {
	subject, predicate, object place
	// ends says that subject and object matter nowhere else, so that one fact of a relation does.
	ends bool
}

func (t *triple) match(m *matcher, then func() error) error {
	first := m.value(t.predicate)
	last := first
	if first < 0 {
		first = 0
		last = int32(m.bundle.Graph.NumRelations()/2) - 1
	}
	for relation := first; relation <= last; relation++ {
		err := m.step()
		if err == nil {
			err = t.facts(m, relation, then)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// facts matches the facts of a relation.
func (t *triple) facts(m *matcher, relation int32, then func() error) error {
	g := m.bundle.Graph
	r := model.RelationID(2 * relation)
	subject := m.value(t.subject)
	object := m.value(t.object)
	switch {
	case subject >= 0 && object >= 0:
		if !g.Has(model.EntityID(subject), r, model.EntityID(object)) {
			return nil
		}
		return t.fact(m, [3]int32{subject, relation, object}, then)
	case subject >= 0:
		return t.each(m, g.Tails(model.EntityID(subject), r), then, func(tail int32, _ int) [3]int32 { return [3]int32{subject, relation, tail} })
	case object >= 0:
		return t.each(m, g.Tails(model.EntityID(object), r+1), then, func(head int32, _ int) [3]int32 { return [3]int32{head, relation, object} })
	}
	heads, tails := g.Edges(r)
	return t.each(m, heads, then, func(head int32, i int) [3]int32 { return [3]int32{head, relation, tails[i]} })
}

// each matches the facts with some ends.
func (t *triple) each(m *matcher, list []int32, then func() error, fact func(end int32, i int) [3]int32) error {
	for i, end := range list {
		err := m.step()
		if err == nil {
			err = t.fact(m, fact(end, i), then)
		}
		if err != nil || t.ends {
			return err
		}
	}
	return nil
}

// fact matches a fact.
func (t *triple) fact(m *matcher, fact [3]int32, then func() error) error {
	var err error
	var bound []int
	fits := true
	for i, p := range [3]place{t.subject, t.predicate, t.object} {
		var fresh bool
		fits, fresh = m.bind(p, fact[i])
		if fresh {
			bound = append(bound, p.variable)
		}
		if !fits {
			break
		}
	}
	if fits {
		err = then()
	}
	for _, v := range bound {
		m.values[v] = -1
	}
	return err
}

// union has the solutions of each of its alternatives.
type union [][]part

func (u union) match(m *matcher, then func() error) error {
	for _, parts := range u {
		if err := m.all(parts, then); err != nil {
			return err
		}
	}
	return nil
}

// without holds if some parts have no solution.
type without []part

func (w without) match(m *matcher, then func() error) error {
	err := m.all(w, func() error { return errFound })
	switch {
	case errors.Is(err, errFound):
		return nil
	case err != nil:
		return err
	}
	return then()
}

// errFound ends the search for a solution of a negated part.
var errFound = errors.New("found")

// test holds if a function of the variables does.
type test func(m *matcher) bool

func (t test) match(m *matcher, then func() error) error {
	if !t(m) {
		return nil
	}
	return then()
}
