package print

import (
	"fmt"

	"github.com/efoc/efoc/runtime"
)

// Possible is the least confidence of a possible answer; from runtime.Likely it is probable.
const Possible = 0.1

func verdictColumns(*Reply) []string { return []string{"holds", "status", "confidence", "degree"} }

func verdictRows(r *Reply) [][]string {
	v := r.Verdict
	return [][]string{{fmt.Sprint(v.Holds), v.Status.String(), ConfidenceField(v.Confidence), fmt.Sprintf("%.4g", v.Degree)}}
}

func sayVerdict(p *Printer, r *Reply) {
	v := r.Verdict
	switch text := statusTexts[v.Status]; {
	case v.Status == runtime.Known:
		p.Printf("yes, known: it %s\n", text)
	case v.Uncalibrated != "":
		p.Printf("not known: it %s; no confidence: %s\n", text, v.Uncalibrated)
	case v.Holds:
		p.Printf("probably, confidence %s: %s\n", Percent(v.Confidence), text)
	case v.Confidence >= Possible:
		p.Printf("possible, confidence %s: %s\n", Percent(v.Confidence), text)
	default:
		p.Printf("neither known nor likely, confidence %s: %s\n", Percent(v.Confidence), text)
	}
	for i := range v.Witnesses {
		w := &v.Witnesses[i]
		p.Printf("\n")
		if w.Degree == 0 {
			p.Printf("no witness: the truth degree is 0\n")
			continue
		}
		if len(w.Values) > 0 {
			p.values("", w)
		}
		p.atoms(w)
	}
}

func verdictMembers(r *Reply) []any { return []any{r.Verdict} }

func briefVerdict(r *Reply) (lines []string) {
	v := r.Verdict
	switch {
	case v.Status == runtime.Known:
		lines = append(lines, "yes: it is known")
	case v.Uncalibrated != "":
		lines = append(lines, "not known; no confidence: "+v.Uncalibrated)
	case v.Holds:
		lines = append(lines, fmt.Sprintf("probably: %s with confidence %.2f", v.Status, v.Confidence))
	case v.Confidence >= Possible:
		lines = append(lines, fmt.Sprintf("possible: %s with confidence %.2f", v.Status, v.Confidence))
	default:
		lines = append(lines, fmt.Sprintf("neither known nor likely: %s with confidence %.2f", v.Status, v.Confidence))
	}
	for i := range v.Witnesses {
		for _, x := range v.Witnesses[i].Values {
			lines = append(lines, fmt.Sprintf("%s = %s", x.Variable, Both(x.Name, x.Label)))
		}
		lines = append(lines, briefAtoms(&v.Witnesses[i])...)
	}
	return lines
}
