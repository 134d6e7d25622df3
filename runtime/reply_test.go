package runtime_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/require"
)

// TestReplyJSON has a reply of each kind written: the members that openapi.yaml describes. Whoever calls the
// encoder decides whether it escapes for HTML.
func TestReplyJSON(t *testing.T) {
	spain := runtime.Value{Variable: "y", ID: 3, Name: "<es>", Label: "Spain"}
	via := runtime.Value{Variable: "x", ID: 4, Name: "fr", Label: "France"}
	rows := []runtime.Row{{Values: []runtime.Value{spain}, Score: 0.5, Confidence: 0.25, Status: runtime.Known, Shown: []runtime.Value{via}}}
	for _, c := range []struct {
		reply runtime.Reply
		want  string
	}{
		{runtime.Reply{Variables: []string{"y"}, Semantics: model.FIT, Rows: rows, Next: 1, Sets: []runtime.FuzzySet{{Disjunct: 1, Variable: "x", Top: rows}}},
			`{"variable":"y","semantics":"fit","answers":[{"id":3,"name":"<es>","label":"Spain","score":0.5,"confidence":0.25,"status":"known",
				"values":[{"variable":"x","id":4,"name":"fr","label":"France"}]}],"next":1,
				"sets":[{"disjunct":1,"variable":"x","top":[{"id":3,"name":"<es>","label":"Spain","score":0.5}]}]}`},
		{runtime.Reply{Variables: []string{"y"}, Semantics: model.NSMP, Uncalibrated: "why", Incomplete: true},
			`{"variable":"y","semantics":"nsmp","answers":[],"uncalibrated":"why","incomplete":true}`},
		{runtime.Reply{Kind: plan.Rows, Variables: []string{"y"}, Semantics: model.FIT, Rows: rows, Proved: true, Searched: 2},
			`{"variables":["y"],"semantics":"fit","rows":[{"values":[{"variable":"y","id":3,"name":"<es>","label":"Spain"}],"score":0.5,
				"confidence":0.25,"status":"known"}],"proved":true,"searched":2}`},
		{runtime.Reply{Kind: plan.Verdict, Verdict: &runtime.Verdict{Holds: true, Status: runtime.Predicted, Degree: 1, Semantics: model.NSMP, Witnesses: []runtime.Witness{}}},
			`{"verdict":{"holds":true,"status":"predicted","degree":1,"semantics":"nsmp","witnesses":[]}}`},
		{runtime.Reply{Kind: plan.Count, Count: &runtime.Count{Variable: "y", Known: 2, Low: 2, High: 2, Semantics: model.NSMP}},
			`{"count":{"variable":"y","known":2,"missing":0,"low":2,"high":2,"semantics":"nsmp"}}`},
	} {
		want := strings.NewReplacer("\n", "", "\t", "").Replace(c.want)
		var plain bytes.Buffer
		e := json.NewEncoder(&plain)
		e.SetEscapeHTML(false)
		require.NoError(t, e.Encode(&c.reply))
		if got := strings.TrimSpace(plain.String()); got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
		escaped, err := json.Marshal(&c.reply)
		require.NoError(t, err)
		if want := strings.NewReplacer("<", `\u003c`, ">", `\u003e`).Replace(want); string(escaped) != want {
			t.Errorf("%s\nwant\n%s", escaped, want)
		}
	}
}
