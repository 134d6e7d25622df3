package explain

import (
	"encoding/json"
	"io"
	"slices"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
)

// JSON writes the report as one indented object, with the plan after each step
// where plans is set. Of a query with several answer variables it has the parts alone.
func (r *Report) JSON(w io.Writer, plans bool) error {
	if !plans {
		r = r.withoutPlans()
	}
	var out any = r
	if r.Parts != nil {
		out = struct {
			Query     string          `json:"query"`
			Semantics model.Semantics `json:"semantics"`
			Parts     []Part          `json:"parts"`
			Warnings  []lang.Warning  `json:"warnings,omitempty"`
		}{r.Query, r.Semantics, r.Parts, r.Warnings}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

func (r *Report) withoutPlans() *Report {
	out := *r
	out.Plans, out.Parts = nil, slices.Clone(r.Parts)
	for i, p := range out.Parts {
		out.Parts[i].Report = p.withoutPlans()
	}
	return &out
}
