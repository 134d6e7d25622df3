//go:build mpi && linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// mpirunWords are the words that come before a program which is to run in n processes.
func mpirunWords(n int) []string {
	return []string{"mpirun", "--allow-run-as-root", "--oversubscribe", "-n", fmt.Sprint(n)}
}

// ranksOf returns the program as a job of some processes that is yet to start.
func ranksOf(t *testing.T, n int, stdin string, args ...string) (cmd *exec.Cmd, stdout, stderr *bytes.Buffer) {
	t.Helper()
	mpirun, err := exec.LookPath("mpirun")
	if err != nil {
		t.Skip("needs mpirun, of the package openmpi-bin")
	}
	cmd, stdout, stderr = program(nil, args...)
	cmd.Path = mpirun
	cmd.Args = slices.Concat(mpirunWords(n), []string{os.Args[0]}, cmd.Args[1:])
	cmd.Stdin = strings.NewReader(stdin)
	return cmd, stdout, stderr
}

// TestMPI answers on 2 and 4 processes, by all semantics: with the bytes that as many shards in
// one process answer with.
func TestMPI(t *testing.T) {
	t.Setenv("EFOC_MODEL", "")
	templates := write(t, filepath.Join(t.TempDir(), "bulk.efo"), strings.Replace(bulk, " show x", "", 1))
	for _, n := range []int{2, 4} {
		_, folder := splitWorld(t, fmt.Sprint(n))
		for _, semantics := range []string{"nsmp", "fit", "mixed"} {
			args := []string{"answer", templates, "-k", "5", "--semantics", semantics, "--model", folder}
			want := efocInput(t, shardedRows, args...)
			cmd, stdout, stderr := ranksOf(t, n, shardedRows, args...)
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v: %s", err, stderr)
			}
			if want.status != statusOK || stdout.String() != want.stdout {
				t.Errorf("%d processes, %s:\n%s\nwant\n%s%s", n, semantics, stdout, want.stdout, want.stderr)
			}
		}
		cmd, _, stderr := ranksOf(t, n+1, shardedRows, "answer", templates, "--model", folder)
		if err := cmd.Run(); err == nil || !strings.Contains(stderr.String(), "shard") {
			t.Errorf("%d processes for %d shards: %v: %s", n+1, n, err, stderr)
		}
	}
}

// TestMPIOthers runs a command that has nothing to do with MPI: each of two processes says all of it.
func TestMPIOthers(t *testing.T) {
	t.Setenv("EFOC_MODEL", "")
	model := filepath.Join("world", "world.efoc")
	args := []string{"explain", "--model", model, worldQuestions[0]}
	want := efoc(t, args...)
	cmd, stdout, stderr := ranksOf(t, 2, "", args...)
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	sorted := func(text string) []byte { // mpirun mixes the texts of both, in the middle of lines too
		b := []byte(text)
		slices.Sort(b)
		return b
	}
	if got, twice := sorted(stdout.String()), sorted(want.stdout+want.stdout); want.status != statusOK || !slices.Equal(got, twice) {
		t.Errorf("two processes say\n%s\nwant twice\n%s%s", stdout, want.stdout, want.stderr)
	}
}

// TestMPIKilled kills one of the processes of efoc eval: the job ends with an error that names
// it, and another one goes on where it was. The report is that of an undisturbed run.
func TestMPIKilled(t *testing.T) {
	t.Setenv("EFOC_MODEL", "")
	dir, folder := likesFolder(t), filepath.Join(t.TempDir(), "split")
	efoc(t, "split", filepath.Join(dir, "likes.efoc"), "-n", "2", "-o", folder).want(t, statusOK, "", "")
	var queries strings.Builder
	for i := range 6000 {
		fmt.Fprintf(&queries, `{"type":"2i","s1":%d,"r1":%d,"s2":%d,"r2":%d,"easy":[],"hard":[%d]}`+"\n", i%5, i/5%4, i/20%5, i/100%4, i/400%5)
	}
	file := write(t, filepath.Join(dir, "many.jsonl"), queries.String())
	eval := func(state, report string) []string {
		return []string{"eval", file, "--model", folder, "--state", state, "--json", report}
	}
	out := func(name string) string { return filepath.Join(dir, name) }
	cmd, _, stderr := ranksOf(t, 2, "", eval(out("a.state"), out("a.json"))...)
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	cmd, _, stderr = ranksOf(t, 2, "", eval(out("b.state"), out("b.json"))...)
	require.NoError(t, cmd.Start())
	waitForBytes(t, out("b.state"), 10_000)
	ranks := childrenOf(t, cmd.Process.Pid)
	if len(ranks) != 2 {
		t.Fatalf("mpirun has the processes %v", ranks)
	}
	require.NoError(t, syscall.Kill(ranks[1], syscall.SIGKILL))
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || !strings.Contains(stderr.String(), "process rank") {
		t.Fatalf("a process was killed: %v: %s", err, stderr)
	}
	// mpirun interrupts the first process, which may report what is done before it is killed, too.
	if _, err := os.Stat(out("b.json")); err == nil && readReport(t, out("b.json")).Done == readReport(t, out("b.json")).Total {
		t.Fatal("the job was over before it was killed")
	}
	cmd, _, stderr = ranksOf(t, 2, "", eval(out("b.state"), out("b.json"))...)
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	if got, want := measured(readReport(t, out("b.json"))), measured(readReport(t, out("a.json"))); got != want {
		t.Errorf("the report is\n%s\nwant\n%s", got, want)
	}
}
