package explain

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/require"
)

// written returns the text of a report, with its plans if asked for.
func written(t *testing.T, r *Report, plans bool) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, r.Text(&b, plans))
	return b.String()
}

// TestDegreeSteps checks the steps of a query with a cycle and a negated atom, worked
// out by hand from what package fit says of the plan.
func TestDegreeSteps(t *testing.T) {
	q := parse(t, `exists x. r("a", x) & s(x, y) & !u(x, y)`)
	r, err := New(stages.Analyze(q), 0, model.FIT)
	require.NoError(t, err)
	want := []DegreeStep{
		{Op: "rows", Sweep: 1, What: "r1(s1,e1)"},
		{Op: "dense", What: "degrees of e1"},
		{Op: "best", What: "candidates of e1"},
		{Op: "rows", Sweep: 2, What: "r2(e1,f), !r3(e1,f)"},
		{Op: "push", What: "e1 -> f by r2(e1,f), !r3(e1,f)"},
		{Op: "dense", What: "degrees of f"},
	}
	if !reflect.DeepEqual(r.Degrees, want) {
		t.Errorf("steps are %+v, want %+v", r.Degrees, want)
	}
	if r.Cost.SweepsBefore != 3 || r.Cost.SweepsAfter != 2 || r.Cost.Messages != (Counts{}) || r.Disjuncts[0].L != 0 || r.Disjuncts[0].Layers != nil {
		t.Errorf("cost is %+v, disjuncts %+v", r.Cost, r.Disjuncts)
	}
	got := written(t, r, false)
	for _, want := range []string{"means  truth degrees", "\ntruth degrees\n", "     2  rows       r2(e1,f), !r3(e1,f)\n", "that are kept"} {
		if !strings.Contains(got, want) {
			t.Errorf("text lacks %q:\n%s", want, got)
		}
	}
	for _, not := range []string{"schedule", "messages", "sent"} {
		if strings.Contains(got, not) {
			t.Errorf("text of truth degrees has %q:\n%s", not, got)
		}
	}
}

// TestSemantics checks the reports on the benchmark shapes in every form, and on a
// query whose first sweep makes more rows than a line has room for.
func TestSemantics(t *testing.T) {
	var atoms []string
	for i := range 40 {
		atoms = append(atoms, `r`+string(rune('a'+i%26))+`("c`+string(rune('a'+i/26))+`", y)`)
	}
	queries := []*lang.Query{parse(t, strings.Join(atoms, " & "))}
	for _, s := range benchmark.Shapes {
		q, err := benchmark.Query(s.Name)
		require.NoError(t, err)
		queries = append(queries, q)
	}
	for _, q := range queries {
		nsmp, err := New(stages.Analyze(q), 0, model.NSMP)
		require.NoError(t, err)
		for _, semantics := range []model.Semantics{model.FIT, model.Mixed} {
			r, err := New(stages.Analyze(q), 0, semantics)
			require.NoError(t, err)
			checkReport(t, r)
			if semantics == model.Mixed && r.Cost.Messages != nsmp.Cost.Messages {
				t.Errorf("%s: messages are %+v, without truth degrees %+v", r.Shape, r.Cost.Messages, nsmp.Cost.Messages)
			}
			for i, s := range r.Degrees {
				if s.What == "" || (s.Sweep > 0) != (s.Op == "rows") || s.Sweep > r.Cost.SweepsAfter || i > 0 && s.Sweep > 0 && s.Sweep == r.Degrees[i-1].Sweep {
					t.Errorf("%s, %s: step %d of %+v", r.Shape, semantics, i+1, r.Degrees)
				}
			}
			checkForms(t, r)
		}
	}
}

// checkForms writes a report in every form.
func checkForms(t *testing.T, r *Report) {
	t.Helper()
	for line := range strings.SplitSeq(written(t, r, false), "\n") {
		if len([]rune(line)) > 130 && !strings.HasPrefix(line, "shape") && !strings.HasPrefix(line, "query") {
			t.Errorf("%s: line of %d characters: %s", r.Semantics, len([]rune(line)), line)
		}
	}
	if plans := written(t, r, true); !strings.Contains(plans, "plan after FuseSweeps\n") || !strings.Contains(plans, ":deg = row ") {
		t.Errorf("%s: the plans are not there:\n%s", r.Semantics, plans)
	}
	for _, plans := range []bool{false, true} {
		var out strings.Builder
		require.NoError(t, r.JSON(&out, plans))
		var back Report
		require.NoError(t, json.Unmarshal([]byte(out.String()), &back))
		if back.Semantics != r.Semantics || !reflect.DeepEqual(back.Degrees, r.Degrees) || back.Cost.SweepsAfter != r.Cost.SweepsAfter || (len(back.Plans) > 0) != plans {
			t.Errorf("read back with plans (%t) %+v", plans, back)
		}
	}
}
