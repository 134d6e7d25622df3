package compare

import (
	"context"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
)

// peer runs the command with this test as Python.
func peer(t *testing.T, ctx context.Context, how string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	return runFake(t, ctx, how, &Peer{}, args...)
}

func TestPeer(t *testing.T) {
	dir := towns(t)
	common := []string{"--shared", dir, "--graph", "towns", "--shape", "all", "--rounds", "2"}
	status, stdout, stderr := peer(t, context.Background(), "well", common...)
	text := regexp.MustCompile(" +").ReplaceAllString(stdout, " ")
	for _, want := range []string{
		"towns (5 entities, rank 4)", "PyTorch 2.99.0", "\nmean of ratios ", "\nsmallest ratio ",
		"threads: 1,",
		"\nshape PyTorch mode compiled ratio 10 best ratio 10 best, default semantics ratio layers ratio\n",
		"\n1p 0.50 compile ", "\n2il 0.80 bf16 ", "\nmean 0.65 ",
	} {
		if status != cli.StatusOK || !strings.Contains(text, want) {
			t.Errorf("status %d, output lacks %q:\n%s%s", status, want, text, stderr)
		}
	}
	if !strings.Contains(stderr, "round 2 of 2: compile+bf16\n") {
		t.Errorf("no progress:\n%s", stderr)
	}
	_, stdout, _ = peer(t, context.Background(), "well", append(common, "--threads", "2", "--leave-out", "compile,compile+bf16")...)
	text = regexp.MustCompile(" +").ReplaceAllString(stdout, " ")
	for want, there := range map[string]bool{"threads: 1,": false, "\n1p 0.80 bf16 ": true, "\nmean 0.80 ": true} {
		if strings.Contains(text, want) != there {
			t.Errorf("%q in the output: %v, want %v:\n%s", want, !there, there, text)
		}
	}
}

func TestPeerErrors(t *testing.T) {
	dir := towns(t)
	common := []string{"--shared", dir, "--graph", "towns"}
	for _, c := range []struct {
		how    string
		args   []string
		status int
		want   string
	}{
		{"well", []string{"--limit", "0"}, cli.StatusUsage, "--limit: want 1 or more, not 0"},
		{"well", []string{"--threads", "0"}, cli.StatusUsage, "--threads: want 1 or more, not 0"},
		{"well", []string{"--table", "int3"}, cli.StatusUsage, `--table: unknown table type "int3"`},
		{"well", []string{"--leave-out", "eager"}, cli.StatusUsage, `--leave-out must be one of "compile","bf16","compile+bf16" but got "eager"`},
		{"well", []string{"--rounds=-1"}, cli.StatusUsage, "--rounds: want 1 or more, not -1"},
		{"well", []string{"--shape", "9p"}, cli.StatusUsage, `unknown shape "9p"`},
		{"well", []string{"--shared", filepath.Join(dir, "missing")}, cli.StatusFailure, "EFOC_SHARED"},
		{"well", append(common, "--shape", "3p"), cli.StatusFailure, "has no queries of shapes 3p"},
		{"well", append(common, "--shape", "1p", "--checkpoint", "missing.pt"), cli.StatusFailure, "missing.pt"},
		{"wrong", append(common, "--shape", "1p", "--table", "float32"), cli.StatusFailure, "shape 1p: engine compiled and the peer differ on entity 0"},
		{"silent", append(common, "--shape", "1p"), cli.StatusFailure, "has no times"},
		{"broken", append(common, "--shape", "1p"), cli.StatusFailure, "no such tensor"},
	} {
		status, stdout, stderr := peer(t, context.Background(), c.how, c.args...)
		if status != c.status || !strings.Contains(stderr, c.want) || stdout != "" {
			t.Errorf("%s %q: status %d, stdout %q, stderr:\n%s\nwant status %d, stderr with %q", c.how, c.args, status, stdout, stderr, c.status, c.want)
		}
	}
}

func TestPeerInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	status, _, stderr := peer(t, ctx, "well", "--shared", towns(t), "--graph", "towns", "--shape", "1p")
	if status != cli.StatusInterrupted || !strings.Contains(stderr, "interrupted") {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
}

func TestPeerHelp(t *testing.T) {
	status, stdout, _ := peer(t, context.Background(), "well", "--help")
	if status != cli.StatusOK || !strings.Contains(stdout, "--threads") {
		t.Errorf("status %d:\n%s", status, stdout)
	}
}

// TestCodes checks that different answers are not an error where they are
// expected.
func TestCodes(t *testing.T) {
	args := []string{"--shared", towns(t), "--graph", "towns", "--shape", "1p", "--rounds", "1", "--threads", "1", "--table", "int8"}
	for how, want := range map[string]string{"well": "table: int8, ", "wrong": "table: int8 (answers differ), "} {
		status, stdout, stderr := peer(t, context.Background(), how, args...)
		if status != cli.StatusOK || !strings.Contains(stdout, want) {
			t.Errorf("%s: status %d, stdout lacks %q:\n%s%s", how, status, want, stdout, stderr)
		}
	}
}

// TestSpeeds works the figures out by hand: the fastest mode of a shape has the least
// median, though another was faster in a round.
func TestSpeeds(t *testing.T) {
	r := speeds{modes: []string{"eager", "bf16"}, engines: []string{"compiled", "layers"}}
	r.sum([]string{"1p", "2p"},
		[][][]float64{{{8, 8, 2}, {12, 10, 11}}, {{6, 7, 9}, {20, 16, 1}}},
		[][][]float64{{{2, 2, 3}, {4, 5, 11}}, {{6, 8, 6}, {4, 10, 22}}},
	)
	one, two := r.shapes[0], r.shapes[1]
	if one.mode != "bf16" || one.peer != 7 || two.mode != "eager" || two.peer != 11 {
		t.Errorf("modes are %+v", r.shapes)
	}
	// Of 1p the ratios are 3, 3.5 and 3, of 2p 3, 2 and 1.
	if one.ratios[0] != 3 || one.efoc[0] != 2 || two.ratios[0] != 2 {
		t.Errorf("ratios are %v and %v", one.ratios, two.ratios)
	}
	if r.meanRatios[0] != 2.5 || r.leastRatios[0] != 2 || r.meanRatios[1] != 1 || r.leastRatios[1] != 1 {
		t.Errorf("mean ratios are %v, the least %v", r.meanRatios, r.leastRatios)
	}
	// The rounds' means are 9, 8.5 and 10 of PyTorch, 3, 3.5 and 7 of the compiled plans.
	if m := r.mean; m.peer != 9 || m.efoc[0] != 3.5 || m.ratios[0] != 8.5/3.5 {
		t.Errorf("means are %+v", m)
	}
}
