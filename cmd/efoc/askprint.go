package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
)

// statusTexts explain the status of an answer.
var statusTexts = map[runtime.Status]string{
	runtime.Known:     "follows from the graph",
	runtime.Predicted: "does not follow from the graph",
	runtime.Confirmed: "predicted, and true by the facts held back",
	runtime.Undecided: "too much work to tell whether it follows from the graph",
}

// maxShapeText is how long a shape without a name may be to be shown in full.
const maxShapeText = 60

// answerList is answers as they are printed, of one variable or of several.
type answerList struct {
	*runtime.Reply
	show   []string
	offset int // better ones that were left out
}

// list returns the answers as they are printed.
func (r *askResult) list() *answerList {
	return &answerList{r.Reply, r.show, r.Offset}
}

func (r *askResult) tsv() [][]string { return r.list().tsv() }

// tsv returns the answers for programs.
func (l *answerList) tsv() [][]string {
	header := []string{"rank"}
	sole := len(l.Variables) == 1
	for _, v := range l.Variables {
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
	for _, v := range l.show {
		header = append(header, v, v+"_label")
	}
	rows := [][]string{header}
	for i, x := range l.Rows {
		row := []string{strconv.Itoa(l.offset + i + 1)}
		for _, v := range x.Values {
			row = append(row, v.Name, v.Label)
		}
		row = append(row, confidenceText(x.Confidence), strconv.FormatFloat(float64(x.Score), 'g', -1, 32), x.Status.String())
		switch {
		case !sole:
		case x.OutOfRange:
			row = append(row, "out")
		default:
			row = append(row, "in")
		}
		for _, v := range l.show {
			row = append(row, x.Value(v).Name, x.Value(v).Label)
		}
		rows = append(rows, row)
	}
	return rows
}

// answers prints a table of answers, with names where a sole variable's are no labels.
func (p *printer) answers(l *answerList) {
	named := len(l.Variables) == 1 && slices.ContainsFunc(l.Rows, func(x runtime.Row) bool { return x.Values[0].Label != x.Values[0].Name })
	header := append([]string{">"}, l.Variables...)
	calibrated := l.Uncalibrated == ""
	if calibrated {
		header = append(header, ">confidence")
	}
	score := ">score"
	if l.Semantics == model.FIT {
		score = ">degree"
	}
	header = append(header, score, "status")
	if named {
		header = append(header, "name")
	}
	header = append(header, l.show...)
	var rows []table.Row
	for i, x := range l.Rows {
		row := table.Row{l.offset + i + 1}
		for _, v := range x.Values {
			row = append(row, v.Label)
		}
		if calibrated {
			row = append(row, formatConfidence(x.Confidence))
		}
		status := x.Status.String()
		if x.OutOfRange {
			status += ", out of range"
		}
		row = append(row, formatShort(x.Score), status)
		if named {
			row = append(row, x.Values[0].Name)
		}
		for _, v := range l.show {
			row = append(row, cmp.Or(x.Value(v).Label, "–"))
		}
		rows = append(rows, row)
	}
	p.table(header, rows)
}

// confidenceText writes the confidence of an answer for programs; it is empty if there is none.
func confidenceText(confidence float64) string {
	if confidence == 0 {
		return ""
	}
	return strconv.FormatFloat(confidence, 'g', 4, 64)
}

// formatConfidence writes a chance in percent, and little as little.
func formatConfidence(p float64) string {
	if p < 0.005 {
		return "< 1%"
	}
	return strconv.FormatFloat(100*p, 'f', 0, 64) + "%"
}

func (r *askResult) text(p *printer) {
	l := r.list()
	p.answers(l)
	p.sets(r)
	p.why(r)
	p.legend(l)
	p.printf("\n%s, %s, semantics %s, engine %s, %s, in %s\n", r.Model, r.shapeText(), r.Semantics, r.Engine, workText(r.Semantics, r.Layers, r.Settings.Degrees), roundTime(r.Seconds))
}

// legend explains what a table of answers says.
func (p *printer) legend(l *answerList) {
	p.printf("\n")
	for _, s := range []runtime.Status{runtime.Known, runtime.Predicted, runtime.Confirmed, runtime.Undecided} {
		if slices.ContainsFunc(l.Rows, func(x runtime.Row) bool { return x.Status == s }) {
			p.printf("%-9s  %s\n", s, statusTexts[s])
		}
	}
	if slices.ContainsFunc(l.Rows, func(x runtime.Row) bool { return x.OutOfRange }) {
		p.printf("out of range  no fact of the graph has it where %s stands in the query\n", l.Variables[0])
	}
	switch {
	case len(l.Rows) == 0:
	case l.Uncalibrated == "":
		p.printf("confidence of what is not known: the chance that it is true if the graph lacks the share of facts that efoc info names\n")
		if slices.ContainsFunc(l.Rows, func(x runtime.Row) bool { return x.Status == runtime.Known && x.Confidence < 1 }) {
			p.printf("confidence of what is known: the chance that no missing fact refutes it, as the query negates an atom\n")
		}
	default:
		p.printf("no confidence: %s; a score ranks, and is not the chance that an answer is true\n", l.Uncalibrated)
	}
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
			members = append(members, m.Values[0].Label+" "+formatShort(m.Score))
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

// workText gives the settings that decide how much work there is.
func workText(s model.Semantics, layers []int, d model.Degrees) string {
	var numbers []string
	for _, n := range slices.Compact(slices.Clone(layers)) {
		numbers = append(numbers, strconv.Itoa(n))
	}
	text := "L = " + strings.Join(numbers, ", ")
	k := fmt.Sprintf("K = %d", d.Candidates)
	switch s {
	case model.FIT:
		return k
	case model.Mixed:
		return fmt.Sprintf("%s, %s, g = %v", text, k, d.Mixture)
	}
	return text
}

// basisText says what a confidence is made of, empty if nothing but that the answer is known.
func basisText(b *runtime.Basis) string {
	if b == nil {
		return ""
	}
	return fmt.Sprintf(" (evidence %.2f, margin %.2f, %+.2f of %s, %+.2f of the graph)", b.Evidence, b.Margin, b.Offset, cmp.Or(b.Relation, "no predicted link"), b.Graph)
}

// why prints the witnesses.
func (p *printer) why(r *askResult) {
	for i := range r.Why {
		var x runtime.Row
		if i < len(r.Rows) {
			x = r.Rows[i]
		}
		p.witness(r.Why[i].Answer.Label, &r.Why[i], x.Confidence, x.Basis, r.Settings.Degrees)
	}
}

// witness prints why something is an answer: the values of the existential variables, then an atom a
// line.
func (p *printer) witness(answer string, w *runtime.Witness, confidence float64, basis *runtime.Basis, d model.Degrees) {
	if w == nil || w.Degree == 0 {
		p.printf("\nwhy %s: no witness among the best %d values of a variable\n", answer, d.OrDefault().Candidates)
		return
	}
	p.printf("\nwhy %s", answer)
	if confidence > 0 {
		p.printf(", confidence %s%s", formatConfidence(confidence), basisText(basis))
	}
	p.printf(", by links that are true to the degree %s together", formatShort(w.Degree))
	sep := ": "
	for _, v := range w.Values {
		p.printf("%s%s = %s", sep, v.Variable, v.Label)
		sep = ", "
	}
	p.printf("\n")
	p.atoms(w)
}

// atoms prints the atoms of a witness, one a line.
func (p *printer) atoms(w *runtime.Witness) {
	for _, a := range w.Atoms {
		status := "predicted"
		sign := ""
		if a.Negated {
			status = "absent"
			sign = "!"
		}
		if a.Observed {
			status = "observed"
		}
		more := ""
		switch {
		case a.Added != nil:
			more = ", added " + a.Added.String()
		case a.Confidence > 0:
			more = ", confidence " + formatConfidence(a.Confidence)
		}
		p.printf("  %-9s %s  %s%s(%q, %q)%s\n", status, formatShort(a.Degree), sign, a.Relation, a.Head.Label, a.Tail.Label, more)
	}
}
