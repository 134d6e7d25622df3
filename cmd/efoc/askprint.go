package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
)

// statusTexts explain the status of an answer.
var statusTexts = map[query.Status]string{
	query.Known:     "follows from the graph",
	query.Predicted: "does not follow from the graph",
	query.Confirmed: "predicted, and true by the facts held back",
	query.Undecided: "too much work to tell whether it follows from the graph",
}

// maxShapeText is how long a shape without a name may be to be shown in full.
const maxShapeText = 60

// write prints the result in one of the formats.
func (r *askResult) write(w io.Writer, format string) error {
	switch format {
	case "json":
		return writeJSON(w, r)
	case "tsv":
		rows := [][]string{{"rank", "name", "label", "probability", "status"}}
		for i, x := range r.Answers.Answers {
			rows = append(rows, []string{strconv.Itoa(i + 1), x.Name, x.Label, strconv.FormatFloat(float64(x.Probability), 'g', -1, 32), x.Status.String()})
		}
		return writeTSV(w, rows)
	}
	return r.writeTable(w)
}

// writeTable prints the answers for a person.
func (r *askResult) writeTable(w io.Writer) error {
	p := &printer{w: w}
	labelled := slices.ContainsFunc(r.Answers.Answers, func(x query.Answer) bool { return x.Label != x.Name })
	header := []string{">", r.Variable, ">probability", "status"}
	if r.Semantics == model.FIT {
		header[2] = ">degree"
	}
	if labelled {
		header = append(header, "name")
	}
	var rows []table.Row
	seen := map[query.Status]bool{}
	for i, x := range r.Answers.Answers {
		row := table.Row{i + 1, x.Label, formatShort(x.Probability), x.Status.String()}
		if labelled {
			row = append(row, x.Name)
		}
		rows = append(rows, row)
		seen[x.Status] = true
	}
	p.table(header, rows)
	p.sets(r)
	p.why(r)
	p.printf("\n")
	for _, s := range []query.Status{query.Known, query.Predicted, query.Confirmed, query.Undecided} {
		if seen[s] {
			p.printf("%-9s  %s\n", s, statusTexts[s])
		}
	}
	p.printf("\n%s, %s, engine %s, %s, in %s\n", r.Model, r.shapeText(), r.Engine, r.settingsText(), roundTime(r.Seconds))
	return p.err
}

// sets prints a line for each fuzzy set.
func (p *printer) sets(r *askResult) {
	if len(r.Sets) == 0 {
		return
	}
	var rows []table.Row
	for _, s := range r.Sets {
		name := s.Variable
		if len(r.Layers) > 1 {
			name += fmt.Sprintf(" (disjunct %d)", s.SCQ+1)
		}
		var members []string
		for _, m := range s.Top {
			members = append(members, m.Label+" "+formatShort(m.Probability))
		}
		rows = append(rows, table.Row{name, strings.Join(members, ", ")})
	}
	p.printf("\n")
	p.table(nil, rows)
}

// shapeText names the shape in a few words.
func (r *askResult) shapeText() string {
	if r.ShapeName == "" && len(r.Shape) > maxShapeText {
		return fmt.Sprintf("a shape of %d atoms", countAtoms(r.Shape))
	}
	return "shape " + cmp.Or(r.ShapeName, r.Shape)
}

// settingsText gives the settings that decide how much work there is.
func (r *askResult) settingsText() string {
	layers, k := "L = "+joinInts(r.Layers), fmt.Sprintf("K = %d", r.Settings.Degrees.Candidates)
	switch r.Semantics {
	case model.FIT:
		return k
	case model.Mixed:
		return fmt.Sprintf("%s, %s, g = %v", layers, k, r.Settings.Degrees.Mixture)
	}
	return layers
}

func joinInts(xs []int) string {
	texts := make([]string, len(xs))
	for i, x := range xs {
		texts[i] = strconv.Itoa(x)
	}
	return strings.Join(slices.Compact(texts), ", ")
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
