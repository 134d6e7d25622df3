package explain

import (
	"encoding/json"
	"io"
)

// JSON writes the report as one indented object, with the plan after each step
// where plans is set.
func (r *Report) JSON(w io.Writer, plans bool) error {
	out := *r
	if !plans {
		out.Plans = nil
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(struct {
		Report
		Warnings []string `json:"warnings,omitempty"`
	}{out, r.warningTexts()})
}

// warningTexts returns the one-line forms of the warnings.
func (r *Report) warningTexts() []string {
	var texts []string
	for _, w := range r.Warnings {
		texts = append(texts, w.String())
	}
	return texts
}
