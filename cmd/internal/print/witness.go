package print

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
)

// witness prints why something is an answer: the values of the existential variables, then one atom per line.
func (p *Printer) witness(answer string, w *runtime.Witness, confidence float64, basis *runtime.Basis, d model.Degrees) {
	if w == nil || w.Degree == 0 {
		p.Printf("\nwhy %s: no witness among the best %d values of a variable\n", answer, d.OrDefault().Candidates)
		return
	}
	p.Printf("\nwhy %s", answer)
	if confidence > 0 {
		p.Printf(", confidence %s%s", Percent(confidence), basisText(basis))
	}
	p.Printf(", by links that are true to the degree %s together", Short(w.Degree))
	p.values(": ", w)
	p.atoms(w)
}

// values prints the values of a witness after a text.
func (p *Printer) values(before string, w *runtime.Witness) {
	for _, v := range w.Values {
		p.Printf("%s%s = %s", before, v.Variable, v.Label)
		before = ", "
	}
	p.Printf("\n")
}

// atoms prints the atoms of a witness and the values that meet filters, one per line.
func (p *Printer) atoms(w *runtime.Witness) {
	for _, a := range w.Atoms {
		status := "predicted"
		sign := ""
		if a.Negated {
			status = "absent"
			sign = "!"
		}
		switch {
		case a.Assumed:
			status = "assumed"
		case a.Observed:
			status = "observed"
		}
		p.Printf("  %-9s %s  %s%s(%q, %q)%s\n", status, Short(a.Degree), sign, p.name(a.Relation), a.Head.Label, a.Tail.Label, source(a.Added, a.Confidence, Percent(a.Confidence)))
	}
	for _, f := range w.Filters {
		status := "stated"
		switch {
		case f.Assumed:
			status = "assumed"
		case f.Value == "":
			status = "unknown"
		}
		p.Printf("  %-9s %s  %s(%q)%s\n", status, Short(f.Degree), p.name(f.Attribute), f.Entity.Label, value(&f))
	}
}

// value formats the value for a filter, with its author.
func value(f *runtime.WitnessFilter) string {
	if f.Value == "" {
		return ""
	}
	return " = " + f.Value + source(f.Added, 0, "")
}

// source describes the author of a stored link or value, or the confidence of a predicted link, also given as text;
// it is empty if unknown.
func source(added *model.Origin, confidence float64, text string) string {
	switch {
	case added != nil:
		return ", added " + added.String()
	case confidence > 0:
		return ", confidence " + text
	}
	return ""
}

// basisText describes the basis of a confidence, empty for a known answer.
func basisText(b *runtime.Basis) string {
	if b == nil {
		return ""
	}
	text := fmt.Sprintf(" (evidence %.2f, margin %.2f, %+.2f of %s, %+.2f of the graph", b.Evidence, b.Margin, b.Offset, cmp.Or(b.Relation, "no predicted link"), b.Graph)
	if b.Applies < 1 {
		text += fmt.Sprintf("; times %.3g, the chance that there is such a fact at all, as the graph has none", b.Applies)
	}
	if b.Complete {
		text += fmt.Sprintf("; %s is complete", cmp.Or(strings.TrimSuffix(b.Relation, "^-1"), "every relation"))
	}
	return text + ")"
}

// Witness explains to an assistant, by lines, why an entity is an answer.
func Witness(w *runtime.Witness) []string {
	answer := Both(w.Answer.Name, w.Answer.Label)
	if w.Degree == 0 {
		return []string{answer + ": no witness"}
	}
	return append([]string{fmt.Sprintf("%s, degree %.3g", answer, w.Degree)}, briefAtoms(w)...)
}

// briefAtoms returns a line for each atom of a witness, and for each filter.
func briefAtoms(w *runtime.Witness) (lines []string) {
	for _, a := range w.Atoms {
		how := "predicted"
		switch {
		case a.Assumed:
			how = "assumed"
		case a.Observed:
			how = "stored fact"
		}
		more := source(a.Added, a.Confidence, fmt.Sprintf("%.2f", a.Confidence))
		lines = append(lines, fmt.Sprintf("\t%s\t%s, degree %.3g%s", Atom(&a), how, a.Degree, more))
	}
	for _, f := range w.Filters {
		how := "stated value"
		switch {
		case f.Assumed:
			how = "assumed value"
		case f.Value == "":
			how = "no value known"
		}
		lines = append(lines, fmt.Sprintf("\t%s\t%s, degree %.3g", fullNames.filter(&f), how, f.Degree))
	}
	return lines
}

// Both returns a name, with the label if it differs.
func Both(name, label string) string {
	if label == name || label == "" {
		return name
	}
	return fmt.Sprintf("%s (%s)", name, label)
}
