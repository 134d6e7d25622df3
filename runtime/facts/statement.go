package facts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/efoc/efoc/runtime/internal/journal"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/names"
	"github.com/efoc/efoc/runtime/model/values"
)

// statement is a parsed fact: a link, which is a graph.Triple, or a value of an entity, which is a values.Fact.
type statement any

// Contradiction is the error of Assume for a fact in both lists, by its index in each.
type Contradiction struct{ Add, Remove int }

func (e *Contradiction) Error() string {
	return fmt.Sprintf("add[%d] and remove[%d] are the same fact", e.Add, e.Remove)
}

// resolved is a change by id, with the model that has all its entities.
type resolved struct {
	model.Change
	model *model.Model
	// entities and attributes are new ones.
	entities   []journal.Entity
	attributes []string
}

// apply resolves the facts of a change and returns the model after it. grow is nil if the change lasts; otherwise it may
// refuse new entities.
func (c *Change) apply(ctx context.Context, m *model.Model, grow func() error) (x resolved, next *model.Model, done Result, err error) {
	x, err = read(ctx, m, c, grow)
	if err != nil {
		return x, nil, done, err
	}
	next, done.Changed, err = x.model.With(x.Change)
	done.Attributes = x.attributes
	for _, e := range x.entities {
		done.Entities = append(done.Entities, e.Name)
	}
	return x, next, done, err
}

// read resolves the facts of a change.
func read(ctx context.Context, m *model.Model, c *Change, grow func() error) (x resolved, err error) {
	r := &reader{model: m, ids: map[string]graph.EntityID{}}
	var links [3][]graph.Triple
	var valued [3][]values.Fact
	added := map[statement]int{} // by index; of assumptions alone
	for i, list := range c.lists() {
		r.enter = c.New && i == 0
		for j, f := range list {
			s, wrong := r.parse(f)
			if _, value := s.(values.Fact); value && i == 2 {
				wrong = &NameError{Part: relationPart, Err: errUntrueValue}
			}
			if wrong != nil {
				return x, &NameError{List: listNames[i], Index: j, Part: wrong.Part, Err: refusal(wrong.Err, i == 0)}
			}
			if i == 0 && grow != nil {
				added[s] = j
			} else if at, both := added[s]; both {
				return x, &Contradiction{Add: at, Remove: j}
			}
			switch s := s.(type) {
			case graph.Triple:
				links[i] = append(links[i], s)
			case values.Fact:
				valued[i] = append(valued[i], s)
			}
		}
	}
	if err := r.checkRows(c.Add, links[0]); err != nil {
		return x, err
	}
	if c.Replace {
		for _, v := range valued[0] {
			valued[1] = append(valued[1], m.ValuesOf(v.Entity, v.Attribute)...)
		}
	}
	x.attributes = r.attributes
	x.model, x.entities, err = r.grow(ctx, links[0], grow)
	x.Change = model.Change{Add: links[0], Remove: links[1], Untrue: links[2], AddValues: valued[0], RemoveValues: valued[1]}.Settled()
	return x, err
}

// checkRows refuses new entities that have only values.
func (r *reader) checkRows(add []Fact, links []graph.Triple) error {
	for i, name := range r.fresh {
		e := graph.EntityID(r.model.NumEntities() + i)
		linked := func(l graph.Triple) bool { return l.Head == e || l.Tail == e }
		if !slices.ContainsFunc(links, linked) {
			at := slices.IndexFunc(add, func(f Fact) bool { return f[0] == name })
			err := fmt.Errorf("new entity %q has no facts to make its row from: add one beside its values", name)
			return &NameError{List: listNames[0], Index: at, Part: headPart, Err: err}
		}
	}
	return nil
}

// errUntrueValue refuses to mark a value.
var errUntrueValue = errors.New("values are not marked as not true: remove it")

// parse decides whether a fact is a link or a value, and resolves its names. It is a value if its relation is an
// attribute, or a possible new one, but not a relation; or if it is both, and the tail is a typed literal that does
// not name an entity. A relation may end in ^-1.
func (r *reader) parse(f Fact) (s statement, wrong *NameError) {
	for i, name := range f {
		if err := names.Check(name); err != nil {
			return s, &NameError{Part: Parts[i], Err: err}
		}
	}
	kind, text, typed := values.ParseLiteral(f[2])
	relation, notRelation := r.relation(f[1])
	if notRelation == nil && (!typed || r.isEntity(f[2])) {
		return r.link(f, relation)
	}
	attribute, notAttribute := r.model.FindAttribute(f[1])
	unknown := errors.Is(notAttribute, names.ErrUnknown)
	if notRelation == nil && unknown {
		return r.link(f, relation)
	}

	if !typed {
		text = f[2]
		kind = attribute.Kind
	}
	if unknown {
		if !typed && !r.isEntity(text) {
			kind = kindOf(text)
		}
		if kind == "" || !errors.Is(notRelation, names.ErrUnknown) || strings.HasPrefix(f[1], "#") {
			_, err := r.model.Relation(f[1]) // with similar names
			return s, &NameError{Part: relationPart, Err: cmp.Or(tooLong(f[1]), err)}
		}
		attribute = values.Attribute{Name: f[1], Kind: kind}
		notAttribute = r.newAttribute(attribute)
	}
	if notAttribute != nil {
		return s, &NameError{Part: relationPart, Err: notAttribute}
	}
	return r.value(f[0], attribute, kind, strings.TrimSpace(text))
}

// link finds the entities of a link.
func (r *reader) link(f Fact, relation graph.RelationID) (s statement, wrong *NameError) {
	head, err := r.entity(f[0])
	if err != nil {
		return s, &NameError{Part: headPart, Err: err}
	}
	tail, err := r.entity(f[2])
	if err != nil {
		return s, &NameError{Part: tailPart, Err: err}
	}
	return graph.TripleOf(head, relation, tail), nil
}

// value parses a value, whose kind must be the attribute's, and finds its entity.
func (r *reader) value(entity string, a values.Attribute, kind values.Kind, text string) (s statement, wrong *NameError) {
	number, _, err := kind.Parse(text)
	if err == nil && kind != a.Kind {
		err = fmt.Errorf("%q is a %s", text, kind)
	}
	if err != nil {
		return s, &NameError{Part: tailPart, Err: cmp.Or(tooLong(text), fmt.Errorf("%w: %w", values.WantKind(a), err))}
	}
	e, err := r.entity(entity)
	if err != nil {
		return s, &NameError{Part: headPart, Err: err}
	}
	return values.Fact{EntityValue: values.EntityValue{Entity: e, Number: number}, Attribute: a.Name, Kind: kind}, nil
}

// kindOf returns the kind of a literal value, empty if text is none.
func kindOf(text string) values.Kind {
	for _, k := range []values.Kind{values.NumberKind, values.DateKind} {
		if _, _, err := k.Parse(text); err == nil || errors.Is(err, values.ErrInexact) {
			return k
		}
	}
	return ""
}
