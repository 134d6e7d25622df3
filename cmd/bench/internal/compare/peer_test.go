package compare

import (
	"context"
	"encoding/json"
	"path/filepath"
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
	common := []string{"--shared", dir, "--graph", "towns", "--types", "1p,2il", "--rounds", "2", "--engines", "compiled,interpreted,layers"}
	for format, want := range map[string][]string{
		"table":    {"towns (5 entities, rank 4)", "\n1p ", "\n2il ", "\nmean ", "\nmedian ", "compiled"},
		"markdown": {"| shape | peer | compiled | ratio |", "| 2il |"},
	} {
		status, stdout, stderr := peer(t, context.Background(), "well", append(common, "--format", format)...)
		for _, w := range want {
			if status != cli.StatusOK || !strings.Contains(stdout, w) {
				t.Errorf("status %d, %s lacks %q:\n%s%s", status, format, w, stdout, stderr)
			}
		}
		if !strings.Contains(stderr, "round 2 of 2") {
			t.Errorf("no progress:\n%s", stderr)
		}
	}
	_, stdout, _ := peer(t, context.Background(), "well", append(common, "--format", "json")...)
	var r speeds
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Shapes) != 2 || r.Shapes[1].Shape != "2il" || len(r.Shapes[1].Efoc) != 3 || r.Shapes[1].Efoc[0].Count != 2 ||
		r.Shapes[0].Peer.Median != 1 || r.Mean.Peer.Median != 1 || len(r.Median) != 3 || r.Shapes[0].Best[2] <= 0 {
		t.Errorf("read %+v", r)
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
		{"well", []string{"--rounds=-1"}, cli.StatusUsage, "--rounds: want 1 or more, not -1"},
		{"well", []string{"--engines", "fast"}, cli.StatusUsage, `--engines must be one of "compiled","interpreted","layers" but got "fast"`},
		{"well", []string{"--types", "9p"}, cli.StatusUsage, `unknown shape "9p"`},
		{"well", []string{"--format", "xml"}, cli.StatusUsage, "must be one of"},
		{"well", []string{"--shared", filepath.Join(dir, "missing")}, cli.StatusFailure, "EFOC_SHARED"},
		{"well", append(common, "--types", "3p"), cli.StatusFailure, "has no queries of shapes 3p"},
		{"well", append(common, "--types", "1p", "--checkpoint", "missing.pt"), cli.StatusFailure, "missing.pt"},
		{"wrong", append(common, "--types", "1p"), cli.StatusFailure, "shape 1p: engine compiled and the peer differ on entity 0"},
		{"silent", append(common, "--types", "1p"), cli.StatusFailure, "has no times"},
		{"broken", append(common, "--types", "1p"), cli.StatusFailure, "no such tensor"},
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
	status, _, stderr := peer(t, ctx, "well", "--shared", towns(t), "--graph", "towns", "--types", "1p")
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

// TestHalfWidth checks that different answers are not an error where they are
// expected.
func TestHalfWidth(t *testing.T) {
	args := []string{"--shared", towns(t), "--graph", "towns", "--types", "1p", "--rounds", "1", "--table", "bfloat16"}
	for how, want := range map[string]string{"well": "table: bfloat16\n", "wrong": "table: bfloat16 (answers differ)\n"} {
		status, stdout, stderr := peer(t, context.Background(), how, args...)
		if status != cli.StatusOK || !strings.Contains(stdout, want) {
			t.Errorf("%s: status %d, stdout lacks %q:\n%s%s", how, status, want, stdout, stderr)
		}
	}
}

// TestSpeeds works the sums out by hand.
func TestSpeeds(t *testing.T) {
	x := speedRow{Shape: "2p"}
	x.Peer.Min = 8
	x.add([]float64{8, 12}, []float64{2, 4})
	if x.Efoc[0].Median != 3 || x.Ratios[0].Median != 3.5 || x.Ratios[0].Min != 3 || x.Ratios[0].Max != 4 || x.Best[0] != 4 {
		t.Errorf("row is %+v", x)
	}
}
