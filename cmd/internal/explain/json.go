package explain

import (
	"encoding/json"
	"io"

	"github.com/efoc/efoc/runtime/model"
)

// jsonReport is a report as JSON.
type jsonReport struct {
	Report
	Warnings []string `json:"warnings,omitempty"`
}

// jsonPart is a part as JSON.
type jsonPart struct {
	Asks string `json:"asks"`
	jsonReport
}

// JSON writes the report as one indented object, with the plan after each step
// where plans is set. Of a query with several answer variables it has the parts alone.
func (r *Report) JSON(w io.Writer, plans bool) error {
	var out any = r.json(plans)
	if r.Parts != nil {
		parts := []jsonPart{}
		for _, p := range r.Parts {
			parts = append(parts, jsonPart{p.Asks, p.Report.json(plans)})
		}
		out = struct {
			Query     string          `json:"query"`
			Semantics model.Semantics `json:"semantics"`
			Parts     []jsonPart      `json:"parts"`
			Warnings  []string        `json:"warnings,omitempty"`
		}{r.Query, r.Semantics, parts, r.json(plans).Warnings}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

func (r *Report) json(plans bool) jsonReport {
	out := jsonReport{Report: *r}
	if !plans {
		out.Plans = nil
	}
	for _, w := range r.Warnings {
		out.Warnings = append(out.Warnings, w.String())
	}
	return out
}
