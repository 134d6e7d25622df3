package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/natefinch/atomic"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/require"
)

// served is a running efoc serve.
type served struct {
	url  string
	stop func() int    // interrupts it and returns its status
	log  <-chan string // lines
	t    *testing.T
}

// serve starts efoc serve on a free port.
func serve(t *testing.T, args ...string) *served {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	status := make(chan int, 1)
	go func() {
		status <- runContext(ctx, append([]string{"serve", "--listen", "127.0.0.1:0", "--deadline", "5m"}, args...), strings.NewReader(""), io.Discard, w)
		w.Close()
	}()
	lines := make(chan string, 1000)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(r); s.Scan(); {
			lines <- s.Text()
		}
	}()
	s := &served{log: lines, t: t}
	s.stop = func() int {
		cancel()
		for range lines {
		}
		return <-status
	}
	line := s.wait("listening")
	s.url = strings.TrimSuffix(regexp.MustCompile(`url=(\S+)`).FindStringSubmatch(line)[1], "/")
	return s
}

// patience is how long tests wait for what is about to happen: the machine may be slow and busy.
const patience = 5 * time.Minute

// wait returns the next line of the log with a text.
func (s *served) wait(text string) string {
	s.t.Helper()
	timeout := time.After(patience)
	for {
		select {
		case line, ok := <-s.log:
			if !ok {
				s.t.Fatalf("the server ended; its log has no %q", text)
			}
			if strings.Contains(line, text) {
				return line
			}
		case <-timeout:
			s.t.Fatalf("no line of the log has %q", text)
		}
	}
}

// first asks a question and returns the best answer.
func (s *served) first(formula, token string) (status int, name string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), "GET", s.url+"/v1/ask?k=1&formula="+url.QueryEscape(formula), nil)
	require.NoError(s.t, err)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(s.t, err)
	defer resp.Body.Close()
	var a struct{ Answers []struct{ Name string } }
	require.NoError(s.t, json.NewDecoder(resp.Body).Decode(&a))
	if len(a.Answers) > 0 {
		name = a.Answers[0].Name
	}
	return resp.StatusCode, name
}

// TestServeSemantics checks that a server answers by the semantics that it is told to, or that its
// model names, and for this machine alone unless it is told other names.
func TestServeSemantics(t *testing.T) {
	t.Setenv("EFOC_TOKEN", "")
	byDegrees := towns(t)
	m, err := runtime.Open(byDegrees)
	require.NoError(t, err)
	m.Bundle().Manifest.Semantics = model.FIT
	require.NoError(t, errors.Join(model.Save(t.Context(), byDegrees, m.Bundle(), nil), m.Close()))
	for _, c := range []struct {
		args []string
		host string
		want int
	}{
		{nil, "", http.StatusOK}, {[]string{"--model", towns(t), "--semantics", "fit"}, "", http.StatusOK}, {nil, "evil.example", http.StatusForbidden},
		{[]string{"--host", "graph.example", "--host", "efoc.example"}, "efoc.example:80", http.StatusOK},
		{[]string{"--host", "graph.example"}, "evil.example", http.StatusForbidden},
	} {
		s := serve(t, append([]string{"--model", byDegrees, "--rows-mb", "3"}, c.args...)...)
		for path, text := range map[string]string{
			"/v1/ask?formula=" + url.QueryEscape(`road("ash", y)`): `"semantics":"fit"`,
			"/v1/model": `"rows_bytes":3145728`,
		} {
			req, err := http.NewRequestWithContext(t.Context(), "GET", s.url+path, nil)
			require.NoError(t, err)
			req.Host = c.host
			resp, err := http.DefaultClient.Do(req)
			require.NoError(t, err)
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if c.want == http.StatusForbidden {
				text = "start efoc serve with --host"
			}
			if err != nil || resp.StatusCode != c.want || !strings.Contains(string(body), text) {
				t.Errorf("%v, %s for host %q: status %d, %v: %s", c.args, path, c.host, resp.StatusCode, err, body)
			}
		}
		s.stop()
	}
}

// TestServeTemplates offers the templates of a file.
func TestServeTemplates(t *testing.T) {
	t.Setenv("EFOC_TOKEN", "")
	file := write(t, filepath.Join(t.TempDir(), "q.efo"), "package q\nquery Beyond(town entity) y = exists x. road($town, x) & road(x, y)\n")
	s := serve(t, "--model", towns(t), "--file", file)
	defer s.stop()
	resp, err := http.Get(s.url + "/v1/templates")
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(body), `"formula":"exists x. road($town, x) & road(x, y)"`) {
		t.Errorf("%v: %s", err, body)
	}
}

// TestServe asks a server, puts other bundles in the place of its model, good and
// bad ones, and stops it.
func TestServe(t *testing.T) {
	t.Setenv("EFOC_TOKEN", "")
	model := towns(t)
	s := serve(t, "--model", model, "--watch", "10ms")
	ask := func(want string) {
		t.Helper()
		if status, name := s.first(`road("ash", y)`, ""); status != http.StatusOK || name != want {
			t.Errorf("status %d, %s, want %s", status, name, want)
		}
	}
	ask("birch")

	// In the other bundle the road leads elsewhere.
	dir := townFolder(t)
	write(t, filepath.Join(dir, "train.tsv"), "ash\troad\telm\nbirch\troad\tcedar\ncedar\troad\tdale\nash\ttwin\tdale\n")
	efoc(t, "import", dir, "-c", filepath.Join(dir, "model.safetensors"), "-o", model, "--skip-check").want(t, statusOK, "towns", "")
	s.wait("reloaded")
	ask("elm")

	require.NoError(t, atomic.WriteFile(model, strings.NewReader("no bundle")))
	s.wait("reload refused")
	ask("elm")
	if status := s.stop(); status != statusOK {
		t.Errorf("the server ended with status %d", status)
	}
}

func TestServeHangup(t *testing.T) {
	t.Setenv("EFOC_TOKEN", "secret-of-questions")
	s := serve(t, "--model", towns(t))
	if status, _ := s.first(`road("ash", y)`, ""); status != http.StatusUnauthorized {
		t.Errorf("without the token: status %d", status)
	}
	self, err := os.FindProcess(os.Getpid())
	require.NoError(t, err)
	if err := self.Signal(syscall.SIGHUP); err != nil {
		t.Skipf("needs a system with hangup signals: %v", err)
	}
	s.wait("reloaded")
	if status, name := s.first(`road("ash", y)`, "secret-of-questions"); status != http.StatusOK || name != "birch" {
		t.Errorf("status %d, %s", status, name)
	}
	s.stop()
}

// TestServeOverwritten overwrites the file of the model that is served, as cp does: the
// server has a copy and answers on.
func TestServeOverwritten(t *testing.T) {
	t.Setenv("EFOC_TOKEN", "")
	path := towns(t)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	s := serve(t, "--model", path, "--max", "long=2")
	formula := `road("ash", y)`
	_, want := s.first(formula, "")
	for _, data := range [][]byte{bytes.Repeat([]byte{1}, len(whole)), {}, whole[:len(whole)/2]} {
		require.NoError(t, os.WriteFile(path, data, 0o600))
		if status, got := s.first(formula, ""); status != http.StatusOK || got != want {
			t.Errorf("with %d bytes in the file: status %d, answer %q, want %q", len(data), status, got, want)
		}
	}
	if status := s.stop(); status != statusOK {
		t.Errorf("status %d", status)
	}
}

// TestServeMapped checks that the file is mapped on demand alone.
func TestServeMapped(t *testing.T) {
	path := towns(t)
	log := slog.New(slog.DiscardHandler)
	for _, mapped := range []bool{false, true} {
		c := serveCmd{splitModelFlags: splitModelFlags{modelFlag: modelFlag{Model: path}}, MMap: mapped}
		m, err := c.openToServe(t.Context(), log)
		require.NoError(t, err)
		if m.Bundle().Mapped() != mapped {
			t.Errorf("with --mmap=%v it is mapped: %v", mapped, m.Bundle().Mapped())
		}
		m.Close()
	}
}

// TestUnit checks that the program takes the command lines of the service unit, its drop-in and the
// container.
func TestUnit(t *testing.T) {
	start := regexp.MustCompile(`(?m)^ExecStart=.*/efoc (.*)$`)
	unit := start.FindStringSubmatch(readText(t, "package/efoc.service"))
	shards := start.FindStringSubmatch(readText(t, "package/efoc.service.d/shards.conf"))
	command := regexp.MustCompile(`(?m)^CMD (\[.*\])$`).FindStringSubmatch(readText(t, "package/Containerfile"))
	if unit == nil || shards == nil || command == nil {
		t.Fatal("there is no command line")
	}
	var args []string
	require.NoError(t, json.Unmarshal([]byte(command[1]), &args))
	for _, args := range [][]string{strings.Fields(unit[1]), strings.Fields(shards[1]), args} {
		k, err := kong.New(&commands{}, kong.Bind(&app{}), kong.Vars{"version": ""})
		require.NoError(t, err)
		if _, err := k.Parse(args); err != nil {
			t.Errorf("efoc %q: %v", args, err)
		}
	}
}

// TestServeUntilEOF ends a server by the end of its standard input.
func TestServeUntilEOF(t *testing.T) {
	stdin, parent := io.Pipe()
	log := make(chan string, 100)
	status := make(chan int, 1)
	go func() {
		r, w := io.Pipe()
		go func() {
			defer close(log)
			for s := bufio.NewScanner(r); s.Scan(); {
				log <- s.Text()
			}
		}()
		status <- runContext(t.Context(), []string{"serve", "--model", towns(t), "--listen", "127.0.0.1:0", "--until-eof"}, stdin, io.Discard, w)
		w.Close()
	}()
	s := &served{log: log, t: t}
	s.url = strings.TrimSuffix(regexp.MustCompile(`url=(\S+)`).FindStringSubmatch(s.wait("listening"))[1], "/")
	if code, name := s.first(`road("ash", y)`, ""); code != http.StatusOK || name != "birch" {
		t.Errorf("status %d, answer %s", code, name)
	}
	parent.Write([]byte("what it reads does not matter\n"))
	parent.Close()
	s.wait("going down")
	if got := <-status; got != statusOK {
		t.Errorf("status %d, want %d", got, statusOK)
	}
}
