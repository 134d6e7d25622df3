package anycq

import (
	"context"
	"fmt"
	"math"

	"strings"
	"testing"
	"time"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// blankModel is a model of six entities and a relation that has learnt nothing: a link that
// is not observed has degree 1/6 times the number of observed tails.
func blankModel(t *testing.T) *runtime.Model {
	t.Helper()
	return runtime.NewModel(modeltest.New(t, modeltest.Spec{
		Entities: 6, Relations: 1, Facts: []graph.Triple{{Head: 0, Tail: 1}, {Head: 0, Tail: 2}, {Head: 1, Tail: 3}, {Head: 4, Tail: 5}}, Rank: 2,
	}))
}

// run asks the questions of a file under fit.
func run(t *testing.T, name, text string, timeout time.Duration) []Result {
	t.Helper()
	s, err := open(t, name, text, 0)
	require.NoError(t, err)
	c := Config{Model: blankModel(t), Prepare: compiler.Options{Semantics: new(model.FIT)}, Timeout: timeout}
	results, err := Run(context.Background(), s, c)
	require.NoError(t, err)
	return results
}

// TestClassification compares with degrees that were worked out by hand: 0 leads to 1 and 2,
// to all others with degree 2/6.
func TestClassification(t *testing.T) {
	results := run(t, "qac_test_x.json", `{"(r1(s1,f1))": [
		[{"s1": 0, "r1": 0}, {"f1": [[4], [1]]}, {"f1": [[3], [5]]}],
		[{"s1": 0, "r1": 0}, {"f1": [[1], [2]]}, {"f1": [[4]]}]]}`, time.Minute)
	first := results[0]
	if first.Unanswered != "" || len(first.Easy) != 2 || first.Easy[0] || !first.Easy[1] || first.Positive[1] != 1 || math.Abs(float64(first.Positive[0])-1./3) > 1e-6 {
		t.Fatalf("result is %+v", first)
	}
	// 4 is level with 3 and 5, and above neither; 1 is above both.
	if got := first.auc(); got != 0.75 {
		t.Errorf("AUC is %v, want 0.75", got)
	}
	if got := first.f1(0.5); math.Abs(got-2./3) > 1e-9 {
		t.Errorf("F1 from 0.5 on is %v: want precision 1, recall 1/2", got)
	}
	if got := first.f1(0.1); math.Abs(got-2./3) > 1e-9 {
		t.Errorf("F1 from 0.1 on is %v: want precision 1/2, recall 1", got)
	}
	results[0].Time, results[1].Time = 3*time.Millisecond, time.Millisecond
	// Of the first question, 4 has rank 3.5 and 1 has 1.5, 3 and 5 have rank 4; of the second, 1 and 2 are
	// first, and 4 has rank 4.5. F1 is 2/3 and 1, AUC 3/4 and 1.
	_, rows := report(Classification, results, 0.5)
	if got := fmt.Sprint(rows); got != "[[1p 2 0 83.3 87.5 73.8 23.6 3 100.0 1 0.0 3ms]]" {
		t.Errorf("rows are %s", got)
	}
}

// TestRetrieval asks for pairs: one that observed facts give, one that takes a prediction,
// and a question without answer, because 5 does not lead to 0.
func TestRetrieval(t *testing.T) {
	results := run(t, "qar_test_x.json", `{
		"(r1(s1,f2))&(r1(f2,f1))": [[{"s1": 0, "r1": 0}, {"f1&f2": [[3, 1]]}, "e"]],
		"(r1(s1,f2))&(r1(s2,f1))": [[{"s1": 0, "r1": 0, "s2": 4}, {"f1&f2": [[5, 0]]}, "h"]],
		"(r1(s1,f1))&(r1(s2,s1))": [[{"s1": 0, "r1": 0, "s2": 5}, {"f1": []}, "n"]]}`, time.Minute)
	if r := results[0]; !r.Right || r.Score != 1 {
		t.Errorf("3 by 1 is observed: %+v", r)
	}
	if r := results[1]; r.Right || r.Unanswered != "" {
		t.Errorf("5 with 0 is not what facts give: %+v", r)
	}
	// 5 has no tails, so that links from it have degree 1/6 at most.
	if r := results[2]; r.Right || r.Score >= 0.5 {
		t.Errorf("there is no link from 5 to 0: %+v", r)
	}
	for i := range results {
		results[i].Time = time.Millisecond
	}
	if _, rows := report(Retrieval, results, 0.5); fmt.Sprint(rows) != "[[x 3 0 66.7 1 100.0 100.0 1 0.0 0.0 1 1ms]]" {
		t.Errorf("rows are %v", rows)
	}
}

// TestUnanswered counts questions that are out of time, or cannot be asked.
func TestUnanswered(t *testing.T) {
	results := run(t, "qac_test_x.json", `{"(r1(e1,f1))&(r1(f1,": [[{"r1": 0}, {"f1": [[1]]}, {"f1": [[2]]}]],
		"(r1(s1,f1))": [[{"s1": 0, "r1": 0}, {"f1": [[1]]}, {"f1": [[3]]}]]}`, time.Nanosecond)
	_, rows := report(Classification, results, 0.5)
	if why := reasons(results); len(why) != 2 || !strings.Contains(fmt.Sprint(why), "[unanswered 1: out of time]") || !strings.HasPrefix(fmt.Sprint(rows), "[[x 1 1 0.0 ") ||
		!strings.Contains(fmt.Sprint(rows), " [1p 1 1 0.0 ") {
		t.Errorf("reasons are %s, the table %s", why, rows)
	}
	s, err := open(t, "qac_test_x.json", `{"(r1(s1,f1))": [[{"s1": 9, "r1": 0}, {"f1": [[1]]}, {"f1": [[3]]}]]}`, 0)
	require.NoError(t, err)
	if _, err := Run(context.Background(), s, Config{Model: blankModel(t), Timeout: time.Minute}); err == nil || !strings.Contains(err.Error(), "is it the model of these questions?") {
		t.Errorf("another model gives %v", err)
	}
}
