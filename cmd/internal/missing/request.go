package missing

import (
	"fmt"

	"github.com/efoc/efoc/runtime"
)

// Request selects missing facts by names.
type Request struct {
	Relation      string  `json:"relation" short:"r" placeholder:"NAME" help:"Only facts of this relation. NAME^-1 asks the entities at its other end."`
	Type          string  `json:"type" placeholder:"[RELATION=]ENTITY" help:"Ask only about entities of this type, such as instance_of=City: see ask --type."`
	Entity        string  `json:"entity" short:"e" placeholder:"NAME" help:"Only facts of this entity, in both directions, by the relations that are plausible for it."`
	K             int     `json:"k" least:"1" short:"k" default:"100" help:"Number of facts."`
	MinConfidence float64 `json:"min_confidence" placeholder:"P" default:"0.01" help:"Minimum confidence of a fact, above 0, at most 1."`
	Questions     int     `json:"questions" least:"1" default:"100000" help:"Number of questions at most. If there are more, efoc asks only by relations that are plausible for an entity, about entities spread evenly over the graph."`
}

// Options resolves the names.
func (r *Request) Options(m *runtime.Model) (o Options, err error) {
	if !(r.MinConfidence > 0 && r.MinConfidence <= 1) {
		return o, &runtime.OptionError{Option: "MinConfidence", Why: fmt.Sprintf("want a number above 0, at most 1, not %v", r.MinConfidence)}
	}
	o = Options{K: r.K, Questions: r.Questions, MinConfidence: r.MinConfidence}
	if r.Relation != "" {
		relation, err := m.Relation(r.Relation)
		if err != nil {
			return o, fmt.Errorf("relation: %w", err)
		}
		o.Relation = new(relation.ID())
	}
	if r.Entity != "" {
		entity, err := m.Entity(r.Entity)
		if err != nil {
			return o, fmt.Errorf("entity: %w", err)
		}
		o.Head = new(entity.ID())
	}
	if r.Type != "" {
		o.Type, err = m.ParseType(r.Type)
		if err != nil {
			return o, fmt.Errorf("type: %w", err)
		}
	}
	return o, nil
}
