//go:build mpi && linux

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
	"syscall"
	"testing"
	"time"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/require"
)

// requestLine matches lines of the log that may come by the thousand.
var requestLine = regexp.MustCompile(`msg="?request`)

// servedRanks is a running efoc serve in several processes.
type servedRanks struct {
	*served
	ended func() int // waits until mpirun ends, and returns its status
}

// serveCommand starts mpirun with efoc serve.
func serveCommand(t *testing.T, cmd *exec.Cmd) (s servedRanks, pid int) {
	t.Helper()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	cmd.Stderr = w
	require.NoError(t, cmd.Start())
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
	s = servedRanks{served: &served{log: lines, t: t}}
	s.ended = sync.OnceValue(func() int {
		var last []string
		for line := range lines {
			last = append(last[max(0, len(last)-20):], line)
		}
		_ = cmd.Wait()
		t.Logf("the end of the log:\n%s", strings.Join(last, "\n"))
		return cmd.ProcessState.ExitCode()
	})
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		s.ended()
	})
	s.url = strings.TrimSuffix(regexp.MustCompile(`url=(\S+)`).FindStringSubmatch(s.wait("listening"))[1], "/")
	return s, cmd.Process.Pid
}

// serveRanks starts n processes of efoc serve, and lists them.
func serveRanks(t *testing.T, cmd *exec.Cmd, n int) (s servedRanks, ranks []int) {
	t.Helper()
	s, pid := serveCommand(t, cmd)
	if ranks = childrenOf(t, pid); len(ranks) != n {
		t.Fatalf("mpirun has the processes %v", ranks)
	}
	return s, ranks
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
	want []runtime.Row
}

// askWorld answers the questions on one machine.
func askWorld(t *testing.T) (list []asked) {
	t.Helper()
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	for _, text := range worldQuestions {
		for _, semantics := range model.AllSemantics {
			p, err := compiler.Prepare(m, text, compiler.Options{Semantics: &semantics})
			require.NoError(t, err)
			r, err := p.Ask(t.Context(), nil, runtime.Options{K: 5})
			require.NoError(t, err)
			v := url.Values{"formula": {text}, "semantics": {semantics.String()}, "k": {"5"}}
			list = append(list, asked{"/v1/ask?" + v.Encode(), r.Rows})
		}
	}
	return list
}

// ask asks a server, and returns the status and code of its response. Answers are compared.
func (q asked) ask(t *testing.T, url string) (status int, code string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url+q.path, nil)
	require.NoError(t, err)
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
		same := a.Name == w.Values[0].Name
		if !same && math.Abs(a.Score-float64(w.Score)) > 1e-4*float64(w.Score) || same && a.Status != w.Status.String() ||
			math.Abs(a.Score-float64(w.Score)) > 1e-4*float64(w.Score) {
			t.Errorf("%s: answer %d is %+v, want %+v", q.path, i+1, a, w)
		}
	}
	return resp.StatusCode, ""
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

// wantEnded waits until processes have ended, whether or not somebody has asked for their status.
func wantEnded(t *testing.T, processes []int) {
	t.Helper()
	for _, p := range processes {
		for start := time.Now(); ; time.Sleep(time.Millisecond) {
			text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p))
			if _, rest, _ := strings.Cut(string(text), ") "); err != nil || strings.HasPrefix(rest, "Z") {
				break
			}
			if time.Since(start) > patience {
				t.Fatalf("process %d goes on", p)
			}
		}
	}
}

// childrenOf lists the processes that a process has started, in order.
func childrenOf(t *testing.T, pid int) (list []int) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	require.NoError(t, err)
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			continue // it has ended
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 && fields[1] == strconv.Itoa(pid) {
			child, err := strconv.Atoi(filepath.Base(filepath.Dir(f)))
			require.NoError(t, err)
			list = append(list, child)
		}
	}
	return list
}
