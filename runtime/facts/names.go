package facts

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/journal"
	"github.com/efoc/efoc/runtime/model/newrow"
)

// NameError reports a wrong name in a change: the model lacks it, or no entity may have it.
type NameError struct {
	// List is what was to be done with the fact: add, remove or untrue.
	List string
	// Index is the position of the fact in its list, from 0.
	Index int
	// Part is head, relation or tail.
	Part string
	Err  error
}

// Error names the fact, counted from 0 as in JSON requests, and the mistake.
func (e *NameError) Error() string {
	return fmt.Sprintf("%s[%d].%s: %v", e.List, e.Index, e.Part, e.Err)
}

func (e *NameError) Unwrap() error { return e.Err }

// parts names the parts of a fact.
var parts = [3]string{"head", "relation", "tail"}

// listNames names the lists of a change.
var listNames = [3]string{"add", "remove", "untrue"}

// lists returns the lists of a change.
func lists(b *journal.Batch) [3][]Fact { return [3][]Fact{b.Add, b.Remove, b.Untrue} }

// check reports the first name of a change that no model has.
func check(b *journal.Batch) error {
	for i, list := range lists(b) {
		for j, f := range list {
			for k, name := range f {
				if err := model.CheckName(name); err != nil {
					return &NameError{List: listNames[i], Index: j, Part: parts[k], Err: err}
				}
			}
		}
	}
	return nil
}

// MaxName bounds the bytes of a new entity's name.
const MaxName = 4096

// tooLong reports a name, which the model lacks, that is too long to be worth repeating.
func tooLong(name string) error {
	if len(name) > MaxName {
		return fmt.Errorf("the model has no name of these %d bytes, and a new one has at most %d", len(name), MaxName)
	}
	return nil
}

// mode says how a change is made: see Change.New and Change.Replace.
type mode struct{ enter, replace bool }

// resolver finds the facts of a change in a model.
type resolver struct {
	model *model.Model
	fresh []string // the names of new entities
	ids   map[string]model.EntityID
	// attributes are new ones.
	attributes []model.Attribute
}

// resolved is a change of a model, which has all its entities.
type resolved struct {
	model.Change
	model *model.Model
	// entities and attributes are new ones.
	entities   []journal.Entity
	attributes []string
}

// resolve finds the facts and values of a change in a model.
func resolve(m *model.Model, b *journal.Batch, how mode) (x resolved, err error) {
	r := &resolver{model: m, ids: map[string]model.EntityID{}}
	var found [3][]model.Triple
	var values [3][]model.ValueFact
	for i, list := range lists(b) {
		for j, f := range list {
			t, v, part, err := r.fact(f, how.enter && i == 0)
			if err == nil && v != nil && i == 2 {
				part = parts[1]
				err = errUntrueValue
			}
			if err != nil {
				return x, &NameError{List: listNames[i], Index: j, Part: part, Err: refusal(err, i == 0)}
			}
			if v != nil {
				values[i] = append(values[i], *v)
			} else {
				found[i] = append(found[i], t)
			}
		}
	}
	if how.replace {
		values[1] = append(values[1], replaced(m, values[0])...)
	}
	x.Change = model.Change{Add: found[0], Remove: found[1], Untrue: found[2], AddValues: values[0], RemoveValues: values[1]}
	for _, a := range r.attributes {
		x.attributes = append(x.attributes, a.Name)
	}
	x.model, x.entities, err = r.grow(found[0])
	return x, err
}

// errUntrueValue refuses to mark a value.
var errUntrueValue = errors.New("values are not marked as not true: remove it")

// replaced returns the other values that entities have of the attributes of values.
func replaced(m *model.Model, values []model.ValueFact) (others []model.ValueFact) {
	for _, v := range values {
		others = append(others, m.ValuesOf(v.Entity, v.Attribute)...)
	}
	return others
}

// fact finds a fact, whose relation may end in ^-1, or a value: see Fact. The error comes with the part that is
// wrong.
func (r *resolver) fact(f Fact, enter bool) (t model.Triple, v *model.ValueFact, part string, err error) {
	if r.isValue(f) {
		v, part, err := r.value(f, enter)
		return t, v, part, err
	}
	relation, err := r.model.Relation(f[1])
	if err != nil {
		return t, nil, parts[1], cmp.Or(tooLong(f[1]), err)
	}
	t.Relation = int32(relation.ID() / 2)
	t.Head, err = r.entity(f[0], enter)
	if err != nil {
		return t, nil, parts[0], err
	}
	t.Tail, err = r.entity(f[2], enter)
	if err != nil {
		return t, nil, parts[2], err
	}
	if relation.ID().IsInverse() {
		t.Head, t.Tail = t.Tail, t.Head
	}
	return t, nil, "", nil
}

// maxNewEntities bounds the new entities of a change, whose rows take some milliseconds each
// while other changes wait.
const maxNewEntities = 1_000

// entity finds an entity, which may be new if enter. Similar names are sought only for an error.
func (r *resolver) entity(name string, enter bool) (model.EntityID, error) {
	if id, there := r.ids[name]; there {
		return id, nil
	}
	id, err := r.model.FindEntity(name)
	if _, unknown := errors.AsType[*model.UnknownNameError](err); !unknown {
		return model.EntityID(id), err
	}
	if err := tooLong(name); err != nil {
		return 0, err
	}
	if !enter || strings.HasPrefix(name, "#") {
		_, err := r.model.Entity(name)
		return 0, err
	}
	if err := model.CheckNewName(name); err != nil {
		return 0, err
	}
	if len(r.fresh) == maxNewEntities {
		return 0, fmt.Errorf("more than %d new entities in one change: split it, or train a model that has them", maxNewEntities)
	}
	r.ids[name] = model.EntityID(r.model.NumEntities() + len(r.fresh))
	r.fresh = append(r.fresh, name)
	return r.ids[name], nil
}

// grow returns the model with the new entities, whose rows are made from facts to be added.
func (r *resolver) grow(add []model.Triple) (*model.Model, []journal.Entity, error) {
	if len(r.fresh) == 0 {
		return r.model, nil, nil
	}
	rows, err := newrow.Rows(r.model, r.fresh, add)
	if err != nil {
		return nil, nil, err
	}
	m, err := r.model.Grown(r.fresh, rows)
	if err != nil {
		return nil, nil, fmt.Errorf("new entities: %w", err)
	}
	entities := make([]journal.Entity, len(r.fresh))
	width := len(rows) / len(r.fresh)
	for i, name := range r.fresh {
		entities[i].Name = name
		for _, v := range rows[i*width : (i+1)*width] {
			entities[i].Row = binary.LittleEndian.AppendUint32(entities[i].Row, math.Float32bits(v))
		}
	}
	return m, entities, nil
}

// ErrNoNew is wrapped by the error for an unknown name of a fact to be added that could be new, if the change may
// add none: see Change.New.
var ErrNoNew = errors.New("the change adds no new names")

// refusal says why a model cannot take a name that it lacks.
func refusal(err error, added bool) error {
	unknown, ok := errors.AsType[*model.UnknownNameError](err)
	switch {
	case !ok:
		return err
	case unknown.Kind == "relation":
		return fmt.Errorf("%w; a link predictor knows only the relations that it was trained on: train it again to have more", err)
	case added && !strings.HasPrefix(unknown.Name, "#"):
		return fmt.Errorf("%w (%w)", err, ErrNoNew)
	}
	return err
}
