package eval

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/require"
)

// handReport sums up an outcome that was made by hand: three queries of 1p, one
// of them without hard answers, and two of 2in, the second of which was not run.
func handReport(t testing.TB) *Report {
	t.Helper()
	m := blankModel(t)
	set := &queryset.Set{Groups: []*queryset.Group{
		group(t, "1p", make([]queryset.Query, 3)...), group(t, "2in", make([]queryset.Query, 2)...), group(t, "2p", make([]queryset.Query, 1)...),
	}}
	c := Config{Model: m, Semantics: model.NSMP, Engine: "auto", Settings: m.Manifest.Settings, Filter: Released, Batch: 8}
	o := &Outcome{Asked: 4, Groups: []GroupOutcome{
		{Shape: "1p", Engine: "compiled", Layers: []int{2}, AllLinks: 1, Queries: []*Result{
			{Ranks: []float64{1, 4}, Misses: []int{1, 5}}, {Ranks: []float64{2}, Misses: []int{1}}, {Ranks: []float64{}},
		}},
		{Shape: "2in", Engine: "compiled", Layers: []int{2}, Queries: []*Result{{Ranks: []float64{2.5, 20}}, nil}},
		{Shape: "2p", Queries: []*Result{nil}},
	}}
	return Summarize(set, c, o)
}

// TestSummarize compares with means that were worked out by hand.
func TestSummarize(t *testing.T) {
	r := handReport(t)
	if !r.Partial() || r.Done != 4 || r.Total != 6 || r.Asked != 4 || r.About.Queries.Count != 6 || r.About.Visible.Facts != 3 {
		t.Errorf("read %+v", r)
	}
	shapes := r.Shapes
	if len(shapes) != 2 {
		t.Fatalf("shapes are %+v", shapes)
	}
	// 1p: queries of (1 + 1/4)/2 and 1/2.
	if s := shapes[0]; s.Name != "1p" || s.Group != "P" || s.Queries != 2 || s.Of != 3 || s.Answers != 3 ||
		s.Metrics != (Metrics{MRR: (0.625 + 0.5) / 2, Hits1: 0.25, Hits3: 0.75, Hits10: 1}) {
		t.Errorf("1p is %+v", s)
	}
	if got, want := shapes[0].Links, []LinksReport{
		{Links: 1, Queries: 2, Answers: 2, Metrics: Metrics{0.75, 0.5, 1, 1}},
		{Links: MaxLinks, Queries: 1, Answers: 1, Metrics: Metrics{0.25, 0, 0, 1}},
	}; !slices.Equal(got, want) {
		t.Errorf("by missing links: %+v, want %+v", got, want)
	}
	if s := shapes[1]; s.Group != "N" || s.Queries != 1 || s.Of != 2 || s.Metrics != (Metrics{MRR: (0.4 + 0.05) / 2, Hits1: 0, Hits3: 0.5, Hits10: 0.5}) || s.Links != nil {
		t.Errorf("2in is %+v", s)
	}
	// The one link of 1p: in each query one answer lacks it, in one another lacks more.
	all := &LinksReport{Links: 1, Queries: 2, Answers: 3, Metrics: shapes[0].Metrics}
	if got := shapes[0].AllLinks; !reflect.DeepEqual(got, all) {
		t.Errorf("all links missing: %+v, want %+v", got, all)
	}
	want := []Average{{"P", 1, 9, shapes[0].Metrics, &AllLinks{1, shapes[0].Metrics}}, {"N", 1, 4, shapes[1].Metrics, nil}}
	if got := r.Averages; !reflect.DeepEqual(got, want) || got[0].Complete() || got[0].Label() != "AVG.(P)" {
		t.Errorf("averages are %+v, want %+v", got, want)
	}
}

// TestTables checks what is shown of a report, each line with its cells one space apart.
func TestTables(t *testing.T) {
	r := handReport(t)
	r.Published, _ = Published("fb15k-237")
	text := tables.Text(nil, r.Facts()) + "\n"
	for _, x := range r.Tables() {
		text += tables.Text(x.Header, x.Rows) + "\n"
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.Join(strings.Fields(line), " ") + "\n")
	}
	for _, want := range []string{
		"model blank (5 entities, rank 2, table float32)\n",
		"visible graph train, 3 facts\n",
		"filter released (all easy answers); ties count half\n",
		"settings λ = 0.3, α = 100, w = 0.5, ε = 1e-14, L = D+1\n",
		"engine compiled, batch 8\n",
		"union max_i p_i / max(p_i)",
		"shape queries answers MRR Hits@1 Hits@3 Hits@10\n",
		"1p 2 of 3 3 56.25 25.00 75.00 100.00\n",
		"AVG.(N) 1 of 4 shapes 22.50 0.00 50.00 50.00\n",
		"shape 0 answers 1 answers 2 answers 3+ answers all answers\n",
		"1p 75.00 2 25.00 1 56.25 3\n",
		"AVG.(P) 56.25 1 of 9 shapes\n",
		"NSMP 46.7 15.1 12.3 38.7 52.2 31.2 23.3 17.2 11.9 27.6 11.9 17.6 10.8 7.9 12.0\n",
		"efoc 56.2 22.5\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the tables lack %q:\n%s", want, b.String())
		}
	}
	if note := r.Note(); note != "partial: 4 of 6 queries are done" {
		t.Errorf("note is %q", note)
	}
	// No real EFO1 shape was run, so their published figures are left out.
	if strings.Contains(b.String(), "QTO") {
		t.Error("the tables have figures that there is nothing to compare with")
	}
}

func TestReportJSON(t *testing.T) {
	text, err := json.Marshal(handReport(t))
	require.NoError(t, err)
	var got struct {
		About struct {
			Filter, Ties, Union, Engine string
			Visible                     struct{ Facts int } `json:"visible_graph"`
		}
		Done, Total int
		Settings    struct{ Lambda float64 }
		Shapes      []struct {
			Name  string
			MRR   float64
			Links []struct{ MRR float64 } `json:"by_missing_links"`
		}
	}
	require.NoError(t, json.Unmarshal(text, &got))
	if a := got.About; a.Filter != "released" || a.Ties != "count half" || a.Union != Union || a.Engine != "auto" || a.Visible.Facts != 3 {
		t.Errorf("about is %+v", a)
	}
	if got.Done != 4 || got.Total != 6 || got.Settings.Lambda != 0.3 || got.Shapes[0].MRR != 0.5625 || got.Shapes[0].Links[1].MRR != 0.25 {
		t.Errorf("read %+v", got)
	}
}

// TestPublished compares each average of the file with the mean of its shapes.
func TestPublished(t *testing.T) {
	all, err := allPublished()
	require.NoError(t, err)
	averages := 0
	for _, row := range all {
		if row.Source == "" {
			t.Errorf("%s on %s has no source", row.Model, row.Graph)
		}
		for _, group := range Groups() {
			sum, count := 0.0, 0
			for _, shape := range GroupShapes(group) {
				if x, ok := row.MRR[shape]; ok {
					sum, count = sum+x, count+1
				}
			}
			if count != 0 && count != len(GroupShapes(group)) {
				t.Errorf("%s on %s has %d shapes of group %s", row.Model, row.Graph, count, group)
			}
			published, ok := row.MRR[averageLabel(group)]
			if !ok {
				continue
			}
			// Both the shapes and the average were rounded to a decimal.
			if mean := sum / float64(count); math.Abs(mean-published) > 0.1+1e-9 {
				t.Errorf("%s on %s: %s is %v, the mean is %.2f", row.Model, row.Graph, averageLabel(group), published, mean)
			}
			averages++
		}
	}
	if len(all) != 15 || averages != 26 {
		t.Errorf("%d rows with %d averages", len(all), averages)
	}
	if got := PublishedGraphs(); !slices.Equal(got, []string{"fb15k-237", "nell995"}) {
		t.Errorf("graphs are %v", got)
	}
	if _, err := Published("nell996"); err == nil || !strings.Contains(err.Error(), `did you mean "nell995"?`) {
		t.Errorf("error is %v", err)
	}
	header := strings.SplitN(publishedText, "\n", 2)[0]
	for text, want := range map[string]string{
		"":      "want the header",
		"a,b,c": "want the header",
		header + "\nfb15k-237,X" + strings.Repeat(",", 26) + "1.x,s": "line 2: AVG.(F) of X is \"1.x\", want a percentage",
		header + "\nfb15k-237,X":                                     "wrong number of fields",
	} {
		if _, err := parsePublished(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error is %v, want %s", text, err, want)
		}
	}
}
