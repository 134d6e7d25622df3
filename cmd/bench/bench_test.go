package bench

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
)

// run runs the program.
func run(ctx context.Context, args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = cli.Run(ctx, name, description, &commands{}, args, &out, &errs)
	return status, out.String(), errs.String()
}

func TestHelp(t *testing.T) {
	for command, want := range map[string]string{
		"": "Usage: bench <command>", "peer": "--engines", "tradeoff": "--exact-dir", "gpu": "--rank", "load": "--hostile",
	} {
		status, stdout, stderr := run(t.Context(), append(strings.Fields(command), "--help")...)
		if status != cli.StatusOK || !strings.Contains(stdout, want) {
			t.Errorf("bench %s --help: status %d, stdout lacks %q:\n%s%s", command, status, want, stdout, stderr)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{nil, cli.StatusUsage, "expected one of"},
		{[]string{"peers"}, cli.StatusUsage, "peers"},
		{[]string{"peer", "--limit", "0"}, cli.StatusUsage, "--limit: want 1 or more, not 0"},
		{[]string{"peer", "--types", "9p"}, cli.StatusUsage, `unknown shape "9p"`},
		{[]string{"tradeoff", "--cap", "0s"}, cli.StatusUsage, "--cap is 0s"},
		{[]string{"gpu", "--rank", "0"}, cli.StatusUsage, "--rank: want 1 or more, not 0"},
		{[]string{"load", "--clients", "8,0"}, cli.StatusUsage, "--clients: want 1 or more, not 0"},
		{[]string{"load", "--semantics", "fuzzy"}, cli.StatusUsage, "--semantics must be one of"},
		{[]string{"load", "--url", "http://127.0.0.1:1"}, cli.StatusFailure, "127.0.0.1:1"},
	} {
		status, stdout, stderr := run(t.Context(), c.args...)
		if status != c.status || stdout != "" || !strings.HasPrefix(stderr, "bench: ") || !strings.Contains(stderr, c.want) {
			t.Errorf("bench %q: status %d, stdout %q, stderr:\n%s\nwant status %d, stderr with %q", c.args, status, stdout, stderr, c.status, c.want)
		}
	}
}

func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if status, _, stderr := run(ctx, "load"); status != cli.StatusInterrupted || stderr != "bench: interrupted\n" {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
}
