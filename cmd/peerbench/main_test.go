package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/peer"
	"github.com/efoc/efoc/runtime/safetensors"
)

// fake is the environment variable that makes the test binary play the peer, and
// says how: well, wrong (other answers), silent (no times) or broken.
const fake = "PEERBENCH_FAKE"

func TestMain(m *testing.M) {
	if how := os.Getenv(fake); how != "" && len(os.Args) > 2 {
		os.Exit(playPeer(how, os.Args))
	}
	os.Exit(m.Run())
}

// playPeer is called as Python is: with -c, or with the program and its
// arguments. It takes a millisecond a query, by its own account.
func playPeer(how string, args []string) int {
	if args[1] == "-c" {
		return 0
	}
	if how == "broken" {
		fmt.Fprintln(os.Stderr, "Traceback: no such tensor")
		return 1
	}
	text, err := os.ReadFile(args[4])
	if err != nil {
		return 2
	}
	var types []string
	for line := range strings.Lines(string(text)) {
		var q struct{ Type string }
		if json.Unmarshal([]byte(line), &q) == nil && !slices.Contains(types, q.Type) {
			types = append(types, q.Type)
		}
	}
	answers := []peer.Answered{}
	for _, typ := range types {
		if how != "silent" {
			fmt.Printf("%-5s n=    1 MRR  10.0     1.00 ms/query\n", typ)
		}
		a := peer.Answered{Type: typ, Top: [][2]float64{}}
		if how == "wrong" {
			a.Top = append(a.Top, [2]float64{0, 0.987})
		}
		answers = append(answers, a)
	}
	out, err := json.Marshal(answers)
	if err != nil || os.WriteFile(args[slices.Index(args, "--dump")+1], out, 0o600) != nil {
		return 2
	}
	return 0
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// townsFolder makes a folder of inputs with a graph of five towns.
func townsFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	towns := filepath.Join(dir, "data", "towns")
	write(t, filepath.Join(dir, "peer", "nsmp_torch.py"), "")
	write(t, filepath.Join(towns, "entities.tsv"), "0\tash\n1\tbirch\n2\tcedar\n3\tdale\n4\telm\n")
	write(t, filepath.Join(towns, "relations.tsv"), "0\troad\n1\ttwin\n")
	write(t, filepath.Join(towns, "train.tsv"), "ash\troad\tbirch\nbirch\troad\tcedar\ncedar\troad\tdale\nash\ttwin\tdale\n")
	write(t, filepath.Join(towns, "queries-dev.jsonl"), `{"type":"1p","s1":0,"r1":0,"easy":[1],"hard":[2]}
{"type":"2il","s1":0,"r1":0,"r2":3,"easy":[1],"hard":[2]}
{"type":"2il","s1":1,"r1":0,"r2":1,"easy":[1],"hard":[2]}
`)
	noise := rand.New(rand.NewPCG(1, 2))
	table := func(rows, width int) []float32 {
		values := make([]float32, rows*width)
		for i := range values {
			values[i] = float32(noise.NormFloat64()) / 10
		}
		return values
	}
	var b bytes.Buffer
	err := safetensors.Write(&b, nil, []safetensors.Tensor{
		safetensors.FromFloat32s("embeddings.0.weight", table(5, 8), 5, 8),
		safetensors.FromFloat32s("embeddings.1.weight", table(4, 8), 4, 8),
	})
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(towns, "model.safetensors"), b.String())
	return dir
}

// peerbench runs the program with this test as Python.
func peerbench(t *testing.T, ctx context.Context, how string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	t.Setenv(fake, how)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	status = run(ctx, append([]string{"--python", self}, args...), &out, &errs)
	return status, out.String(), errs.String()
}

func TestRun(t *testing.T) {
	dir := townsFolder(t)
	common := []string{"--shared", dir, "--graph", "towns", "--types", "1p,2il", "--rounds", "2", "--engines", "compiled,interp,layers"}
	for format, want := range map[string][]string{
		"table":    {"towns (5 entities, rank 4)", " 1p ", " 2il ", " mean ", " median ", "compiled"},
		"markdown": {"| shape | peer | compiled | ratio |", "| 2il |"},
	} {
		status, stdout, stderr := peerbench(t, context.Background(), "well", append(common, "--format", format)...)
		for _, w := range want {
			if status != statusOK || !strings.Contains(stdout, w) {
				t.Errorf("status %d, %s lacks %q:\n%s%s", status, format, w, stdout, stderr)
			}
		}
		if !strings.Contains(stderr, "round 2 of 2") {
			t.Errorf("no progress:\n%s", stderr)
		}
	}
	_, stdout, _ := peerbench(t, context.Background(), "well", append(common, "--format", "json")...)
	var r report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Shapes) != 2 || r.Shapes[1].Shape != "2il" || len(r.Shapes[1].Efoc) != 3 || r.Shapes[1].Efoc[0].Count != 2 ||
		r.Shapes[0].Peer.Median != 1 || r.Mean.Peer.Median != 1 || len(r.Median) != 3 || r.Shapes[0].Best[2] <= 0 {
		t.Errorf("read %+v", r)
	}
}

func TestRunErrors(t *testing.T) {
	dir := townsFolder(t)
	towns := []string{"--shared", dir, "--graph", "towns"}
	for _, c := range []struct {
		how    string
		args   []string
		status int
		want   string
	}{
		{"well", []string{"--limit", "0"}, statusUsage, "--limit is 0"},
		{"well", []string{"--threads", "0"}, statusUsage, "--threads is 0"},
		{"well", []string{"--rounds=-1"}, statusUsage, "--rounds is -1"},
		{"well", []string{"--engines", "fast"}, statusUsage, `there is no "fast"`},
		{"well", []string{"--types", "9p"}, statusUsage, `unknown shape "9p"`},
		{"well", []string{"--format", "xml"}, statusUsage, "must be one of"},
		{"well", []string{"--shared", filepath.Join(dir, "missing")}, statusFailure, "EFOC_SHARED"},
		{"well", append(towns, "--types", "3p"), statusFailure, "has no queries of shape 3p"},
		{"well", append(towns, "--types", "1p", "--checkpoint", "missing.pt"), statusFailure, "missing.pt"},
		{"wrong", append(towns, "--types", "1p"), statusFailure, "shape 1p: engine compiled and the peer differ on entity 0"},
		{"silent", append(towns, "--types", "1p"), statusFailure, "has no times"},
		{"broken", append(towns, "--types", "1p"), statusFailure, "no such tensor"},
	} {
		status, stdout, stderr := peerbench(t, context.Background(), c.how, c.args...)
		if status != c.status || !strings.Contains(stderr, c.want) || stdout != "" {
			t.Errorf("%s %q: status %d, stdout %q, stderr:\n%s\nwant status %d, stderr with %q", c.how, c.args, status, stdout, stderr, c.status, c.want)
		}
	}
}

func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	status, _, stderr := peerbench(t, ctx, "well", "--shared", townsFolder(t), "--graph", "towns", "--types", "1p")
	if status != statusInterrupted || !strings.Contains(stderr, "interrupted") {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
}

func TestHelp(t *testing.T) {
	status, stdout, _ := peerbench(t, context.Background(), "well", "--help")
	if status != statusOK || !strings.Contains(stdout, "--threads") {
		t.Errorf("status %d:\n%s", status, stdout)
	}
}

// TestHalfWidth checks that other answers are no error where they are expected.
func TestHalfWidth(t *testing.T) {
	args := []string{"--shared", townsFolder(t), "--graph", "towns", "--types", "1p", "--rounds", "1", "--table", "bfloat16"}
	for how, want := range map[string]string{"well": "table: bfloat16\n", "wrong": "table: bfloat16 (answers differ)\n"} {
		status, stdout, stderr := peerbench(t, context.Background(), how, args...)
		if status != statusOK || !strings.Contains(stdout, want) {
			t.Errorf("%s: status %d, stdout lacks %q:\n%s%s", how, status, want, stdout, stderr)
		}
	}
}

// TestReport works the sums out by hand.
func TestReport(t *testing.T) {
	x := row{Shape: "2p"}
	x.Peer.Min = 8
	x.add([]float64{8, 12}, []float64{2, 4})
	if x.Efoc[0].Median != 3 || x.Ratios[0].Median != 3.5 || x.Ratios[0].Min != 3 || x.Ratios[0].Max != 4 || x.Best[0] != 4 {
		t.Errorf("row is %+v", x)
	}
}
