package bench

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/cmd/internal/docs"
	"github.com/efoc/efoc/testdata/require"
)

// run runs the program.
func run(ctx context.Context, args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = cli.Run(ctx, name, description, &commands{}, args, &out, &errs)
	return status, out.String(), errs.String()
}

func TestHelp(t *testing.T) {
	for command, want := range map[string]string{
		"": "Usage: bench <command>", "peer": "--engines", "gpu": "--rank", "targets": "--queries",
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
		{[]string{"peer", "--shape", "9p"}, cli.StatusUsage, `unknown shape "9p"`},
		{[]string{"gpu", "--rank", "0"}, cli.StatusUsage, "--rank: want 1 or more, not 0"},
		{[]string{"peer", "--threads", "0"}, cli.StatusUsage, "--threads: want 1 or more, not 0"},
		{[]string{"targets", "x", "--semantics", "fuzzy"}, cli.StatusUsage, "--semantics must be one of"},
		{[]string{"targets", "x", "--url", "http://127.0.0.1:1"}, cli.StatusFailure, "127.0.0.1:1"},
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
	if status, _, stderr := run(ctx, "targets", "x"); status != cli.StatusInterrupted || stderr != "bench: interrupted\n" {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
}

// TestDocumented checks the arguments of every command of this program in the documentation.
func TestDocumented(t *testing.T) {
	const root = "../.."
	pages, err := docs.Read(root)
	require.NoError(t, err)
	checked := 0
	for _, p := range pages {
		scripts := slices.DeleteFunc(p.Spans, func(s string) bool { return !strings.HasPrefix(s, "go run ") })
		for _, b := range p.Blocks {
			if b.Language == "sh" || b.Language == "console" {
				scripts = append(scripts, b.Text)
			}
		}
		if !strings.Contains(strings.Join(scripts, "\n"), "cmd/bench/main.go") {
			continue
		}
		calls, err := docs.Calls(root, scripts...)
		require.NoError(t, err)
		for _, c := range calls {
			i := slices.Index(c.Args, "cmd/bench/main.go")
			if i < 0 {
				continue
			}
			parser, err := kong.New(&commands{}, kong.Exit(func(int) { t.Errorf("%s: %v ends the program", p.Path, c.Args) }))
			require.NoError(t, err)
			if _, err := parser.Parse(c.Args[i+1:]); err != nil {
				t.Errorf("%s: %s: %v", p.Path, strings.Join(c.Args, " "), err)
			}
			checked++
		}
	}
	if checked < 10 {
		t.Errorf("only %d commands were found", checked)
	}
}
