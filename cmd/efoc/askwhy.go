package main

import (
	"context"
	"fmt"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/runtime/scq"
)

// explainAnswers adds the witnesses of the first answers.
func (r *askResult) explainAnswers(ctx context.Context, p *compiler.Prepared, b scq.Bindings, n int) (err error) {
	var ids []model.EntityID
	for _, a := range r.Answers.Answers[:min(n, len(r.Answers.Answers))] {
		ids = append(ids, a.Entity)
	}
	r.Why, err = p.Witnesses(ctx, b, p.Settings, ids)
	return err
}

// why prints the witnesses: the values of the existential variables, then an atom a
// line.
func (p *printer) why(r *askResult) {
	for _, w := range r.Why {
		if w.Degree == 0 {
			p.printf("\nwhy %s: no witness among the best %d values of a variable\n", w.Answer.Label, r.Settings.Degrees.OrDefault().Candidates)
			continue
		}
		p.printf("\nwhy %s, degree %s", w.Answer.Label, formatShort(w.Degree))
		for i, v := range w.Values {
			sep := ", "
			if i == 0 {
				sep = ": "
			}
			p.printf("%s%s = %s", sep, v.Variable, v.Label)
		}
		p.printf("\n")
		for _, a := range w.Atoms {
			p.printf("  %-9s %s  %s\n", atomStatus(a), formatShort(a.Degree), atomText(a))
		}
	}
}

// atomStatus says whether the link of an atom is in the graph.
func atomStatus(a query.WitnessAtom) string {
	switch {
	case a.Observed:
		return "observed"
	case a.Negated:
		return "absent"
	}
	return "predicted"
}

func atomText(a query.WitnessAtom) string {
	sign := ""
	if a.Negated {
		sign = "!"
	}
	return fmt.Sprintf("%s%s(%q, %q)", sign, a.Relation, a.Head.Label, a.Tail.Label)
}
