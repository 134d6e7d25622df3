package print

import (
	"fmt"
	"strconv"

	"github.com/efoc/efoc/cmd/internal/tables"
)

func countColumns(*Reply) []string { return []string{"known", "missing", "total", "low", "high"} }

func countRows(r *Reply) [][]string {
	n := r.Count
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 5, 64) }
	return [][]string{{strconv.Itoa(n.Known), number(n.Missing), number(n.Total()), number(n.Low), number(n.High)}}
}

func sayCount(p *Printer, r *Reply) {
	n := r.Count
	p.Printf("%-8s %d follow from the graph\n", "known", n.Known)
	if n.Uncalibrated != "" {
		p.Printf("%-8s not estimated: %s\n", "missing", n.Uncalibrated)
		return
	}
	p.Printf("%-8s %s are expected beside them\n", "missing", expected(n.Missing))
	p.Printf("%-8s %s; from %s to %s in nine of ten cases, as on validation queries\n", "total", expected(n.Total()), expected(n.Low), expected(n.High))
}

// expected formats an expected number.
func expected(x float64) string {
	if x < 100 {
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

func countMembers(r *Reply) []any {
	return []any{r.Count, struct {
		Total float64 `json:"total"`
	}{r.Count.Total()}}
}

func briefCount(r *Reply) []string {
	n := r.Count
	known := tables.Number(n.Known, "answer") + " known"
	if n.Uncalibrated != "" {
		return []string{known, "no estimate of others: " + n.Uncalibrated}
	}
	return []string{known, fmt.Sprintf("%.1f others expected; %.1f in all, from %.1f to %.1f in nine of ten cases", n.Missing, n.Total(), n.Low, n.High)}
}
