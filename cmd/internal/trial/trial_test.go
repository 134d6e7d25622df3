package trial_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/trial"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/testdata/world"
)

func TestSummarize(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   trial.Summary
	}{
		{nil, trial.Summary{}},
		{[]float64{3}, trial.Summary{Count: 1, Median: 3, Q1: 3, Q3: 3, Min: 3, Max: 3}},
		{[]float64{4, 1}, trial.Summary{Count: 2, Median: 2.5, Q1: 1.75, Q3: 3.25, Min: 1, Max: 4}},
		{[]float64{5, 1, 4, 2, 3}, trial.Summary{Count: 5, Median: 3, Q1: 2, Q3: 4, Min: 1, Max: 5}},
	} {
		before := slices.Clone(c.values)
		if got := trial.Summarize(c.values); got != c.want {
			t.Errorf("Summarize(%v) is %+v, want %+v", c.values, got, c.want)
		}
		if !slices.Equal(c.values, before) {
			t.Errorf("Summarize sorted its argument to %v", c.values)
		}
	}
	if got := trial.Median([]float64{9, 1, 2}); got != 2 {
		t.Errorf("Median is %g", got)
	}
	if got := trial.Mean([]float64{1, 2, 6}); got != 3 {
		t.Errorf("Mean is %g", got)
	}
	if got := trial.Mean(nil); got != 0 {
		t.Errorf("Mean of nothing is %g", got)
	}
}

const queries = `{"type": "2p", "s1": 4, "r1": 2, "r2": 3, "easy": [1, 2], "hard": []}

{"type": "1p", "r1": 1, "s1": 0}
{"type": "2p", "s1": 5, "r1": 2, "r2": 3}
{"type": "2p", "s1": 6, "r1": 2, "r2": 3}
`

func TestReadQueries(t *testing.T) {
	for _, c := range []struct {
		types []string
		limit int
		want  string
	}{
		{nil, 2, "1p:0 2p:4,5"},
		{nil, 9, "1p:0 2p:4,5,6"},
		{[]string{"2p"}, 1, "2p:4"},
	} {
		groups, err := trial.ReadQueries(strings.NewReader(queries), "q.jsonl", c.types, c.limit)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, g := range groups {
			var ids []string
			for _, q := range g.Queries {
				if q.Type != g.Shape.Name || len(q.Slots) != 2 && len(q.Slots) != 3 {
					t.Errorf("query %+v in group %s", q, g.Shape.Name)
				}
				ids = append(ids, string(rune('0'+q.Slots["s1"])))
			}
			got = append(got, g.Shape.Name+":"+strings.Join(ids, ","))
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("types %v, limit %d: %s, want %s", c.types, c.limit, text, c.want)
		}
	}
}

func TestReadQueriesErrors(t *testing.T) {
	for _, c := range []struct {
		text  string
		types []string
		want  string
	}{
		{"", nil, "q.jsonl has no queries"},
		{"\n  \n", nil, "q.jsonl has no queries"},
		{queries, []string{"3p"}, "q.jsonl has no queries of shape 3p"},
		{queries, []string{"9p"}, `unknown shape "9p"`},
		{"{}\nnonsense", nil, "q.jsonl:1: no field type"},
		{`{"type":"1p","s1":0,"r1":0}` + "\n[1]", nil, "q.jsonl:2: json"},
		{`{"type":"1q"}`, nil, `q.jsonl:1: unknown shape "1q"`},
		{`{"type":"1p","s1":0}`, nil, "q.jsonl:1: a query of shape 1p needs field r1"},
		{`{"type":"1p","s1":-1,"r1":0}`, nil, "q.jsonl:1: field s1 is -1, want an id"},
		{`{"type":"1p","s1":"x","r1":0}`, nil, "field s1 is \"x\""},
		{`{"type":"1p","s1":4294967296,"r1":0}`, nil, "field s1 is 4294967296"},
		{`{"type":7}`, nil, "q.jsonl:1: field type"},
	} {
		_, err := trial.ReadQueries(strings.NewReader(c.text), "q.jsonl", c.types, 5)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error is %v, want %s", c.text, err, c.want)
		}
	}
}

func TestBindings(t *testing.T) {
	m, err := world.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	q, err := lang.ShapeQuery("2p")
	if err != nil {
		t.Fatal(err)
	}
	p, err := compiler.Prepare(m, q, compiler.PrepareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := trial.Query{Type: "2p", Slots: map[string]int32{"s1": 7, "r1": 3, "r2": 4}}.Bindings(p)
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Constants) != 1 || b.Constants[0] != 7 || len(b.Relations) != 2 || b.Relations[0] != 3 || b.Relations[1] != 4 {
		t.Errorf("bindings are %+v", b)
	}
	for _, c := range []struct {
		slots map[string]int32
		want  string
	}{
		{map[string]int32{"s1": 1 << 30, "r1": 0, "r2": 0}, "shape 2p: s1 is 1073741824, but the model has"},
		{map[string]int32{"s1": 0, "r1": 0, "r2": 999}, "shape 2p: r2 is 999, but the model has 60 relations with inverses"},
	} {
		if _, err := (trial.Query{Type: "2p", Slots: c.slots}).Bindings(p); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want %s", err, c.want)
		}
	}
}
