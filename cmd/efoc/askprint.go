package main

import (
	"cmp"
	"fmt"
	"io"
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

func (r *askResult) write(w io.Writer, format string) error {
	switch format {
	case "json":
		return writeJSON(w, r)
	case "tsv":
		header := []string{"rank", "name", "label", "confidence", "score", "status", "range"}
		for _, v := range r.show {
			header = append(header, v, v+"_label")
		}
		rows := [][]string{header}
		for i, x := range r.Answers.Answers {
			score := strconv.FormatFloat(float64(x.Score), 'g', -1, 32)
			row := []string{strconv.Itoa(r.Offset + i + 1), x.Name, x.Label, confidenceText(x.Confidence), score, x.Status.String(), rangeText(x)}
			for _, v := range r.show {
				value, _ := x.Value(v)
				row = append(row, value.Name, value.Label)
			}
			rows = append(rows, row)
		}
		return writeTSV(w, rows)
	}
	return r.writeTable(w)
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

// rangeText says whether an answer is out of range.
func rangeText(x runtime.Answer) string {
	if x.OutOfRange {
		return "out"
	}
	return "in"
}

func (r *askResult) writeTable(w io.Writer) error {
	p := &printer{w: w}
	labelled := slices.ContainsFunc(r.Answers.Answers, func(x runtime.Answer) bool { return x.Label != x.Name })
	score := ">score"
	if r.Semantics == model.FIT {
		score = ">degree"
	}
	header := []string{">", r.Variable, ">confidence", score, "status"}
	calibrated := r.Uncalibrated == ""
	if !calibrated {
		header = slices.Delete(header, 2, 3)
	}
	if labelled {
		header = append(header, "name")
	}
	header = append(header, r.show...)
	var rows []table.Row
	seen, outside := map[runtime.Status]bool{}, false
	for i, x := range r.Answers.Answers {
		status := x.Status.String()
		if x.OutOfRange {
			status, outside = status+", out of range", true
		}
		row := table.Row{r.Offset + i + 1, x.Label}
		if calibrated {
			row = append(row, formatConfidence(x.Confidence))
		}
		row = append(row, formatShort(x.Score), status)
		if labelled {
			row = append(row, x.Name)
		}
		for _, v := range r.show {
			value, _ := x.Value(v)
			row = append(row, cmp.Or(value.Label, "–"))
		}
		rows = append(rows, row)
		seen[x.Status] = true
	}
	p.table(header, rows)
	p.sets(r)
	p.why(r)
	p.statuses(seen)
	if outside {
		p.printf("out of range  no fact of the graph has it where %s stands in the query\n", r.Variable)
	}
	p.confidence(len(r.Answers.Answers), r.Uncalibrated)
	p.printf("\n%s, %s, semantics %s, engine %s, %s, in %s\n", r.Model, r.shapeText(), r.Semantics, r.Engine, workText(r.Semantics, r.Layers, r.Settings.Degrees), roundTime(r.Seconds))
	return p.err
}

// statuses explains the statuses that a table has.
func (p *printer) statuses(seen map[runtime.Status]bool) {
	p.printf("\n")
	for _, s := range []runtime.Status{runtime.Known, runtime.Predicted, runtime.Confirmed, runtime.Undecided} {
		if seen[s] {
			p.printf("%-9s  %s\n", s, statusTexts[s])
		}
	}
}

// confidence explains the confidence of so many answers, or says why they have none.
func (p *printer) confidence(answers int, uncalibrated string) {
	switch {
	case answers == 0:
	case uncalibrated == "":
		p.printf("confidence of what is not known: the chance that it is true, as on validation queries\n")
	default:
		p.printf("no confidence: %s; a score ranks, and is not the chance that an answer is true\n", uncalibrated)
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
			members = append(members, m.Label+" "+formatShort(m.Score))
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
	text, k := "L = "+strings.Join(numbers, ", "), fmt.Sprintf("K = %d", d.Candidates)
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
	return fmt.Sprintf(" (evidence %.2f, margin %.2f, offset %+.2f of %s)", b.Evidence, b.Margin, b.Offset, cmp.Or(b.Relation, "no predicted link"))
}

// why prints the witnesses.
func (p *printer) why(r *askResult) {
	for i := range r.Why {
		var x runtime.Answer
		if i < len(r.Answers.Answers) {
			x = r.Answers.Answers[i]
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
		status, sign := "predicted", ""
		if a.Negated {
			status, sign = "absent", "!"
		}
		if a.Observed {
			status = "observed"
		}
		p.printf("  %-9s %s  %s%s(%q, %q)\n", status, formatShort(a.Degree), sign, a.Relation, a.Head.Label, a.Tail.Label)
	}
}
