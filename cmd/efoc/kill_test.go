//go:build unix

package main

import (
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
)

// TestKill kills every command that writes, again and again in the same folder.
// Nothing half-written may have the name of an output, nothing may be announced
// that is not there, and in the end the command succeeds, with the same result as
// if it had never been killed and with nothing left behind.
func TestKill(t *testing.T) {
	t.Setenv("EFOC_MODEL", "")
	each := long.Or(6, 1)
	random := rand.New(rand.NewPCG(7, uint64(each)))
	killed, temporary := 0, 0
	for _, j := range jobs(t, t.TempDir()) {
		t.Run(j.name, func(t *testing.T) {
			undisturbed := j.newFolder(t)
			start := time.Now()
			j.run(t, j.args(undisturbed))
			took, after := time.Since(start), read(t, undisturbed)
			out := j.newFolder(t)
			before := read(t, out)
			for i := range each {
				done := j.kill(t, out, 1+i, took, random, after)
				if !done {
					killed++
				}
				got := read(t, out)
				temporary += j.check(t, got, before, after)
				// It may be killed after the output was written, which a command
				// for new outputs refuses to replace.
				if done || j.fresh && len(got.of(j.target)) > 0 {
					out = j.newFolder(t)
				}
			}
			j.run(t, j.command(out))
			got := read(t, out)
			j.check(t, got, nil, after)
			if !slices.Equal(got.names(), after.names()) {
				t.Errorf("in the end there is %q, want %q", got.names(), after.names())
			}
		})
	}
	t.Logf("%d kills left %d temporary files, which later runs removed", killed, temporary)
	if long.Tests() && killed < each*4 {
		t.Errorf("only %d kills came in time", killed)
	}
}

// kill starts a job and kills it: at a moment of its time, soon after the folder
// changes, or after it was asked to end. It reports whether the job was done
// before that.
func (j *job) kill(t *testing.T, out string, kind int, took time.Duration, random *rand.Rand, after content) (done bool) {
	t.Helper()
	args := j.command(out)
	cmd, stdout, stderr := program(nil, args...)
	changed := watch(out)
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	at := time.Duration(random.Int64N(int64(took)))
	switch kind % 3 {
	case 0:
		time.Sleep(at)
	case 1:
		for limit := time.Now().Add(took); !changed() && time.Now().Before(limit); {
			time.Sleep(50 * time.Microsecond)
		}
		time.Sleep(time.Duration(random.Int64N(int64(2 * time.Millisecond))))
	case 2:
		time.Sleep(at)
		_ = cmd.Process.Signal(syscall.SIGTERM)
		time.Sleep(time.Duration(random.Int64N(int64(5 * time.Millisecond))))
	}
	_ = cmd.Process.Kill()
	<-ended
	got := read(t, out).of(j.target)
	switch status := cmd.ProcessState.ExitCode(); status {
	case statusOK:
		done = true
	case -1, statusInterrupted:
	default:
		t.Errorf("efoc %s: status %d before it was killed\n%s%s", strings.Join(args, " "), status, stdout, stderr)
	}
	if announced := strings.Contains(stdout.String(), "wrote "); (announced || done) && !maps.Equal(got, after.of(j.target)) {
		t.Errorf("efoc %s says that it is done, but the output is not the one of a run that is\n%s", strings.Join(args, " "), stdout)
	}
	return done
}

// watch returns a function that reports whether a folder has changed since.
func watch(folder string) func() bool {
	list := func() (names []string) {
		entries, _ := os.ReadDir(folder)
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	before := list()
	return func() bool { return !slices.Equal(list(), before) }
}
