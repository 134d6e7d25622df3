package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/devcmd"
	"github.com/efoc/efoc/cmd/internal/peer/peertest"
)

func TestMain(m *testing.M) { peertest.Main(m) }

// peerbench runs the program with this test as Python.
func peerbench(t *testing.T, ctx context.Context, how string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	t.Setenv(peertest.Fake, how)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	status = devcmd.Run(ctx, name, description, &options{}, append([]string{"--python", self}, args...), &out, &errs)
	return status, out.String(), errs.String()
}

func TestRun(t *testing.T) {
	dir := peertest.Towns(t)
	common := []string{"--shared", dir, "--graph", "towns", "--types", "1p,2il", "--rounds", "2", "--engines", "compiled,interp,layers"}
	for format, want := range map[string][]string{
		"table":    {"towns (5 entities, rank 4)", " 1p ", " 2il ", " mean ", " median ", "compiled"},
		"markdown": {"| shape | peer | compiled | ratio |", "| 2il |"},
	} {
		status, stdout, stderr := peerbench(t, context.Background(), "well", append(common, "--format", format)...)
		for _, w := range want {
			if status != devcmd.StatusOK || !strings.Contains(stdout, w) {
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
	dir := peertest.Towns(t)
	towns := []string{"--shared", dir, "--graph", "towns"}
	for _, c := range []struct {
		how    string
		args   []string
		status int
		want   string
	}{
		{"well", []string{"--limit", "0"}, devcmd.StatusUsage, "--limit is 0"},
		{"well", []string{"--threads", "0"}, devcmd.StatusUsage, "--threads is 0"},
		{"well", []string{"--rounds=-1"}, devcmd.StatusUsage, "--rounds is -1"},
		{"well", []string{"--engines", "fast"}, devcmd.StatusUsage, `there is no "fast"`},
		{"well", []string{"--types", "9p"}, devcmd.StatusUsage, `unknown shape "9p"`},
		{"well", []string{"--format", "xml"}, devcmd.StatusUsage, "must be one of"},
		{"well", []string{"--shared", filepath.Join(dir, "missing")}, devcmd.StatusFailure, "EFOC_SHARED"},
		{"well", append(towns, "--types", "3p"), devcmd.StatusFailure, "has no queries of shape 3p"},
		{"well", append(towns, "--types", "1p", "--checkpoint", "missing.pt"), devcmd.StatusFailure, "missing.pt"},
		{"wrong", append(towns, "--types", "1p"), devcmd.StatusFailure, "shape 1p: engine compiled and the peer differ on entity 0"},
		{"silent", append(towns, "--types", "1p"), devcmd.StatusFailure, "has no times"},
		{"broken", append(towns, "--types", "1p"), devcmd.StatusFailure, "no such tensor"},
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
	status, _, stderr := peerbench(t, ctx, "well", "--shared", peertest.Towns(t), "--graph", "towns", "--types", "1p")
	if status != devcmd.StatusInterrupted || !strings.Contains(stderr, "interrupted") {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
}

func TestHelp(t *testing.T) {
	status, stdout, _ := peerbench(t, context.Background(), "well", "--help")
	if status != devcmd.StatusOK || !strings.Contains(stdout, "--threads") {
		t.Errorf("status %d:\n%s", status, stdout)
	}
}

// TestHalfWidth checks that other answers are no error where they are expected.
func TestHalfWidth(t *testing.T) {
	args := []string{"--shared", peertest.Towns(t), "--graph", "towns", "--types", "1p", "--rounds", "1", "--table", "bfloat16"}
	for how, want := range map[string]string{"well": "table: bfloat16\n", "wrong": "table: bfloat16 (answers differ)\n"} {
		status, stdout, stderr := peerbench(t, context.Background(), how, args...)
		if status != devcmd.StatusOK || !strings.Contains(stdout, want) {
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
