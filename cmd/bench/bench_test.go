package main

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
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
		"": "Usage: bench <command>", "peer": "--leave-out", "graph": "--rank", "anycq": "--accept",
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
		{[]string{"graph", "x", "--facts", "0"}, cli.StatusUsage, "--facts: want 1 or more, not 0"},
		{[]string{"peer", "--threads", "0"}, cli.StatusUsage, "--threads: want 1 or more, not 0"},
		{[]string{"anycq", "x", "--model", "m", "--accept", "2"}, cli.StatusUsage, "--accept is 2"},
		{[]string{"graph", "/dev/null/x"}, cli.StatusFailure, "/dev/null"},
	} {
		status, stdout, stderr := run(t.Context(), c.args...)
		if status != c.status || stdout != "" || !strings.HasPrefix(stderr, "bench: ") || !strings.Contains(stderr, c.want) {
			t.Errorf("bench %q: status %d, stdout %q, stderr:\n%s\nwant status %d, stderr with %q", c.args, status, stdout, stderr, c.status, c.want)
		}
	}
}

// ownCommand finds the commands of this program in a page, up to a pipe, a comment or a backquote.
var ownCommand = regexp.MustCompile("go run [.] ([^#|`\n]*(?:\\\\\n[^#|`\n]*)*)")

// TestDocumented checks the arguments of every command of this program in the documentation.
func TestDocumented(t *testing.T) {
	checked := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		page, err := os.ReadFile(path)
		for _, m := range ownCommand.FindAllStringSubmatch(string(page), -1) {
			args := strings.Fields(strings.ReplaceAll(m[1], "\\\n", " "))
			parser, err := kong.New(&commands{}, kong.Exit(func(int) { t.Errorf("%s: %v ends the program", path, args) }))
			require.NoError(t, err)
			if _, err := parser.Parse(args); err != nil {
				t.Errorf("%s: %q: %v", path, args, err)
			}
			checked++
		}
		return err
	})
	if err != nil || checked < 8 {
		t.Errorf("only %d commands were found: %v", checked, err)
	}
}
