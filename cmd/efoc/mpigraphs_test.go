//go:build mpi && linux

package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/shared"
)

// realGraph is a graph with the settings of its golden answers.
type realGraph struct{ name, checkpoint, lambda, alpha string }

var realGraphs = []realGraph{
	{"fb15k-237", "complex256.pt", "0.3", "100"},
	{"nell995", "complex256.safetensors", "0.1", "1000"},
}

// TestMPIGraphs asks real queries of all 23 shapes, by all semantics, on 2 and 4 processes, and
// compares with one machine: the best answers in their order, with scores and statuses, and the
// ranks of true answers. Two runs give the same bytes.
func TestMPIGraphs(t *testing.T) {
	t.Setenv("EFOC_MODEL", "")
	graphs, each := long.Or(realGraphs, realGraphs[:1]), long.Or(10, 1)
	for _, g := range graphs {
		t.Run(g.name, func(t *testing.T) {
			ranksOf(t, 2, "") // skips the test without mpirun
			dir := shared.Dir(t, "data", g.name)
			temp := t.TempDir()
			model := filepath.Join(temp, g.name+".efoc")
			efoc(t, "import", dir, "-c", filepath.Join(dir, g.checkpoint), "-o", model, "--table", "float32",
				"--with", "lambda="+g.lambda, "--with", "alpha="+g.alpha, "--no-calibration").want(t, statusOK, "", "")
			some := drawQueries(shared.Queries(t, filepath.Join(dir, "queries-dev.jsonl")), each)
			j := &graphJob{model: model, temp: temp, folders: map[int]string{}}
			j.write(t, some)
			for _, n := range []int{2, 4} {
				j.folders[n] = filepath.Join(temp, fmt.Sprint(n))
				efoc(t, "split", model, "-n", fmt.Sprint(n), "-o", j.folders[n]).want(t, statusOK, "", "")
			}
			for _, semantics := range []string{"nsmp", "fit", "mixed"} {
				t.Run(semantics, func(t *testing.T) { j.compare(t, semantics, len(some)) })
			}
		})
	}
}

// drawQueries returns so many queries of each shape. Of a shape that there are none of, they
// have the names of others, drawn at random.
func drawQueries(all []shared.Query, each int) (some []shared.Query) {
	rng := rand.New(rand.NewPCG(19, uint64(each)))
	var slots []map[string]int32
	for _, q := range all {
		slots = append(slots, q.Slots)
	}
	for _, s := range benchmark.Shapes {
		list := slices.DeleteFunc(slices.Clone(all), func(q shared.Query) bool { return q.Type != s.Name })
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		for len(list) < each {
			hard := all[rng.IntN(len(all))].Hard[:1]
			list = append(list, shared.Query{Type: s.Name, Slots: shared.DrawSlots(rng, s.Formula, slots), Easy: []int32{}, Hard: hard})
		}
		some = append(some, list[:each]...)
	}
	return some
}

// graphJob is what there is to be asked.
type graphJob struct {
	model, temp string
	folders     map[int]string // split into so many shards
	rows        string         // for efoc answer
	templates   string         // a file
	queries     string         // a file for efoc eval
}

// write writes the queries for efoc answer and for efoc eval.
func (j *graphJob) write(t *testing.T, some []shared.Query) {
	t.Helper()
	j.templates = filepath.Join("..", "..", "codegen", "shapes", "shapes.efo")
	text, err := os.ReadFile(j.templates)
	require.NoError(t, err)
	template := map[string]string{}
	for _, m := range regexp.MustCompile(`// (\w+) is benchmark shape (\w+)\.`).FindAllStringSubmatch(string(text), -1) {
		template[m[2]] = m[1]
	}
	var rows, queries strings.Builder
	for _, q := range some {
		row, record := map[string]string{"query": template[q.Type]}, map[string]any{"type": q.Type, "easy": q.Easy, "hard": q.Hard}
		for slot, id := range q.Slots {
			row[slot], record[slot] = fmt.Sprint("#", id), id
		}
		for to, value := range map[*strings.Builder]any{&rows: row, &queries: record} {
			line, err := json.Marshal(value)
			require.NoError(t, err)
			fmt.Fprintf(to, "%s\n", line)
		}
	}
	j.rows = rows.String()
	j.queries = write(t, filepath.Join(j.temp, "queries.jsonl"), queries.String())
}

// compare asks all by one semantics.
func (j *graphJob) compare(t *testing.T, semantics string, count int) {
	answer := []string{"answer", j.templates, "-k", "20", "--semantics", semantics}
	want := efocInput(t, j.rows, append(answer, "--model", j.model)...)
	want.want(t, statusOK, "", "")
	wantEval := j.eval(t, semantics, "--model", j.model, func(args ...string) { efoc(t, args...).want(t, statusOK, "", "") })
	for _, n := range []int{2, 4} {
		run := func(stdin string, args ...string) string {
			t.Helper()
			cmd, stdout, stderr := ranksOf(t, n, stdin, args...)
			if err := cmd.Run(); err != nil {
				t.Fatalf("%d processes: %v: %s", n, err, stderr)
			}
			return stdout.String()
		}
		args := append(slices.Clone(answer), "--model", j.folders[n])
		got := run(j.rows, args...)
		if run(j.rows, args...) != got {
			t.Errorf("%d processes: two runs differ", n)
		}
		apart := sameRanking(t, got, want.stdout, count)
		gotEval := j.eval(t, semantics, "--model", j.folders[n], func(args ...string) { run("", args...) })
		differ := sameMetrics(t, gotEval, wantEval)
		t.Logf("%d processes, %s: %d queries; %d of their answers change places with others of the same score up to rounding, %d shapes differ in MRR by that", n, semantics, count, apart, differ)
	}
}

// eval evaluates, and returns the report.
func (j *graphJob) eval(t *testing.T, semantics, flag, of string, run func(args ...string)) *eval.Report {
	t.Helper()
	out := filepath.Join(t.TempDir(), "report.json")
	run("eval", j.queries, "--semantics", semantics, flag, of, "--json", out)
	return readReport(t, out)
}

// near is the tolerance of golden answers.
func near(got, want float32) bool {
	tolerance := 1e-9
	if want >= 1e-8 {
		tolerance = 1e-4 * float64(want)
	}
	return math.Abs(float64(got)-float64(want)) <= tolerance
}

// sameRanking compares lines of answers, within the tolerance of golden answers: entities may
// change places with those that have the same score up to that. It counts those that do.
func sameRanking(t *testing.T, got, want string, count int) (apart int) {
	t.Helper()
	x, y := answeredLines(t, got), answeredLines(t, want)
	if len(x) != count || len(y) != count {
		t.Fatalf("%d and %d lines, want %d", len(x), len(y), count)
	}
	for i := range y {
		if len(x[i].Answers) != len(y[i].Answers) || x[i].Error != "" || y[i].Error != "" {
			t.Fatalf("row %d has %+v, want %+v", i+1, x[i], y[i])
		}
		for k, b := range y[i].Answers {
			a := x[i].Answers[k]
			if a.ID != b.ID {
				apart++
			}
			if !near(a.Score, b.Score) || a.ID == b.ID && a.Status != b.Status {
				t.Errorf("row %d, %s: answer %d is %+v, want %+v", i+1, y[i].Input, k+1, a, b)
				break
			}
		}
	}
	return apart
}

// sameMetrics compares reports. Answers that change places change the rank of one query by
// little: the MRR of a shape may differ by 0.05 points. It counts those that do.
func sameMetrics(t *testing.T, got, want *eval.Report) (differ int) {
	t.Helper()
	x, y := got.Shapes, want.Shapes
	if len(x) != len(benchmark.Shapes) || len(y) != len(x) {
		t.Fatalf("%d and %d shapes, want %d", len(x), len(y), len(benchmark.Shapes))
	}
	for i, b := range y {
		a := x[i]
		if a.Name != b.Name || a.Queries != b.Queries || a.Answers != b.Answers || math.Abs(a.Metrics.MRR-b.Metrics.MRR) > 5e-4 {
			t.Errorf("%s: %d queries, %d answers, %+v, want %s: %d, %d, %+v", a.Name, a.Queries, a.Answers, a.Metrics, b.Name, b.Queries, b.Answers, b.Metrics)
		}
		if a.Metrics != b.Metrics {
			differ++
		}
	}
	return differ
}
