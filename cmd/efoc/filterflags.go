package main

import "github.com/efoc/efoc/runtime/query"

// filterFlags say which answers are wanted.
type filterFlags struct {
	Status  []string `group:"filter" placeholder:"STATUS" help:"Statuses that answers may have: known, predicted, confirmed or undecided, with commas between them or repeated. The -k best of these are shown."`
	InRange bool     `group:"filter" help:"Leave out answers that are out of range: no fact of the graph has them where the free variable stands in the query."`
}

func (c *filterFlags) filter() (query.Filter, error) {
	statuses, err := query.ParseStatuses(c.Status...)
	if err != nil {
		return query.Filter{}, usagef("--%w", err)
	}
	return query.Filter{Statuses: statuses, InRange: c.InRange}, nil
}
