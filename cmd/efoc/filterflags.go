package main

import "github.com/efoc/efoc/runtime"

// filterFlags say which answers are wanted.
type filterFlags struct {
	Status        []string `group:"filter" placeholder:"STATUS" help:"Statuses of answers to show: known, predicted, confirmed or undecided, separated by commas or repeated. The -k best of these are shown."`
	MinConfidence float64  `group:"filter" placeholder:"P" help:"Minimum confidence of an answer, from 0 to 1: the probability that it is true, a lower bound if the graph lacks more facts than were held back. The model must be calibrated, see efoc calibrate."`
	InRange       bool     `group:"filter" help:"Leave out answers that are out of range: no fact of the graph has them in the position of the free variable."`
	Type          string   `group:"filter" placeholder:"[RELATION=]ENTITY" help:"Type that answers must have by a fact of the graph, such as instance_of=City: instance_of leads from the answer to City. The default RELATION is the model's: see import and train --type-relation."`
}

func (c *filterFlags) filter(m *runtime.Model) (f runtime.Filter, err error) {
	f.InRange, f.MinConfidence = c.InRange, c.MinConfidence
	if !(f.MinConfidence >= 0 && f.MinConfidence <= 1) {
		return f, usagef("--min-confidence is %v, want a number from 0 to 1", f.MinConfidence)
	}
	if f.Statuses, err = runtime.ParseStatuses(c.Status...); err == nil && c.Type != "" {
		f.Type, err = m.ParseType(c.Type)
	}
	if err != nil {
		return f, usagef("--%w", err)
	}
	return f, nil
}
