package explain

import (
	"encoding/json"
	"io"
)

// JSON writes the report as one indented object, with the plan after each step
// where plans is set.
func (r *Report) JSON(w io.Writer, plans bool) error {
	out := struct {
		Report
		Warnings []string `json:"warnings,omitempty"`
	}{Report: *r}
	if !plans {
		out.Plans = nil
	}
	for _, w := range r.Warnings {
		out.Warnings = append(out.Warnings, w.String())
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}
