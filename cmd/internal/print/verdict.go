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

// verdict says whether a sentence holds.
func verdict(v *runtime.Verdict) string {
	text := statusTexts[v.Status]
	how := "neither known nor likely"
	switch {
	case v.Status == runtime.Known:
		return "yes, known: it " + text
	case v.Uncalibrated != "":
		return fmt.Sprintf("not known: it %s; no confidence: %s", text, v.Uncalibrated)
	case v.Holds:
		how = "probably"
	case v.Confidence >= Possible:
		how = "possible"
	}
	return fmt.Sprintf("%s, confidence %s: %s", how, Percent(v.Confidence), text)
}

func sayVerdict(p *Printer, r *Reply) {
	v := r.Verdict
	p.Printf("%s\n", verdict(v))
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

func briefVerdict(r *Reply) []string {
	v := r.Verdict
	lines := []string{verdict(v)}
	for i := range v.Witnesses {
		for _, x := range v.Witnesses[i].Values {
			lines = append(lines, fmt.Sprintf("%s = %s", x.Variable, Both(x.Name, x.Label)))
		}
		lines = append(lines, briefAtoms(&v.Witnesses[i])...)
	}
	return lines
}
