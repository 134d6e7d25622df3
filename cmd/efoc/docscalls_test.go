package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// docCall is a call of a program.
type docCall struct {
	// Dir is the working folder, Args are the program and its arguments.
	Dir  string
	Args []string
}

// record has bash note calls in a file and run no program, because no PATH leads to one.
const record = `PATH=/nonexistent
command_not_found_handle() { printf '%s\0' "$PWD" "$@" $'\1' >>"$EFOC_CALLS"; }
for script in "$@"; do ( eval "$script"; wait ); done`

// redirected are files that a command reads or writes, which may not be there.
var redirected = regexp.MustCompile(` \d?(<|>>?) ?[^\s|&;()<>]+`)

// TestCallsOf redirects calls to files: they are noted, and no file is written.
func TestCallsOf(t *testing.T) {
	dir := t.TempDir()
	calls := callsOf(t, dir, "efoc a > x; efoc b >>y; efoc c <z 2> v | efoc d >> w")
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	if len(calls) != 4 || len(left) > 0 {
		t.Errorf("there are calls %v, and files %v", calls, left)
	}
}

// callsOf returns the programs that scripts call, with their arguments, as bash reads them in a
// folder. It runs none of them. Without bash, it skips the test.
func callsOf(t *testing.T, dir string, scripts ...string) (calls []docCall) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash, which reads the documented commands, is not installed")
	}
	args := []string{"-c", record, "bash"}
	for _, s := range scripts {
		args = append(args, redirected.ReplaceAllString(strings.ReplaceAll(s, "./efoc-cuda ", "efoc "), ""))
	}
	cmd := exec.Command("bash", args...)
	cmd.Dir = dir
	log := filepath.Join(t.TempDir(), "calls")
	cmd.Env = append(os.Environ(), "EFOC_CALLS="+log)
	_ = cmd.Run() // its status is that of a program that was not run
	text, err := os.ReadFile(log)
	if !errors.Is(err, fs.ErrNotExist) { // scripts of builtins call nothing
		require.NoError(t, err)
	}
	for call := range strings.SplitSeq(string(text), "\x00\x01\x00") {
		if words := strings.Split(call, "\x00"); len(words) > 1 {
			calls = append(calls, docCall{words[0], words[1:]})
		}
	}
	return calls
}
