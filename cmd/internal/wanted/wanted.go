// Package wanted parses the selection of answers to a question: from flags, requests and tool calls alike.
package wanted

import (
	"cmp"
	"fmt"

	"github.com/efoc/efoc/runtime"
)

// Answers says which answers of a question to return.
type Answers struct {
	AnswerFilter
	K        int      `json:"k,omitempty" least:"1" short:"k" placeholder:"N" help:"Number of answers, by default 10, or with --coverage as many as that takes." jsonschema:"number of answers, 10 if not given"`
	Coverage float64  `json:"coverage,omitempty" type:"percent" group:"filter" placeholder:"SHARE" help:"Show the smallest number of best answers that hold all true ones for this share of questions, such as 90%; with -k, at most as many. The share is measured on validation questions to which the graph lacks an answer; it takes enough of them, see efoc calibrate." jsonschema:"show as many of the best answers as hold all true ones for this share of questions, from 0.5 to 0.99"`
	Offset   int      `json:"offset,omitempty" least:"0" default:"0" help:"Skip this many of the best answers." jsonschema:"answers to leave out, to see those after them"`
	Show     []string `json:"show,omitempty" placeholder:"VARIABLE" help:"Variables under exists to show with each answer, separated by commas or repeated. Their values are those of its best explanation, as with --why." jsonschema:"variables under exists whose values to show beside each answer"`
	Compare  bool     `json:"compare,omitempty" help:"Also show how --assume changes the answers: those that come, go, rise and fall." jsonschema:"also say what assume changes: answers that come, go, rise and fall"`
}

// Options resolves the names.
func (a *Answers) Options(m *runtime.Model) (runtime.Options, error) {
	filter, err := a.AnswerFilter.Of(m)
	o := runtime.Options{K: a.K, Offset: a.Offset, Coverage: a.Coverage, Filter: filter, Show: a.Show}
	if a.Coverage == 0 {
		o.K = cmp.Or(o.K, runtime.DefaultK)
	}
	return o, err
}

// AnswerFilter selects answers by names.
type AnswerFilter struct {
	Status        []string `json:"status,omitempty" group:"filter" placeholder:"STATUS" help:"Statuses of answers to show: known, predicted, confirmed or undecided, separated by commas or repeated. The -k best of these are shown." jsonschema:"statuses that are wanted: known, predicted, confirmed"`
	MinConfidence float64  `json:"min_confidence,omitempty" group:"filter" placeholder:"P" help:"Minimum confidence of an answer, from 0 to 1: the probability that it is true, a lower bound if the graph lacks more facts than were held back. The model must be calibrated, see efoc calibrate." jsonschema:"minimum confidence of an answer, from 0 to 1"`
	InRange       bool     `json:"in_range,omitempty" group:"filter" help:"Leave out answers that are out of range: no fact of the graph has them in the position of the free variable." jsonschema:"leave out answers of a kind that never stands there in a stored fact"`
	Type          string   `json:"type,omitempty" group:"filter" placeholder:"[RELATION=]ENTITY" help:"Type that answers must have by a fact of the graph, such as instance_of=City: instance_of leads from the answer to City. The default RELATION is the model's: see import and train --type-relation." jsonschema:"kind that answers must have as a stored fact, written relation=entity"`
}

// Of resolves the names. runtime.Options.Check checks the rest.
func (f *AnswerFilter) Of(m *runtime.Model) (x runtime.AnswerFilter, err error) {
	x = runtime.AnswerFilter{InRange: f.InRange, MinConfidence: f.MinConfidence}
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
