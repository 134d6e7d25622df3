// Package wanted parses the selection of answers to a question: from flags, requests and tool calls alike.
package wanted

import (
	"fmt"

	"github.com/efoc/efoc/runtime"
)

// Filter selects answers by names.
type Filter struct {
	Status        []string `json:"status,omitempty" group:"filter" placeholder:"STATUS" help:"Statuses of answers to show: known, predicted, confirmed or undecided, separated by commas or repeated. The -k best of these are shown." jsonschema:"statuses that are wanted: known, predicted, confirmed"`
	MinConfidence float64  `json:"min_confidence,omitempty" group:"filter" placeholder:"P" help:"Minimum confidence of an answer, from 0 to 1: the probability that it is true, a lower bound if the graph lacks more facts than were held back. The model must be calibrated, see efoc calibrate." jsonschema:"minimum confidence of an answer, from 0 to 1"`
	InRange       bool     `json:"in_range,omitempty" group:"filter" help:"Leave out answers that are out of range: no fact of the graph has them in the position of the free variable." jsonschema:"leave out answers of a kind that never stands there in a stored fact"`
	Type          string   `json:"type,omitempty" group:"filter" placeholder:"[RELATION=]ENTITY" help:"Type that answers must have by a fact of the graph, such as instance_of=City: instance_of leads from the answer to City. The default RELATION is the model's: see import and train --type-relation." jsonschema:"kind that answers must have as a stored fact, written relation=entity"`
}

// Of resolves the names. runtime.Options.Check checks the rest.
func (f *Filter) Of(m *runtime.Model) (x runtime.Filter, err error) {
	x = runtime.Filter{InRange: f.InRange, MinConfidence: f.MinConfidence}
	x.Statuses, err = runtime.ParseStatus(f.Status...)
	if err != nil {
		return x, err
	}
	if f.Type != "" {
		x.Type, err = m.ParseType(f.Type)
		if err != nil {
			return x, fmt.Errorf("type: %w", err)
		}
	}
	return x, nil
}
