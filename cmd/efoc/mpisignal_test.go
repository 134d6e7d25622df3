//go:build mpi && linux

package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/efoc/efoc/testdata/require"
)

// worldRows are rows for the templates of bulk.
func worldRows(n int) string {
	var rows strings.Builder
	for i := range n {
		fmt.Fprintf(&rows, `{"query":%q,"country":%q}`+"\n", []string{"Languages", "Capitals"}[i%2], []string{"France", "Brazil", "Kenya", "Spain", "Chad"}[i%5])
	}
	return rows.String()
}

// TestMPIInterrupted interrupts efoc answer on several processes, by mpirun or at its first
// process: none of them goes on, what is written has whole lines, and --resume completes it.
func TestMPIInterrupted(t *testing.T) {
	t.Setenv("EFOC_MODEL", "")
	dir := t.TempDir()
	templates := write(t, filepath.Join(dir, "bulk.efo"), strings.Replace(bulk, " show x", "", 1))
	_, folder := splitWorld(t, "2")
	rows := worldRows(4000)
	args := func(out string) []string {
		return []string{"answer", templates, "-k", "5", "--model", folder, "-o", out, "--resume"}
	}
	undisturbed := filepath.Join(dir, "undisturbed.jsonl")
	efocInput(t, rows, args(undisturbed)...).want(t, statusOK, "", "")
	want, err := os.ReadFile(undisturbed)
	require.NoError(t, err)
	for _, c := range []struct {
		name   string
		signal syscall.Signal
		first  bool // of mpirun's processes, rather than mpirun
		status int
	}{
		{"mpirun, interrupted", syscall.SIGINT, false, 1},
		{"mpirun, terminated", syscall.SIGTERM, false, 1},
		{"mpirun, asked to end", syscall.SIGUSR1, false, statusInterrupted},
		{"the first process", syscall.SIGTERM, true, statusInterrupted},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out.jsonl")
			cmd, _, stderr := ranksOf(t, 2, "", args(out)...)
			in, more, err := os.Pipe() // stays open, so that the job is not over before it is interrupted
			require.NoError(t, err)
			defer in.Close()
			defer more.Close()
			cmd.Stdin = in
			go fmt.Fprint(more, worldRows(2000))
			require.NoError(t, cmd.Start())
			waitForBytes(t, out+".part", 10_000)
			ranks := childrenOf(t, cmd.Process.Pid)
			if len(ranks) != 2 {
				t.Fatalf("mpirun has the processes %v", ranks)
			}
			victim := cmd.Process.Pid
			if c.first {
				victim = ranks[0]
			}
			start := time.Now()
			require.NoError(t, syscall.Kill(victim, c.signal))
			err = cmd.Wait()
			t.Logf("ended after %s with status %d", time.Since(start), cmd.ProcessState.ExitCode())
			if status := cmd.ProcessState.ExitCode(); status != c.status {
				t.Errorf("%v, status %d, want %d: %s", err, status, c.status, stderr)
			}
			wantEnded(t, ranks)
			if _, err := os.Stat(out); err == nil {
				t.Fatal("the job was over before it was interrupted")
			}
			cmd, _, stderr = ranksOf(t, 2, rows, args(out)...)
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v: %s", err, stderr)
			}
			if got, err := os.ReadFile(out); err != nil || string(got) != string(want) {
				t.Errorf("resumed, it has %d bytes, want the %d of an undisturbed run: %v", len(got), len(want), err)
			}
		})
	}
}

// waitForBytes waits until a file has that many bytes.
func waitForBytes(t *testing.T, path string, bytes int64) {
	t.Helper()
	for start := time.Now(); ; time.Sleep(time.Millisecond) {
		if info, err := os.Stat(path); err == nil && info.Size() > bytes {
			return
		}
		if time.Since(start) > patience {
			t.Fatalf("%s has nothing yet", path)
		}
	}
}

// TestMPIStopped stops a process, which does not come to the next exchange: the first one waits
// for as long as --exchange-max allows, and the job ends with an error.
func TestMPIStopped(t *testing.T) {
	t.Setenv("EFOC_MODEL", "")
	templates := write(t, filepath.Join(t.TempDir(), "bulk.efo"), strings.Replace(bulk, " show x", "", 1))
	_, folder := splitWorld(t, "2")
	out := filepath.Join(t.TempDir(), "out.jsonl")
	cmd, _, stderr := ranksOf(t, 2, worldRows(20_000), "answer", templates, "--model", folder, "-o", out, "--exchange-max", "1s")
	require.NoError(t, cmd.Start())
	waitForBytes(t, out+".part", 10_000)
	ranks := childrenOf(t, cmd.Process.Pid)
	if len(ranks) != 2 {
		t.Fatalf("mpirun has the processes %v", ranks)
	}
	start := time.Now()
	require.NoError(t, syscall.Kill(ranks[1], syscall.SIGSTOP))
	err := cmd.Wait()
	t.Logf("ended %s after rank 1 was stopped", time.Since(start))
	if err == nil || !strings.Contains(stderr.String(), "rank 0 has waited for the others for 1s at an exchange") {
		t.Errorf("rank 1 was stopped: %v: %s", err, stderr)
	}
	wantEnded(t, ranks)
}

// TestMPIServeLost stops or kills processes of a server to which no question comes. The job ends
// with an error, so that its supervisor starts it again, even if the first process is asked to end
// while another one is stopped.
func TestMPIServeLost(t *testing.T) {
	t.Setenv("EFOC_TOKEN", "")
	_, folder := splitWorld(t, "3")
	type kill struct {
		rank   int
		signal syscall.Signal
	}
	for _, kills := range [][]kill{
		{{0, syscall.SIGKILL}}, {{1, syscall.SIGKILL}},
		{{0, syscall.SIGSTOP}}, {{2, syscall.SIGSTOP}}, {{1, syscall.SIGSTOP}, {0, syscall.SIGTERM}},
	} {
		cmd, _, _ := ranksOf(t, 3, "", "serve", "--listen", "127.0.0.1:0", "--model", folder, "--exchange-max", "1s")
		s, ranks := serveRanks(t, cmd, 3)
		for _, kill := range kills {
			require.NoError(t, syscall.Kill(ranks[kill.rank], kill.signal))
		}
		if status := s.ended(); status == statusOK {
			t.Errorf("%v: the server ended with status 0 though a process had to be killed", kills)
		}
		wantEnded(t, ranks)
	}
}

// TestMPIServeHealth stops a process other than the first. Before the others give it up, the probes
// of a supervisor and questions get status 503: none hangs.
func TestMPIServeHealth(t *testing.T) {
	t.Setenv("EFOC_TOKEN", "")
	const deadline = 10 * time.Second
	_, folder := splitWorld(t, "3")
	question := askWorld(t)[0]
	cmd, _, _ := ranksOf(t, 3, "", "serve", "--listen", "127.0.0.1:0", "--model", folder, "--exchange-max", "12s", "--deadline", deadline.String())
	s, ranks := serveRanks(t, cmd, 3)
	if status, code := question.ask(t, s.url); status != http.StatusOK {
		t.Fatalf("status %d, code %s", status, code)
	}
	require.NoError(t, syscall.Kill(ranks[1], syscall.SIGSTOP))
	var asking sync.WaitGroup
	for _, path := range []string{question.path, "/readyz", "/healthz"} {
		asking.Go(func() {
			client := http.Client{Timeout: deadline}
			for {
				status, text, err := get(&client, s.url+path)
				switch {
				case err != nil:
					t.Error(err)
					return
				case status == http.StatusServiceUnavailable && strings.Contains(text, `"shards_lost"`):
					return
				case status != http.StatusOK:
					t.Errorf("%s is answered with status %d: %s", path, status, text)
					return
				}
				time.Sleep(10 * time.Millisecond) // until the ranks next meet
			}
		})
	}
	asking.Wait()
	if status := s.ended(); status == statusOK {
		t.Error("the server ended with status 0 though a process had to be killed")
	}
	wantEnded(t, ranks)
}

// TestMPIServe serves on several processes: requests that pass the deadline, or whose clients go
// away, free them all, so that the next answers are those of one machine. The server ends with
// status 0 when mpirun is asked to end it.
func TestMPIServe(t *testing.T) {
	t.Setenv("EFOC_TOKEN", "")
	_, folder := splitWorld(t, "3")
	questions := askWorld(t)
	for _, deadline := range []string{"2ms", "10s"} {
		cmd, _, _ := ranksOf(t, 3, "", "serve", "--listen", "127.0.0.1:0", "--model", folder, "--deadline", deadline)
		s, pid := serveCommand(t, cmd)
		counts := map[int]int{}
		for n := range 20 * len(questions) {
			q := questions[n%len(questions)]
			if deadline == "10s" && n%2 == 0 {
				q.leave(t, s.url, time.Duration(n%40)*100*time.Microsecond)
				continue
			}
			status, code := q.ask(t, s.url)
			counts[status]++
			late := status == 504 && code == "deadline" || status == 429 && code == "overloaded" // 429 if it is behind others by more than its time
			if status != 200 && (!late || deadline == "10s") {
				t.Errorf("status %d, code %s", status, code)
			}
		}
		t.Logf("deadline %s: %v", deadline, counts)
		require.NoError(t, syscall.Kill(pid, syscall.SIGUSR1))
		if status := s.ended(); status != statusOK {
			t.Errorf("the server ended with status %d", status)
		}
	}
}

// leave asks a server and goes away after some time.
func (q asked) leave(t *testing.T, url string, after time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), after)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+q.path, nil)
	require.NoError(t, err)
	if resp, err := http.DefaultClient.Do(r); err == nil {
		resp.Body.Close()
	}
}
