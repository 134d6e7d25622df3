package eval

import (
	"reflect"
	"slices"
	"testing"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/runtime/model"
)

// handReport sums up an outcome that was made by hand: three queries of 1p, one
// of them without hard answers, and two of 2in, the second of which was not run.
func handReport(t testing.TB) *Report {
	t.Helper()
	m := blankModel(t)
	set := &queryset.Set{Groups: []*queryset.Group{
		group(t, "1p", make([]queryset.Case, 3)...), group(t, "2in", make([]queryset.Case, 2)...), group(t, "2p", make([]queryset.Case, 1)...),
	}}
	c := Config{Model: m, Semantics: model.NSMP, Engine: "auto", Settings: m.Settings(), Filter: Released, Batch: 8}
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
	if r.Done != 4 || r.Total != 6 || r.Asked != 4 || r.About.Queries.Count != 6 || r.About.Visible.Facts != 3 {
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
		{1, Mean{2, 2, Metrics{0.75, 0.5, 1, 1}}},
		{maxLinks, Mean{1, 1, Metrics{0.25, 0, 0, 1}}},
	}; !slices.Equal(got, want) {
		t.Errorf("by missing links: %+v, want %+v", got, want)
	}
	if s := shapes[1]; s.Group != "N" || s.Queries != 1 || s.Of != 2 || s.Metrics != (Metrics{MRR: (0.4 + 0.05) / 2, Hits1: 0, Hits3: 0.5, Hits10: 0.5}) || s.Links != nil {
		t.Errorf("2in is %+v", s)
	}
	// The one link of 1p: in each query one answer lacks it, in one another lacks more.
	all := &LinksReport{1, Mean{2, 3, shapes[0].Metrics}}
	if got := shapes[0].AllLinks; !reflect.DeepEqual(got, all) {
		t.Errorf("all links missing: %+v, want %+v", got, all)
	}
	// The two queries of 1p have 0.625 and 0.5, all samples something between; 2in has a single query.
	if got := shapes[0].Interval; got != (Interval{0.5, 0.625}) || shapes[1].Interval != (Interval{0.225, 0.225}) {
		t.Errorf("intervals are %v and %v", got, shapes[1].Interval)
	}
	want := []Average{
		{"P", 1, 9, shapes[0].Metrics, shapes[0].Interval, &AllLinks{1, shapes[0].Metrics, shapes[0].Interval}},
		{"N", 1, 4, shapes[1].Metrics, shapes[1].Interval, nil},
	}
	if got := r.Averages; !reflect.DeepEqual(got, want) || got[0].label() != "AVG.(P)" {
		t.Errorf("averages are %+v, want %+v", got, want)
	}
}
