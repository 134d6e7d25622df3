package print

import (
	"fmt"
	"strings"

	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/runtime"
)

// whyNot prints why entities are no answer, with their labels.
func (p *Printer) whyNot(w *runtime.WhyNot) {
	if w == nil {
		return
	}
	p.Printf("\n")
	for _, line := range whyNotLines(w, shortNames(p.name)) {
		p.Printf("%s\n", line)
	}
}

// WhyNot explains to an assistant, by lines, why entities are no answer.
func WhyNot(w *runtime.WhyNot) []string { return whyNotLines(w, fullNames) }

// whyNotLines returns a line for the answer and one for each part of the question.
func whyNotLines(w *runtime.WhyNot, by naming) []string {
	var asked []string
	for _, v := range w.Row.Values {
		asked = append(asked, by.entity(v))
	}
	state := w.Row.Status.String()
	if w.Row.Confidence > 0 {
		state += ", confidence " + Percent(w.Row.Confidence)
	}
	if w.Rank > 0 {
		state += fmt.Sprintf(", rank %d", w.Rank)
	}
	answer := strings.Join(asked, ", ")
	parts := tables.Number(len(w.Nearest.Atoms)+len(w.Nearest.Filters), "part")
	head := ""
	switch n := w.Fails(); n {
	case 0:
		head = fmt.Sprintf("%s is an answer: %s", answer, state)
	case 1:
		head = fmt.Sprintf("why not %s (%s): 1 of %s fails", answer, state, parts)
	default:
		head = fmt.Sprintf("why not %s (%s): %d of %s fail", answer, state, n, parts)
	}
	before := "; nearest by "
	for _, v := range w.Nearest.Values {
		head += fmt.Sprintf("%s%s = %s", before, v.Variable, by.entity(v))
		before = ", "
	}

	lines := []string{head}
	for i := range w.Nearest.Atoms {
		a := &w.Nearest.Atoms[i]
		lines = append(lines, partLine(atomFails(a), by.atom(a), a.Assumed))
	}
	for i := range w.Nearest.Filters {
		f := &w.Nearest.Filters[i]
		lines = append(lines, partLine(filterFails(f), by.filter(f), f.Assumed))
	}
	if len(w.Others) > 0 {
		var others []string
		for _, d := range w.Others {
			others = append(others, Short(d))
		}
		lines = append(lines, fmt.Sprintf("  the nearest of %d disjuncts, to the degree %s; the others: %s", len(others)+1, Short(w.Nearest.Degree), strings.Join(others, ", ")))
	}
	if !w.Proved {
		lines = append(lines, "  not proved: the search reached its bound, so that other values may come closer")
	}
	return lines
}

// partLine returns the line for a part, given why it fails and whether that is due to an assumption.
func partLine(fails, text string, assumed bool) string {
	if assumed {
		text += ", assumed"
	}
	if fails == "" {
		return "  holds  " + text
	}
	return "  fails  " + text + ": " + fails
}

// atomFails says why an atom does not hold in the graph; empty if it does.
func atomFails(a *runtime.WitnessAtom) string {
	more := ""
	if a.Confidence > 0 {
		more = ", confidence " + Percent(a.Confidence)
	}
	switch a.Fails {
	case "predicted":
		return "not in the graph" + more
	case "refuted":
		return "not in the graph, and refuted: the relation is complete, or the fact is marked as not true"
	case "negated":
		if a.Relation == "=" {
			return "the same entity"
		}
		return "in the graph" + source(a.Added, 0, "")
	}
	return ""
}

// filterFails says why an entity does not meet a filter; empty if it does.
func filterFails(f *runtime.WitnessFilter) string {
	switch {
	case f.Degree == 1:
		return ""
	case f.Value == "":
		return "has no value, asked " + f.Asked
	}
	return "asked " + f.Asked
}
