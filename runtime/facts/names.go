package facts

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/journal"
	"github.com/efoc/efoc/runtime/model/newrow"
)

// NameError says which fact of a change has a name that the model lacks, or no name at all.
type NameError struct {
	// Removed says that the fact is to be removed, otherwise it is to be added.
	Removed bool
	// Index is the place of the fact in its list, from 0.
	Index int
	Err   error
}

// Error says which fact it is, counting from 1, and what is wrong.
func (e *NameError) Error() string {
	list := "add"
	if e.Removed {
		list = "remove"
	}
	return fmt.Sprintf("fact %d to %s: %v", e.Index+1, list, e.Err)
}

func (e *NameError) Unwrap() error { return e.Err }

// resolve finds the facts of a change in a model. It returns the model that has all their
// entities, and with enter those that m has not.
func resolve(m *model.Model, add, remove []Fact, enter bool) (*model.Model, model.Change, []journal.Entity, error) {
	var c model.Change
	var fresh []journal.Entity
	if enter {
		var err error
		if m, fresh, err = admit(m, add); err != nil {
			return nil, c, nil, err
		}
	}
	for i, list := range [][]Fact{add, remove} {
		for j, f := range list {
			t, err := m.Fact(f)
			if err != nil {
				return nil, c, nil, &NameError{Removed: i == 1, Index: j, Err: advice(err)}
			}
			if i == 0 {
				c.Add = append(c.Add, t)
			} else {
				c.Remove = append(c.Remove, t)
			}
		}
	}
	return m, c, fresh, nil
}

// mostEntities bounds the new entities of a change, whose rows take some milliseconds each
// while other changes wait.
const mostEntities = 1_000

// admit returns the model with the new entities of facts to be added: those whose name is
// unknown, with rows made from these facts.
func admit(m *model.Model, add []Fact) (*model.Model, []journal.Entity, error) {
	var names []string
	ids := map[string]model.EntityID{}
	find := func(name string) (model.EntityID, error) {
		e, err := m.Entity(name)
		if _, unknown := errors.AsType[*model.UnknownNameError](err); !unknown || strings.HasPrefix(name, "#") {
			return e.ID(), err
		}
		id, there := ids[name]
		if !there {
			id = model.EntityID(m.NumEntities() + len(names))
			ids[name], names = id, append(names, name)
		}
		return id, nil
	}
	var facts []model.Triple
	for i, f := range add {
		r, err := m.Relation(f[1])
		if err != nil {
			return nil, nil, &NameError{Index: i, Err: advice(err)}
		}
		var ends [2]model.EntityID
		for k, name := range []string{f[0], f[2]} {
			if ends[k], err = find(name); err != nil {
				return nil, nil, &NameError{Index: i, Err: advice(err)}
			}
		}
		if r.ID().IsInverse() {
			ends[0], ends[1] = ends[1], ends[0]
		}
		facts = append(facts, model.Triple{Head: ends[0], Relation: int32(r.ID() / 2), Tail: ends[1]})
	}
	switch {
	case len(names) == 0:
		return m, nil, nil
	case len(names) > mostEntities:
		return nil, nil, fmt.Errorf("%d new entities in one change, want at most %d: split it, or train a model that has them", len(names), mostEntities)
	}
	rows, err := newrow.Rows(m, names, facts)
	if err != nil {
		return nil, nil, err
	}
	if m, err = m.Grown(names, rows); err != nil {
		return nil, nil, fmt.Errorf("new entities: %w", err)
	}
	fresh := make([]journal.Entity, len(names))
	width := len(rows) / len(names)
	for i, name := range names {
		fresh[i].Name = name
		for _, v := range rows[i*width : (i+1)*width] {
			fresh[i].Row = binary.LittleEndian.AppendUint32(fresh[i].Row, math.Float32bits(v))
		}
	}
	return m, fresh, nil
}

// advice says what to do about a name that the model lacks.
func advice(err error) error {
	unknown, ok := errors.AsType[*model.UnknownNameError](err)
	switch {
	case !ok:
		return err
	case unknown.Kind == "relation":
		return fmt.Errorf("%w; the link predictor knows no other relations than those of efoc info: train anew to have more", err)
	}
	return fmt.Errorf("%w; if it is a new entity, say so when its facts are added: efoc add --new", err)
}
