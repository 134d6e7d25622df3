package server

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang/sparql"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/require"
)

// rounded returns rows as texts. Links that run together round their sums in another way than alone.
func rounded(rows []runtime.Row) (list []string) {
	for _, r := range rows {
		text := fmt.Sprintf("%v %v %v %.5f", r.Values, r.Score, r.Status, r.Confidence)
		if r.Witness != nil {
			for _, a := range r.Witness.Atoms {
				text += fmt.Sprintf(" %s(%s, %s) %.5f", a.Relation, a.Head.Name, a.Tail.Name, a.Confidence)
			}
		}
		list = append(list, text)
	}
	return list
}

// TestAskRows asks for several variables over every path that takes them, and compares with what the
// library answers.
func TestAskRows(t *testing.T) {
	_, hs := start(t, Config{})
	m, err := openWorld(t.Context())
	require.NoError(t, err)
	defer m.Close()
	const formula = `land, tongue: exists z. borders("France", z) & borders(z, land) & official_language(land, tongue) & land != "France"`
	p, err := compiler.Prepare(m, formula, compiler.Options{})
	require.NoError(t, err)
	want, err := p.Ask(t.Context(), nil, runtime.Options{K: 4, Offset: 1})
	require.NoError(t, err)
	for _, by := range []model.Semantics{model.NSMP, model.FIT, model.Mixed} { // a page has the rows of the whole list
		p, err := compiler.Prepare(m, formula, compiler.Options{Semantics: &by})
		require.NoError(t, err)
		whole, err := p.Ask(t.Context(), nil, runtime.Options{K: 40})
		require.NoError(t, err)
		page, err := p.Ask(t.Context(), nil, runtime.Options{K: 10, Offset: 30})
		require.NoError(t, err)
		if whole.Rows[0].Status != runtime.Known || page.Uncalibrated != "" || !slices.Equal(rounded(whole.Rows[30:]), rounded(page.Rows)) {
			t.Errorf("%s: rows 30 to 39 are %s, as a page %s", by, jsonText(t, whole.Rows[30:]), jsonText(t, page.Rows))
		}
	}
	whole, err := p.Ask(t.Context(), nil, runtime.Options{K: 300})
	require.NoError(t, err)
	sure := slices.DeleteFunc(slices.Clone(whole.Rows), func(r runtime.Row) bool { return r.Status == runtime.Known || r.Confidence < 0.05 })
	_, text := call(t, hs, "POST", "/v1/ask", jsonText(t, map[string]any{"formula": formula, "k": 3, "offset": 1, "status": []string{"predicted", "confirmed"}, "min_confidence": 0.05}))
	if got := unmarshal[rowsOf](t, text); len(sure) < 4 || !slices.Equal(rounded(got.Rows), rounded(sure[1:4])) {
		t.Errorf("rows that are not known, but likely, are %s\nwant %s", text, jsonText(t, sure))
	}
	ask := jsonText(t, map[string]any{"formula": formula, "k": 4, "offset": 1, "show": []string{"z"}})
	status, text := call(t, hs, "POST", "/v1/ask", ask)
	got := unmarshal[rowsOf](t, text)
	if status != http.StatusOK || len(got.Rows) != 4 || got.Next != 5 || strings.Join(got.Variables, " ") != "land tongue" {
		t.Fatalf("status %d: %s", status, text)
	}
	for i, x := range want.Rows {
		if g := got.Rows[i]; !reflect.DeepEqual(g.Values, x.Values) || g.Status != x.Status || g.Value("z").Name == "" {
			t.Errorf("row %d is %+v, want %+v", i, g, x)
		}
	}
	if status, text = call(t, hs, "POST", "/v1/batch", `{"queries":[`+ask+`,{"formula":"borders(\"Kenya\", y)"}]}`); status != http.StatusOK || !strings.Contains(text, `"rows"`) || !strings.Contains(text, `"answers"`) {
		t.Errorf("batch: status %d: %s", status, text)
	}
	if status, text = call(t, hs, "POST", "/v1/explain", jsonText(t, map[string]any{"formula": formula})); status != http.StatusOK || !strings.Contains(text, `"degrees of tongue given $land"`) {
		t.Errorf("explain: status %d: %s", status, text)
	}
	for body, want := range map[string]string{
		`{"formula":"x, y: borders(x, y)","in_range":true}`:                      "filtered by status and confidence alone",
		`{"formula":"x, y: borders(x, y)","type":"in_continent=Europe"}`:         "state the type of a variable as an atom",
		`{"formula":"count x, y: borders(x, y)"}`:                                "only the answers of one variable have a count",
		`{"formula":"x, y: borders(x, y)","show":["x"]}`:                         `variable \"x\" is an answer variable`,
		`{"formula":"x, y: borders(x, y)","k":-1}`:                               "k is -1",
		`{"formula":"x, y: borders(x, \"Frence\") & borders(x, y)"}`:             `did you mean \"France\"`,
		`{"template":"query P(c entity) x, y = borders($c, x) & borders(x, y)"}`: "needs a value for c",
	} {
		if status, text := call(t, hs, "POST", "/v1/ask", body); status < 400 || status > 499 || !strings.Contains(text, want) {
			t.Errorf("%s: status %d, without %s: %s", body, status, want, text)
		}
	}
	const query = "SELECT ?land ?tongue { <urn:efoc:France> <urn:efoc:borders> ?z . ?z <urn:efoc:borders> ?land . " +
		"?land <urn:efoc:official_language> ?tongue FILTER(?land != <urn:efoc:France>) } LIMIT 4 OFFSET 1"
	_, text = call(t, hs, "GET", "/sparql?query="+url.QueryEscape(query), "")
	for _, x := range want.Rows {
		row := `{"land":{"type":"uri","value":"` + sparql.IRI(x.Values[0].Name) + `"},"land_label":`
		if !strings.Contains(text, row) || !strings.Contains(text, `"row_status":{"type":"literal","value":"known"}`) {
			t.Errorf("SPARQL gives no row %s: %s", row, text)
		}
	}
	if _, text = call(t, hs, "GET", "/sparql?query="+url.QueryEscape(strings.Replace(query, "LIMIT 4", "LIMIT 5000", 1)), ""); !strings.Contains(text, "LIMIT is 5000, want at most") {
		t.Errorf("LIMIT 5000: %s", text)
	}
	if status, text := call(t, hs, "POST", "/v1/witness", `{"formula":"x, y: borders(x, y)","entities":["France"]}`); status != 422 || !strings.Contains(text, "one answer variable is wanted here") {
		t.Errorf("witness: status %d: %s", status, text)
	}
}

// rowsOf is a response with rows.
type rowsOf struct {
	Variables []string
	Rows      []runtime.Row
	Next      int
}
