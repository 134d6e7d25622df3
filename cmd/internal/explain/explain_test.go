package explain

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/efoc/efoc/compiler/pass"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/plantext"
	"github.com/efoc/efoc/testdata/require"
)

var update = flag.Bool("update", false, "rewrite the expected reports")

// parse returns the query of a formula.
func parse(t *testing.T, formula string) *lang.Query {
	t.Helper()
	q, err := lang.ParseFormula(formula)
	require.NoError(t, err)
	return q
}

// report explains a formula.
func report(t *testing.T, formula string, layers int) *Report {
	t.Helper()
	r, err := New(stages.Analyze(parse(t, formula)), layers, model.NSMP)
	require.NoError(t, err)
	return r
}

// TestReports compares the text of each case with that of its file.
func TestReports(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			require.NoError(t, err)
			got := written(t, report(t, strings.TrimSpace(string(ar.Files[0].Data)), 0), false)
			if *update {
				ar.Files[1].Data = []byte(got)
				require.NoError(t, os.WriteFile(file, txtar.Format(ar), 0o644))
			} else if want := string(ar.Files[1].Data); got != want {
				t.Errorf("the text is\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// TestBenchmarkCost checks the figures that are published for the benchmark
// shapes, and what must hold of each report.
func TestBenchmarkCost(t *testing.T) {
	before, pruned, whole, after := 0, 0, 0, 0
	for _, s := range benchmark.Shapes {
		q, err := benchmark.Query(s.Name)
		require.NoError(t, err)
		r, err := New(stages.Analyze(q), 0, model.NSMP)
		require.NoError(t, err)
		if r.ShapeName != s.Name {
			t.Errorf("shape %s is named %q", s.Name, r.ShapeName)
		}
		c := r.Cost
		before += c.SweepsBefore
		whole += c.SweepsWhole
		after += c.SweepsAfter
		once := 0
		for _, step := range c.Steps {
			if step.Name == "PruneDead" {
				once = step.Sweeps
			}
		}
		pruned += once
		t.Logf("%-4s %3d -> %2d -> %d -> %d sweeps", s.Name, c.SweepsBefore, once, c.SweepsWhole, c.SweepsAfter)
		checkReport(t, r)
	}
	if before != 390 || pruned != 180 || whole > 90 || after != whole-21 || after > 55 {
		t.Errorf("sweeps of the entity table are %d, %d, %d, %d, want 390 before, 180 after PruneDead, at most 90 for whole rankings, "+
			"and 21 fewer and at most 55 for the best answers", before, pruned, whole, after)
	}
}

// checkReport compares parts of a report that must agree.
func checkReport(t *testing.T, r *Report) {
	t.Helper()
	last := r.Cost.Steps[len(r.Cost.Steps)-1]
	if r.Cost.Steps[0].Sweeps != r.Cost.SweepsBefore || last.Sweeps != r.Cost.SweepsAfter {
		t.Errorf("%s: steps %+v do not agree with %d -> %d sweeps", r.Shape, r.Cost.Steps, r.Cost.SweepsBefore, r.Cost.SweepsAfter)
	}
	sweepsBefore, sweepsAfter, scores := 0, 0, 0
	for _, o := range r.Cost.Ops {
		sweepsBefore += o.Before * o.Sweeps
		sweepsAfter += o.After * o.Sweeps
		if o.Name == "score" || o.Name == "loopscore" {
			scores += o.After
		}
	}
	// Operations share sweeps afterwards.
	if sweepsBefore != r.Cost.SweepsBefore || sweepsAfter < r.Cost.SweepsAfter {
		t.Errorf("%s: operations add up to %d and %d sweeps, want %d and no less than %d",
			r.Shape, sweepsBefore, sweepsAfter, r.Cost.SweepsBefore, r.Cost.SweepsAfter)
	}
	fused := r.Cost.Steps[len(r.Cost.Steps)-2]
	if last.Name != "DeferReadout" || fused.Name != "FuseSweeps" || fused.Sweeps != r.Cost.SweepsWhole || last.Sweeps > fused.Sweeps {
		t.Errorf("%s: steps %+v do not end with FuseSweeps, DeferReadout and fewer sweeps", r.Shape, r.Cost.Steps)
	}
	// Every message that is sent scores all entities once.
	if r.Cost.Messages.Sent != scores {
		t.Errorf("%s: %d messages are sent, but %d scores computed", r.Shape, r.Cost.Messages.Sent, scores)
	}
	for i, p := range r.Plans {
		plan, err := plantext.Parse(p.Text)
		if err != nil {
			t.Fatalf("%s: plan after %s: %v", r.Shape, p.After, err)
		}
		if i == len(r.Cost.Steps) { // for small tables alone
			if !strings.HasPrefix(p.After, pass.Fuse.Name) || plan.Sweeps() != r.Cost.SweepsWhole {
				t.Errorf("%s: the plan after %s makes %d loops, want %d", r.Shape, p.After, plan.Sweeps(), r.Cost.SweepsWhole)
			}
			continue
		}
		if p.After != r.Cost.Steps[i].Name || len(plan.Values) != r.Cost.Steps[i].Values || plan.Sweeps() != r.Cost.Steps[i].Sweeps {
			t.Errorf("%s: plan after %s does not agree with step %+v", r.Shape, p.After, r.Cost.Steps[i])
		}
	}
	for _, d := range r.Disjuncts {
		if len(d.Layers) != d.L {
			t.Errorf("%s: %d layers, want %d", r.Shape, len(d.Layers), d.L)
		}
		for _, l := range d.Layers {
			for _, m := range l.Messages {
				if (m.State == Shared) != (m.SharedWith != nil) {
					t.Errorf("%s: message %+v", r.Shape, m)
				}
			}
		}
	}
}

func TestTextManyLayers(t *testing.T) {
	text := written(t, report(t, `r("a", y)`, 20), false)
	for _, want := range []string{"L = 20 layers (as asked for; D+1 is 2)", "layer 8\n", "layer 20\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("text lacks %q:\n%s", want, text)
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		if len([]rune(line)) > 130 {
			t.Errorf("line of %d characters: %s", len([]rune(line)), line)
		}
	}
}

func TestNewErrors(t *testing.T) {
	for _, c := range []struct {
		formula string
		layers  int
		want    string
	}{
		{`r("a", y)`, -1, "layers is -1"},
		{`r("a", y)`, 1000, "layers is 1000"},
		{`exists x. r("a", x) & s(x, y)`, 1, "choose 2 or more"},
	} {
		_, err := New(stages.Analyze(parse(t, c.formula)), c.layers, model.NSMP)
		var refused stages.RefusedError
		if !errors.As(err, &refused) || !strings.Contains(refused.Render(), c.want) {
			t.Errorf("New(%s, %d): error %v, want %q", c.formula, c.layers, err, c.want)
		}
	}
}

// TestEntityTable checks what explain says of tables of several sizes, on a machine with a cache of 1 MB.
func TestEntityTable(t *testing.T) {
	r, err := New(stages.Analyze(parse(t, `exists x. r("a", x) & s(x, y)`)), 0, model.NSMP)
	require.NoError(t, err)
	for _, c := range []struct {
		table Table
		want  string
	}{
		{Table{Rows: 273, Width: 64, SweepBytes: 69_888, Access: plan.Exact},
			"273 × 64, fits in the second-level cache of 1 MB: float rows, exact sums, one more sweep for the best answers\n" +
				"  a sweep reads 69.9 kB, and the best answers take 5 sweeps\n"},
		{Table{Rows: 9000, Width: 128, SweepBytes: 1_188_000, Access: plan.Access{}},
			"9000 × 128, takes less than twice the second-level cache of 1 MB: codes, exact sums, one more sweep for the best answers\n" +
				"  a sweep reads 1.19 MB, and the best answers take 5 sweeps\n"},
		{Table{Rows: 14_505, Width: 512, SweepBytes: 7_484_580, Access: plan.Access{Estimates: true, Bounds: true}},
			"14505 × 512, takes more than twice the second-level cache of 1 MB: codes, estimated sums, bounds for the best answers\n" +
				"  a sweep reads 7.48 MB, and the best answers take 2 sweeps\n"},
	} {
		c.table.CacheBytes = 1_000_000
		r.Cost.Table = &c.table
		if text := written(t, r, false); !strings.Contains(text, "the model's entity table, "+c.want) {
			t.Errorf("want %q in\n%s", c.want, text)
		}
	}
}
