package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/efoc/efoc/compiler/explain"
)

// TestExplainEstimate asks for the cost on tables of a given size.
func TestExplainEstimate(t *testing.T) {
	r := efoc(t, "explain", "--shape", "2p", "--entities", "14505", "--rank", "256")
	r.want(t, statusOK, "estimate for 14505 entities of rank 256: a pass over the table reads 29.7 MB\n", "")
	r.want(t, statusOK, "  before            12         356 MB", "")
	if strings.Contains(r.stdout, "predicted") {
		t.Errorf("time is predicted without being asked for:\n%s", r.stdout)
	}
	r = efoc(t, "explain", "--shape", "2p", "--entities", "500", "--rank", "8", "--calibrate")
	for _, want := range []string{"predicted", "measured here, on ", "exponentials/s"} {
		r.want(t, statusOK, want, "")
	}
	r = efoc(t, "explain", `road("ash", y)`, "--model", towns(t), "--format", "json")
	r.want(t, statusOK, "", "")
	var got struct{ Cost explain.Cost }
	if err := json.Unmarshal([]byte(r.stdout), &got); err != nil {
		t.Fatal(err)
	}
	e := got.Cost.Estimate
	if e == nil || e.Sizes.Entities != 5 || e.Sizes.Rank != 4 || e.Constants != nil || e.After.Bytes <= 0 || e.After.Bytes >= e.Before.Bytes ||
		len(e.After.Sweeps) != got.Cost.PassesWhole || e.After.Seconds != 0 {
		t.Errorf("read %+v", e)
	}
	if r := efoc(t, "explain", "--shape", "2p"); strings.Contains(r.stdout, "estimate for") {
		t.Errorf("there is an estimate without sizes:\n%s", r.stdout)
	}
}

// TestExplainEstimateDegrees asks for the cost of truth degrees, with as many candidates
// as are asked for, as the model has, or by default.
func TestExplainEstimateDegrees(t *testing.T) {
	sizes := []string{"--entities", "500", "--rank", "8"}
	model := []string{"--model", towns(t)} // of five entities, fewer than candidates: all have rows
	for _, c := range []struct {
		args             []string
		candidates, rows int
	}{
		{sizes, 8, 6}, // 0.72 of them have rows
		{append(sizes, "--candidates", "20"), 20, 14},
		{append(sizes, "--candidates", "20", "--calibrate"), 20, 14},
		{model, 8, 5},
		{append(model, "--candidates", "4", "--calibrate"), 4, 3},
	} {
		for _, semantics := range []string{"fit", "mixed"} {
			r := efoc(t, append([]string{"explain", "--shape", "2p", "--semantics", semantics, "--format", "json"}, c.args...)...)
			r.want(t, statusOK, "", "")
			var got struct{ Cost explain.Cost }
			if err := json.Unmarshal([]byte(r.stdout), &got); err != nil {
				t.Fatal(err)
			}
			e := got.Cost.Estimate
			if e == nil || e.Sizes.Candidates != c.candidates || len(e.After.Sweeps) != got.Cost.PassesAfter || (e.After.Seconds > 0) != (e.Constants != nil) {
				t.Fatalf("%s %q: read %+v", semantics, c.args, e)
			}
			most := 0
			for _, w := range e.After.Sweeps {
				most = max(most, w.Scores)
			}
			if most != c.rows {
				t.Errorf("%s %q: a pass makes %d rows at most, want %d", semantics, c.args, most, c.rows)
			}
		}
	}
	r := efoc(t, append([]string{"explain", "--shape", "2p", "--semantics", "fit"}, sizes...)...)
	r.want(t, statusOK, "estimate for 500 entities of rank 8 and 8 candidates, no row being kept: a pass", "")
}

func TestExplainEstimateErrors(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--entities", "5"}, "give both --entities and --rank"},
		{[]string{"--rank", "5"}, "give both --entities and --rank"},
		{[]string{"--entities=-5", "--rank", "5"}, "--entities is -5"},
		{[]string{"--entities", "5", "--rank", "9999999"}, "--rank is 9999999"},
		{[]string{"--entities", "5", "--rank", "5", "--model", "m.efoc"}, "--model has the sizes"},
		{[]string{"--calibrate"}, "--calibrate needs sizes"},
		{[]string{"--candidates", "5", "--entities", "5", "--rank", "5"}, "--candidates is a setting of truth degrees"},
		{[]string{"--candidates", "5", "--semantics", "fit"}, "--candidates needs sizes"},
		{[]string{"--candidates=-5", "--semantics", "fit", "--entities", "5", "--rank", "5"}, "--candidates is -5"},
		{[]string{"--calibrate", "--model", "m.efoc", "--format", "dot"}, "--calibrate cannot be combined with"},
		{[]string{"--calibrate", "--entities", "100000000", "--rank", "256"}, "too large to measure with"},
	} {
		efoc(t, append([]string{"explain", "--shape", "2p"}, c.args...)...).want(t, statusUsage, "", c.want)
	}
	efoc(t, "explain", "--shape", "2p", "--model", "missing.efoc").want(t, statusFailure, "", "missing.efoc")
}
