package print

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/efoc/efoc/runtime"
)

// compared prints how the reply differs from the reply to another question, if they were compared.
func (p *Printer) compared(r *Reply) {
	switch {
	case r.Before != nil:
		p.Printf("\nwithout the assumptions: %s\n", strings.Join(before(r), "; "))
	case r.Changes == nil:
	case len(r.Changes) == 0:
		p.Printf("\nthe assumptions change none of these answers\n")
	default:
		var rows []table.Row
		for _, c := range r.Changes {
			rows = append(rows, table.Row{c.Change, names(c.Values), standing(c.Before), standing(c.After)})
		}
		p.Printf("\n")
		p.Table([]string{"change", strings.Join(r.Variables, ", "), "before", "now"}, rows)
	}
}

// names lists the entities of an answer.
func names(values []runtime.Value) string {
	var list []string
	for _, v := range values {
		list = append(list, Both(v.Name, v.Label))
	}
	return strings.Join(list, ", ")
}

// standing formats the place of an answer, a dash if it has none.
func standing(s *runtime.Standing) string {
	if s == nil {
		return "–"
	}
	confidence := ""
	if s.Confidence > 0 {
		confidence = " " + Percent(s.Confidence)
	}
	return fmt.Sprintf("%d.%s %s", s.Rank, confidence, s.Status)
}

// briefChanges formats the differences from another question's reply, by lines.
func briefChanges(r *Reply) (lines []string) {
	if r.Before != nil {
		return append([]string{"without the assumptions:"}, before(r)...)
	}
	for _, c := range r.Changes {
		lines = append(lines, fmt.Sprintf("%s\t%s\tbefore %s\tnow %s", c.Change, names(c.Values), standing(c.Before), standing(c.After)))
	}
	if r.Changes != nil && lines == nil {
		lines = []string{"the assumptions change none of these answers"}
	}
	return lines
}

// before formats a verdict or a count without the assumptions, by lines.
func before(r *Reply) []string {
	reply := *r.Before
	if reply.Verdict != nil {
		verdict := *reply.Verdict
		verdict.Witnesses = nil
		reply.Verdict = &verdict
	}
	return (&Reply{Reply: &reply}).Brief()
}
