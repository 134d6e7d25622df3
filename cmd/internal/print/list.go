package print

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
)

// statusTexts explain the status of an answer.
var statusTexts = map[runtime.Status]string{
	runtime.Known:     "follows from the graph",
	runtime.Predicted: "does not follow from the graph",
	runtime.Confirmed: "predicted, and true by the facts held back",
	runtime.Undecided: "too much work to tell whether it follows from the graph",
}

func listColumns(r *Reply) []string {
	header := []string{"rank"}
	sole := len(r.Variables) == 1
	for _, v := range r.Variables {
		if sole {
			header = append(header, "name", "label")
		} else {
			header = append(header, v, v+"_label")
		}
	}
	header = append(header, "confidence", "score", "status")
	if sole {
		header = append(header, "range")
	}
	var shown []string
	for _, v := range r.Show {
		shown = append(shown, v, v+"_label")
	}
	return withAttributes(header, r, shown)
}

// withAttributes returns the names of all columns: the first, the attributes, and those shown. An attribute stands after
// its variable if there are several, or if another column has its name.
func withAttributes(header []string, r *Reply, shown []string) []string {
	for _, c := range r.Columns {
		name := c.Attribute
		if len(r.Variables) > 1 {
			name = c.Variable + "_" + name
		}
		taken := func(column string) bool { return strings.TrimPrefix(column, ">") == name }
		for slices.ContainsFunc(slices.Concat(header, shown), taken) {
			name = c.Variable + "_" + name
		}
		header = append(header, name)
	}
	return append(header, shown...)
}

// attributes returns the fields of a row for the columns of attributes, with several values separated by commas.
func attributes(r *Reply, x *runtime.Row) (list []string) {
	for _, c := range r.Columns {
		a := x.Value(c.Variable).Attributes.Of(c.Attribute)
		list = append(list, strings.Join(a.Texts(), ", "))
	}
	return list
}

func listRows(r *Reply) (rows [][]string) {
	for i, x := range r.Rows {
		row := []string{strconv.Itoa(r.Offset + i + 1)}
		for _, v := range x.Values {
			row = append(row, v.Name, v.Label)
		}
		row = append(row, ConfidenceField(x.Confidence), strconv.FormatFloat(float64(x.Score), 'g', -1, 32), x.Status.String())
		switch {
		case len(r.Variables) > 1:
		case x.OutOfRange:
			row = append(row, "out")
		default:
			row = append(row, "in")
		}
		row = append(row, attributes(r, &x)...)
		for _, v := range r.Show {
			row = append(row, x.Value(v).Name, x.Value(v).Label)
		}
		rows = append(rows, row)
	}
	return rows
}

// ConfidenceField formats the confidence of an answer for programs; it is empty if there is none.
func ConfidenceField(confidence float64) string {
	if confidence == 0 {
		return ""
	}
	return strconv.FormatFloat(confidence, 'g', 4, 64)
}

// Percent formats a probability in percent, small ones with more digits.
func Percent(p float64) string {
	if p < 0.005 {
		return "< 1%"
	}
	return strconv.FormatFloat(100*p, 'f', 0, 64) + "%"
}

// Short formats a score.
func Short(p float32) string {
	if p == 0 || p >= 0.001 {
		return strconv.FormatFloat(float64(p), 'f', 4, 32)
	}
	return strconv.FormatFloat(float64(p), 'e', 1, 32)
}

func sayList(p *Printer, r *Reply) {
	p.list(r)
	p.sets(r)
	for i, x := range r.Rows[:min(r.Explain, len(r.Rows))] {
		var labels []string
		for _, v := range x.Values {
			labels = append(labels, v.Label)
		}
		witness := x.Witness
		if i < len(r.Why) {
			witness = &r.Why[i]
		}
		p.witness(strings.Join(labels, ", "), witness, x.Confidence, x.Basis, r.Degrees)
	}
	p.whyNot(r.WhyNot)
	p.legend(r)
	if r.Kind == plan.Rows && !r.Proved {
		p.Printf("not proved: the %d most promising values of %s were tried, others may give better rows\n",
			r.Searched, strings.Join(r.Variables[:len(r.Variables)-1], ", "))
	}
}

// list prints a table of answers, with the names of a single variable's entities if these are not their labels.
func (p *Printer) list(r *Reply) {
	labelled := func(x runtime.Row) bool { return x.Values[0].Label != p.name(x.Values[0].Name) }
	named := len(r.Variables) == 1 && slices.ContainsFunc(r.Rows, labelled)
	header := append([]string{">"}, r.Variables...)
	calibrated := r.Uncalibrated == ""
	if calibrated {
		header = append(header, ">confidence")
	}
	score := ">score"
	if r.Semantics == model.FIT {
		score = ">degree"
	}
	header = append(header, score, "status")
	if named {
		header = append(header, "name")
	}
	header = withAttributes(header, r, r.Show)
	var rows []table.Row
	for i, x := range r.Rows {
		row := table.Row{r.Offset + i + 1}
		for _, v := range x.Values {
			row = append(row, v.Label)
		}
		if calibrated {
			row = append(row, Percent(x.Confidence))
		}
		status := x.Status.String()
		if x.OutOfRange {
			status += ", out of range"
		}
		row = append(row, Short(x.Score), status)
		if named {
			row = append(row, p.name(x.Values[0].Name))
		}
		for _, field := range attributes(r, &x) {
			row = append(row, cmp.Or(field, "–"))
		}
		for _, v := range r.Show {
			row = append(row, cmp.Or(x.Value(v).Label, "–"))
		}
		rows = append(rows, row)
	}
	p.Table(header, rows)
}

// legend explains the columns of a table of answers.
func (p *Printer) legend(r *Reply) {
	p.Printf("\n")
	for _, s := range []runtime.Status{runtime.Known, runtime.Predicted, runtime.Confirmed, runtime.Undecided} {
		if slices.ContainsFunc(r.Rows, func(x runtime.Row) bool { return x.Status == s }) {
			p.Printf("%-9s  %s\n", s, statusTexts[s])
		}
	}
	if slices.ContainsFunc(r.Rows, func(x runtime.Row) bool { return x.OutOfRange }) {
		p.Printf("out of range  no fact of the graph has it where %s stands in the query\n", r.Variables[0])
	}
	if r.Coverage != nil {
		p.Printf("%s\n", coverage(r))
	}
	switch {
	case len(r.Rows) == 0:
	case r.Uncalibrated == "":
		p.Printf("confidence of what is not known: the chance that it is true if the graph lacks the share of facts that efoc info names\n")
		if refutable(r) {
			p.Printf("confidence of what is known: the chance that no missing fact refutes it, as the query negates an atom\n")
		}
	default:
		p.Printf("no confidence: %s; a score ranks, and is not the chance that an answer is true\n", r.Uncalibrated)
	}
}

// refutable reports whether a missing fact may refute a known answer.
func refutable(r *Reply) bool {
	return slices.ContainsFunc(r.Rows, func(x runtime.Row) bool { return x.Status == runtime.Known && x.Confidence < 1 })
}

// coverage says how likely the answers hold all true ones.
func coverage(r *Reply) string {
	c := r.Coverage
	text := fmt.Sprintf("%d best answers hold all true ones for %s of the questions of this form that lack answers, by %d validation questions",
		c.Size, strconv.FormatFloat(100*c.Level, 'g', 4, 64)+"%", c.Questions)
	if len(r.Rows) < c.Size {
		text += fmt.Sprintf("; the %d shown are too few for that: raise k", len(r.Rows))
	}
	return text
}

// sets prints a line for each fuzzy set.
func (p *Printer) sets(r *Reply) {
	if len(r.Sets) == 0 {
		return
	}
	var rows []table.Row
	for _, s := range r.Sets {
		name := s.Variable
		if len(r.Layers) > 1 {
			name += fmt.Sprintf(" (disjunct %d)", s.Disjunct+1)
		}
		var members []string
		for _, m := range s.Top {
			members = append(members, m.Values[0].Label+" "+Short(m.Score))
		}
		rows = append(rows, table.Row{name, strings.Join(members, ", ")})
	}
	p.Printf("\n")
	p.Table(nil, rows)
}

func listMembers(r *Reply) []any {
	return []any{r.Reply, struct {
		Why    []runtime.Witness `json:"why,omitempty"`
		WhyNot *runtime.WhyNot   `json:"why_not,omitempty"`
	}{r.Why, r.WhyNot}}
}

// briefList puts notes before the answers, which may be too long for an assistant.
func briefList(r *Reply) []string {
	lines := briefNotes(r)
	if len(r.Rows) == 0 {
		lines = append(lines, "no answers")
	} else {
		header := slices.Concat([]string{"rank"}, r.Variables, []string{"confidence", "status"})
		lines = append(lines, strings.Join(withAttributes(header, r, r.Show), "\t"))
	}
	for i, x := range r.Rows {
		row := []string{fmt.Sprint(r.Offset + i + 1)}
		for _, v := range x.Values {
			row = append(row, Both(v.Name, v.Label))
		}
		confidence := "unknown"
		status := x.Status.String()
		if r.Uncalibrated == "" {
			confidence = fmt.Sprintf("%.2f", x.Confidence)
		}
		if x.OutOfRange {
			status += ", out of range"
		}
		row = append(row, confidence, status)
		row = append(row, attributes(r, &x)...)
		for _, variable := range r.Show {
			v := x.Value(variable)
			row = append(row, Both(v.Name, v.Label))
		}
		lines = append(lines, strings.Join(row, "\t"))
	}
	if r.Next > 0 {
		lines = append(lines, fmt.Sprintf("more with offset %d", r.Next))
	}
	return lines
}

func briefNotes(r *Reply) (notes []string) {
	if r.Uncalibrated == "" && refutable(r) {
		notes = append(notes, "confidence of a known answer: the chance that no missing fact refutes it, as the query negates an atom")
	}
	if r.Coverage != nil {
		notes = append(notes, coverage(r))
	}
	if r.Uncalibrated != "" {
		notes = append(notes, "no confidence: "+r.Uncalibrated)
	}
	if r.Kind == plan.Rows && !r.Proved {
		notes = append(notes, "the search was bounded: others may be better")
	}
	if r.Incomplete {
		notes = append(notes, "the search for further answers was given up")
	}
	return notes
}
