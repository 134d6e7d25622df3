package compare

import (
	"context"
	"encoding/csv"
	"encoding/xml"
	"image/png"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
)

// tradeoff runs the command with this test as Python.
func tradeoff(t *testing.T, ctx context.Context, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	return runFake(t, ctx, "well", &Tradeoff{}, args...)
}

// records reads a CSV file, by graph, series, candidates and shape, or group.
func records(t *testing.T, path string) map[string]map[string]float64 {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]map[string]float64{}
	for _, r := range all[1:] {
		values := map[string]float64{}
		for i, name := range all[0] {
			if v, err := strconv.ParseFloat(r[i], 64); err == nil {
				values[name] = v
			}
		}
		place := r[4]
		if place == "" {
			place = r[3]
		}
		found[strings.Join([]string{r[0], r[1], r[2], place}, "/")] = values
	}
	return found
}

// TestRun measures the made-up towns: what one knows of the answers shows in all files.
func TestTradeoff(t *testing.T) {
	dir := t.TempDir()
	file, svg, picture := filepath.Join(dir, "t.csv"), filepath.Join(dir, "t.svg"), filepath.Join(dir, "t.png")
	status, stdout, stderr := tradeoff(t, context.Background(), "--shared", towns(t), "--graph", "towns", "--rounds", "2", "--candidates", "1,5",
		"--csv", file, "--plot", svg+","+picture)
	if status != cli.StatusOK {
		t.Fatalf("status %d:\n%s", status, stderr)
	}
	for _, want := range []string{"towns (5 entities, rank 4)", "\nFIT, bounded, K = 5 ", "\nmixed, K = 1 ", "\nNSMP, PyTorch ", "AVG.(P), 1 of 9 shapes"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("the table lacks %q:\n%s", want, stdout)
		}
	}
	for _, want := range []string{"round 2 of 2: NSMP, compiled", "without FIT, PyTorch, which does not read model.safetensors"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("stderr lacks %q:\n%s", want, stderr)
		}
	}
	r := records(t, file)
	for _, place := range []string{"1p", "2il", "P", "F"} {
		// Engines differ in time alone.
		a, b := r["towns/NSMP, layers/0/"+place], r["towns/NSMP, compiled/0/"+place]
		if a == nil || b == nil || a["mrr"] != b["mrr"] || a["mrr"] <= 0 || a["ms"] <= 0 || b["ms"] <= 0 || a["rounds"] != 2 {
			t.Errorf("%s: %v of the layers and %v compiled", place, a, b)
		}
	}
	// The peer says 10 and a millisecond of every shape.
	if x := r["towns/NSMP, PyTorch/0/F"]; x["mrr"] != 10 || x["ms"] != 1 || x["queries"] != 2 {
		t.Errorf("the peer's figures are %v", x)
	}
	text, err := os.ReadFile(svg)
	if err != nil || !strings.Contains(string(text), "AVG.(F), 1 of 10 shapes") {
		t.Errorf("the picture lacks its texts: %v", err)
	}
	if err := xml.Unmarshal(text, new(struct{})); err != nil {
		t.Errorf("the picture is not XML: %v", err)
	}
	f, err := os.Open(picture)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := png.Decode(f); err != nil {
		t.Error(err)
	}
}

// TestCap checks that queries that take too long are counted, and have no MRR.
func TestCap(t *testing.T) {
	file := filepath.Join(t.TempDir(), "t.csv")
	status, stdout, stderr := tradeoff(t, context.Background(), "--shared", towns(t), "--graph", "towns", "--types", "2il", "--rounds", "1",
		"--leave-out", "nsmp,mixed,pytorch", "--candidates", "5", "--cap", "1ns", "--csv", file, "--plot", filepath.Join(t.TempDir(), "t.svg"))
	if status != cli.StatusOK || !strings.Contains(stdout, " ≥ 0.00  ≥ 0.00, 2 of 2 stopped") {
		t.Errorf("status %d:\n%s%s", status, stdout, stderr)
	}
	if x := records(t, file)["towns/FIT, bounded/5/2il"]; x["stopped"] != 2 || x["mrr"] != 0 || x["ms"] != 1e-6 {
		t.Errorf("figures are %v", x)
	}
}

func TestTradeoffErrors(t *testing.T) {
	dir := towns(t)
	common := []string{"--shared", dir, "--graph", "towns"}
	dev := filepath.Join(dir, "data", "towns", "queries-dev.jsonl")
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"--limit", "0"}, cli.StatusUsage, "--limit: want 1 or more, not 0"},
		{[]string{"--rounds", "0"}, cli.StatusUsage, "--rounds: want 1 or more, not 0"},
		{[]string{"--candidates", "4,0"}, cli.StatusUsage, "--candidates: want 1 or more, not 0"},
		{[]string{"--cap", "0s"}, cli.StatusUsage, "--cap is 0s"},
		{[]string{"--engines", "fast"}, cli.StatusUsage, `--engines must be one of "layers","interpreted","compiled" but got "fast"`},
		{[]string{"--leave-out", "fast"}, cli.StatusUsage, `--leave-out must be one of "nsmp","fit","mixed","pytorch" but got "fast"`},
		{[]string{"--types", "9p"}, cli.StatusUsage, `unknown shape "9p"`},
		{[]string{"--queries", "mars=a.jsonl"}, cli.StatusUsage, "want one of the graphs"},
		{[]string{"--plot", "a.gif"}, cli.StatusUsage, "want a name that ends in .svg or .png"},
		{[]string{"--shared", filepath.Join(dir, "missing")}, cli.StatusFailure, "EFOC_SHARED"},
		{append(common, "--types", "3p"), cli.StatusFailure, "has no queries of shapes 3p"},
		{append(common, "--queries", "towns="+dev, "--queries", "towns="+dev), cli.StatusFailure, "another file has queries of shape 1p too"},
	} {
		status, stdout, stderr := tradeoff(t, context.Background(), c.args...)
		if status != c.status || !strings.Contains(stderr, c.want) || stdout != "" {
			t.Errorf("%q: status %d, stdout %q, stderr:\n%s\nwant status %d, stderr with %q", c.args, status, stdout, stderr, c.status, c.want)
		}
	}
}

func TestTradeoffInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	status, _, stderr := tradeoff(t, ctx, "--shared", towns(t), "--graph", "towns")
	if status != cli.StatusInterrupted || !strings.Contains(stderr, "interrupted") {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
}

// TestThin checks that labels that lie on others are left out.
func TestThin(t *testing.T) {
	// The first and the last stay, whatever is between them.
	labels := []string{"1", "4", "8", "16", "32", "64"}
	thin(plotter.XYs{{X: 1, Y: 5}, {X: 1.05, Y: 5}, {X: 1.05, Y: 9}, {X: 3, Y: 5}, {X: 9, Y: 5}, {X: 9.1, Y: 5}}, labels, 2, 10)
	if want := "1,,8,16,,64"; strings.Join(labels, ",") != want {
		t.Errorf("labels are %q, want %s", labels, want)
	}
}

func TestTimeTicks(t *testing.T) {
	var labels []string
	for _, tick := range (timeTicks{}).Ticks(0.1, 1e4) {
		if tick.Label != "" {
			labels = append(labels, tick.Label)
		}
	}
	if want := "0.1 ms,1 ms,10 ms,100 ms,1 s,10 s"; strings.Join(labels, ",") != want {
		t.Errorf("labels are %q, want %s", labels, want)
	}
}

// TestAverage works the means over shapes out by hand.
func TestAverage(t *testing.T) {
	x := row{Shapes: []point{
		{Group: "P", Shape: "1p", Queries: 2, MRR: 10}, {Group: "F", Shape: "3c", Queries: 2, MRR: 50}, {Group: "P", Shape: "2p", Queries: 2, MRR: 30, Stopped: 1},
	}}
	x.average([]result{{milliseconds: []float64{1, 2, 9}}, {milliseconds: []float64{7, 7, 7}}, {milliseconds: []float64{3, 2, 5}}})
	p := x.group("P")
	if p == nil || p.Shapes != 2 || p.Queries != 4 || p.Stopped != 1 || p.MRR != 20 || p.Milliseconds.Median != 2 || p.Milliseconds.Max != 7 {
		t.Errorf("mean is %+v", p)
	}
	if x.group("N") != nil {
		t.Error("there is a mean of no shapes")
	}
}
