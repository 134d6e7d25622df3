package facts

import (
	"errors"
	"fmt"
	"strings"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/names"
	"github.com/efoc/efoc/runtime/model/values"
)

// NameError reports a name in a change that the model lacks or that no entity may have.
type NameError struct {
	// List is the fact's list in the change: add, remove or untrue.
	List string
	// Index is the position of the fact in its list, from 0.
	Index int
	// Part is one of Parts.
	Part string
	Err  error
}

// Error names the fact, counted from 0 as in JSON requests, and the mistake.
func (e *NameError) Error() string {
	return fmt.Sprintf("%s[%d].%s: %v", e.List, e.Index, e.Part, e.Err)
}

func (e *NameError) Unwrap() error { return e.Err }

// Parts are the names of the parts of a fact.
var Parts = [3]string{headPart, relationPart, tailPart}

const (
	headPart     = "head"
	relationPart = "relation"
	tailPart     = "tail"
)

// listNames names the lists of a change.
var listNames = [3]string{"add", "remove", "untrue"}

// MaxName bounds the bytes of a new entity's name.
const MaxName = 4096

// tooLong refuses an unknown name that exceeds MaxName, without quoting it.
func tooLong(name string) error {
	if len(name) > MaxName {
		return fmt.Errorf("the model has no name of these %d bytes, and a new one has at most %d", len(name), MaxName)
	}
	return nil
}

// reader resolves the names of facts in a model.
type reader struct {
	model *model.Model // with the new attributes
	enter bool         // unknown names become new entities and attributes
	fresh []string     // the names of new entities
	ids   map[string]graph.EntityID
	// attributes are the names of new ones.
	attributes []string
}

// relation finds a relation. The error has no similar names.
func (r *reader) relation(name string) (graph.RelationID, error) {
	id, err := r.model.FindRelation(name)
	if base, inverse := strings.CutSuffix(name, "^-1"); err != nil && inverse {
		id, err = r.model.FindRelation(base)
		return graph.RelationID(id).Inverse(), err
	}
	return graph.RelationID(id), err
}

// isEntity reports whether an entity has a name.
func (r *reader) isEntity(name string) bool {
	_, err := r.model.FindEntity(name)
	return err == nil
}

// maxNewEntities bounds the new entities of a change: each row takes some milliseconds, and other changes wait.
const maxNewEntities = 1_000

// entity finds an entity, which may be new. It searches for similar names only for an error.
func (r *reader) entity(name string) (graph.EntityID, error) {
	if id, there := r.ids[name]; there {
		return id, nil
	}
	id, err := r.model.FindEntity(name)
	if _, unknown := errors.AsType[*names.UnknownError](err); !unknown {
		return graph.EntityID(id), err
	}
	if err := tooLong(name); err != nil {
		return 0, err
	}
	if !r.enter || strings.HasPrefix(name, "#") {
		_, err := r.model.Entity(name)
		return 0, err
	}
	if err := names.CheckNew(name); err != nil {
		return 0, err
	}
	if len(r.fresh) == maxNewEntities {
		return 0, fmt.Errorf("more than %d new entities in one change: split it, or train a model that has them", maxNewEntities)
	}
	r.ids[name] = graph.EntityID(r.model.NumEntities() + len(r.fresh))
	r.fresh = append(r.fresh, name)
	return r.ids[name], nil
}

// newAttribute adds an attribute, or says why it cannot.
func (r *reader) newAttribute(a values.Attribute) error {
	if err := tooLong(a.Name); err != nil {
		return err
	}
	if !r.enter {
		return &names.UnknownError{Kind: "attribute", Name: a.Name, Range: -1, Nearest: r.model.NearestAttributes(a.Name, 3)}
	}
	if err := names.CheckNew(a.Name); err != nil {
		return err
	}
	r.model = r.model.WithAttribute(a)
	r.attributes = append(r.attributes, a.Name)
	return nil
}

// ErrNoNew is wrapped by the error for an unknown name in a fact to be added that would be new if Change.New were
// set.
var ErrNoNew = errors.New("the change adds no new names")

// refusal says why a model cannot add an unknown name.
func refusal(err error, added bool) error {
	unknown, ok := errors.AsType[*names.UnknownError](err)
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
