package explain

import (
	"encoding/json"
	"io"
	"slices"
)

// JSON writes the report as one indented object; plans adds the plan after each step.
func (r *Report) JSON(w io.Writer, plans bool) error {
	if !plans {
		r = r.withoutPlans()
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

func (r *Report) withoutPlans() *Report {
	out := *r
	out.Plans = nil
	out.Parts = slices.Clone(r.Parts)
	for i, p := range out.Parts {
		out.Parts[i].Report = p.withoutPlans()
	}
	return &out
}
