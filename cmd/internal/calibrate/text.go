package calibrate

import (
	"fmt"
	"time"

	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime/model"
)

// text says what was chosen by how many facts, and how long it took.
func (c *Choice) text(m *model.Manifest, facts int, o Options, start time.Time) string {
	text := fmt.Sprintf("calibrated by %d validation facts", facts)
	switch {
	case o.ConfidenceOnly:
		text += ", confidence only"
	case c.late:
		text += "; there was no time for settings and semantics, which stay as they were"
	case c.MRR == nil:
		text += ", too few for settings and semantics, which stay as they were"
	default:
		text += fmt.Sprintf(" and %d queries made of them: lambda %v, alpha %v, mixture %v, semantics %s (MRR", c.Queries,
			c.Settings.Lambda, c.Settings.Alpha, c.Settings.Degrees.OrDefault().Mixture, c.Semantics)
		for i, s := range model.AllSemantics {
			text += fmt.Sprintf("%s %s %.1f", []string{"", ",", ","}[i], s, 100*c.MRR[s])
		}
		text += ")"
	}
	if !o.ConfidenceOnly && m.ScoreTerms.Any() {
		text += "; score terms: " + ScoreTermsText(m.ScoreTerms)
	}
	if len(m.Confidence) == 0 && !o.NoConfidence {
		text += "; too few to fit confidence to: answers only have scores"
	}
	if c.shapes > 0 && c.shapes < len(benchmark.Shapes) {
		text += fmt.Sprintf("; for lack of time confidence is fitted to %d of %d shapes of questions", c.shapes, len(benchmark.Shapes))
	}
	return text + ", in " + tables.Seconds(time.Since(start).Seconds())
}

// ScoreTermsText says how much regularities of relations weigh in truth degrees.
func ScoreTermsText(s model.ScoreTerms) string {
	return fmt.Sprintf("frequency %v, loop %v, second value %v", s.Frequency, s.Loop, s.Second)
}
