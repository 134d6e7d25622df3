package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/testdata/world"
)

// serveProcess starts efoc serve as a process, whose status stop returns.
func serveProcess(t *testing.T, args ...string) (s *served, pid int) {
	t.Helper()
	cmd, _, _ := program(nil, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	return serveCommand(t, cmd)
}

// requestLine matches lines of the log that may come by the thousand.
var requestLine = regexp.MustCompile(`msg="?request`)

// serveCommand starts a command that ends in efoc serve.
func serveCommand(t *testing.T, cmd *exec.Cmd) (s *served, pid int) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	lines := make(chan string, 10_000)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(r); s.Scan(); {
			if !requestLine.MatchString(s.Text()) {
				lines <- s.Text()
			}
		}
	}()
	s = &served{log: lines, t: t}
	s.ended = sync.OnceValue(func() int {
		var last []string
		for line := range lines {
			last = append(last[max(0, len(last)-20):], line)
		}
		_ = cmd.Wait()
		t.Logf("the end of the log:\n%s", strings.Join(last, "\n"))
		return cmd.ProcessState.ExitCode()
	})
	s.stop = func() int {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		return s.ended()
	}
	t.Cleanup(func() { s.stop() })
	s.url = strings.TrimSuffix(regexp.MustCompile(`url=(\S+)`).FindStringSubmatch(s.wait("listening"))[1], "/")
	return s, cmd.Process.Pid
}

// worldQuestions are asked of a split model, by each semantics.
var worldQuestions = []string{
	`borders("France", y)`,
	`exists x. borders("Brazil", x) & official_language(x, y)`,
	`exists x. borders("France", x) & official_language(x, y) & !official_language("France", y)`,
	`exists x, z. borders("Kenya", x) & borders(x, z) & official_language(z, y) & official_language(x, y)`,
}

// asked is a question with what one machine answers.
type asked struct {
	path string
	want []query.Answer
}

// askWorld answers the questions on one machine.
func askWorld(t *testing.T) (list []asked) {
	t.Helper()
	m, err := world.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for _, text := range worldQuestions {
		for _, semantics := range model.AllSemantics {
			p, err := compiler.PrepareFormula(m, text, compiler.PrepareOptions{Semantics: &semantics})
			if err != nil {
				t.Fatal(err)
			}
			r, err := p.Answer(t.Context(), query.Options{K: 5})
			if err != nil {
				t.Fatal(err)
			}
			v := url.Values{"formula": {text}, "semantics": {semantics.String()}, "k": {"5"}}
			list = append(list, asked{"/v1/ask?" + v.Encode(), r.Answers})
		}
	}
	return list
}

// ask asks a server, and returns the status and code of its response. Answers are compared.
func (q asked) ask(t *testing.T, url string) (status int, code string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+q.path, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	var body struct {
		Answers []loadAnswer
		Error   struct{ Code string }
	}
	if err := json.Unmarshal(text, &body); err != nil {
		t.Errorf("%s: %v: %s", q.path, err, text)
	}
	if resp.StatusCode != http.StatusOK {
		return resp.StatusCode, body.Error.Code
	}
	if len(body.Answers) != len(q.want) {
		t.Errorf("%s: %d answers, want %d", q.path, len(body.Answers), len(q.want))
		return resp.StatusCode, ""
	}
	for i, w := range q.want {
		a := body.Answers[i]
		if a.Name != w.Name && math.Abs(a.Score-float64(w.Score)) > 1e-4*float64(w.Score) || a.Name == w.Name && a.Status != w.Status.String() ||
			math.Abs(a.Score-float64(w.Score)) > 1e-4*float64(w.Score) {
			t.Errorf("%s: answer %d is %+v, want %+v", q.path, i+1, a, w)
		}
	}
	return resp.StatusCode, ""
}

// TestServeJob serves a split model by a job whose process is killed again and again.
func TestServeJob(t *testing.T) {
	t.Setenv("EFOC_TOKEN", "")
	_, folder := splitWorld(t, "3")
	testServeJob(t, "env", folder, 3, func(server int) []int { return childrenOf(t, server) })
}

// TestServeJobStopped stops the process of a job.
func TestServeJobStopped(t *testing.T) {
	t.Setenv("EFOC_TOKEN", "")
	_, folder := splitWorld(t, "2")
	testServeJobStopped(t, "env", folder, "4s", 1, func(server int) []int { return childrenOf(t, server) })
}

// testServeJobStopped serves a split model by a job, and stops each of its processes while nothing
// is asked: within the deadline for requests, every path that needs it says so. Then the job ends
// and is started again.
func testServeJobStopped(t *testing.T, job, folder, exchangeMax string, count int, processes func(server int) []int) {
	const deadline = 10 * time.Second
	s, pid := serveProcess(t, "--job", job, "--shards", folder, "--exchange-max", exchangeMax, "--deadline", deadline.String())
	question := askWorld(t)[0]
	for k := range count {
		s.wait("the shards are ready")
		if status, code := question.ask(t, s.url); status != http.StatusOK {
			t.Fatalf("status %d, code %s", status, code)
		}
		victims := processes(pid)
		if len(victims) != count {
			t.Fatalf("the job has the processes %v", victims)
		}
		if err := syscall.Kill(victims[k], syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		paths := []string{question.path, "/readyz", "/healthz", "/metrics"}
		if k > 0 {
			paths = paths[:3] // the first process has counted what it did, and says it
		}
		var asking sync.WaitGroup
		for _, path := range paths {
			asking.Go(func() {
				client := http.Client{Timeout: deadline}
				for {
					status, text, err := get(&client, s.url+path)
					switch {
					case err != nil:
						t.Errorf("process %d was stopped: %v", k, err)
						return
					case status == http.StatusServiceUnavailable && strings.Contains(text, `"shards_lost"`):
						return
					case k == 0 || status != http.StatusOK:
						t.Errorf("process %d was stopped: %s is answered with status %d: %s", k, path, status, text)
						return
					}
					time.Sleep(10 * time.Millisecond) // until the ranks next meet
				}
			})
		}
		asking.Wait()
	}
	s.wait("the shards are ready")
	if status, code := question.ask(t, s.url); status != http.StatusOK {
		t.Errorf("started again: status %d, code %s", status, code)
	}
}

// get returns the status and the text of a response.
func get(client *http.Client, url string) (status int, text string, err error) {
	resp, err := client.Get(url)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	all, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(all), err
}

// testServeJob serves a split model by a job, and kills one of its processes after the other
// while clients ask: every answer is that of one machine, all else is a refusal, by status 503,
// until the job is ready again. Nothing is left of it in the end.
func testServeJob(t *testing.T, job, folder string, kills int, processes func(server int) []int) {
	s, pid := serveProcess(t, "--job", job, "--shards", folder)
	s.wait("the shards are ready")
	questions := askWorld(t)
	var answered, refused atomic.Int64
	var clients sync.WaitGroup
	done := make(chan struct{})
	for i := range 4 {
		clients.Go(func() {
			for n := i; ; n++ {
				select {
				case <-done:
					return
				default:
				}
				switch status, code := questions[n%len(questions)].ask(t, s.url); {
				case status == http.StatusOK:
					answered.Add(1)
				case status == http.StatusServiceUnavailable && (code == "shards_lost" || code == "not_ready"):
					refused.Add(1)
					time.Sleep(5 * time.Millisecond)
				default:
					t.Errorf("status %d, code %s", status, code)
				}
			}
		})
	}
	// more waits until so many further requests have been counted.
	more := func(count *atomic.Int64) {
		for want, start := count.Load()+20, time.Now(); count.Load() < want; time.Sleep(time.Millisecond) {
			if time.Since(start) > time.Minute {
				t.Fatal("the server does not respond")
			}
		}
	}
	for k := range kills {
		more(&answered)
		victims := processes(pid)
		if len(victims) == 0 {
			t.Fatal("the job has no processes")
		}
		if err := syscall.Kill(victims[k%len(victims)], syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		more(&refused)
		s.wait("the shards are ready")
	}
	more(&answered)
	close(done)
	clients.Wait()
	left := processes(pid)
	if status := s.stop(); status != statusOK {
		t.Errorf("the server ended with status %d", status)
	}
	wantEnded(t, left)
	t.Logf("%d answers, %d refusals, %d kills", answered.Load(), refused.Load(), kills)
}

// wantEnded waits until processes have ended, whether or not somebody has asked for their status.
func wantEnded(t *testing.T, processes []int) {
	t.Helper()
	for _, p := range processes {
		for start := time.Now(); ; time.Sleep(time.Millisecond) {
			text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p))
			if _, rest, _ := strings.Cut(string(text), ") "); err != nil || strings.HasPrefix(rest, "Z") {
				break
			}
			if time.Since(start) > time.Minute {
				t.Fatalf("process %d goes on", p)
			}
		}
	}
}

// TestServeJobErrors has jobs that cannot start: the server says why, and ends.
func TestServeJobErrors(t *testing.T) {
	t.Setenv("EFOC_TOKEN", "")
	_, folder := splitWorld(t, "2")
	for _, c := range []struct {
		args   []string
		status int
		want   string
	}{
		{[]string{"--job", "env"}, statusUsage, "give its folder with --shards"},
		{[]string{"--job", "no-such-command", "--shards", folder}, statusFailure, "no-such-command"},
		{[]string{"--job", "env", "--shards", filepath.Join(folder, "none")}, statusFailure, "ended before the shards were ready"},
	} {
		runProgram(t, nil, append([]string{"serve", "--listen", "127.0.0.1:0"}, c.args...)...).want(t, c.status, "", c.want)
	}
}

// childrenOf lists the processes that a process has started, in order.
func childrenOf(t *testing.T, pid int) (list []int) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 && fields[1] == strconv.Itoa(pid) {
			child, err := strconv.Atoi(filepath.Base(filepath.Dir(f)))
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, child)
		}
	}
	return list
}
