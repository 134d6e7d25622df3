//go:build unix

package main

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// serveApart starts efoc serve as a process of its own.
func serveApart(t *testing.T, args ...string) (*served, *exec.Cmd) {
	t.Helper()
	cmd, _, _ := program(nil, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	r, w := io.Pipe()
	cmd.Stderr = w
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill() })
	lines := make(chan string, 1000)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(r); s.Scan(); {
			lines <- s.Text()
		}
	}()
	s := &served{log: lines, t: t}
	s.url = strings.TrimSuffix(regexp.MustCompile(`url=(\S+)`).FindStringSubmatch(s.wait("listening"))[1], "/")
	return s, cmd
}

// get returns the status of a path, and whether the server closes the connection.
func (s *served) get(path string) (status int, closes bool) {
	s.t.Helper()
	resp, err := http.Get(s.url + path)
	require.NoError(s.t, err)
	resp.Body.Close()
	return resp.StatusCode, resp.Close
}

// TestServeDrain has a server end by SIGTERM, as Kubernetes does.
func TestServeDrain(t *testing.T) {
	t.Setenv("EFOC_TOKEN", "")
	model := towns(t)
	s, cmd := serveApart(t, "--model", model, "--drain", "1h")
	if status, closes := s.get("/readyz"); status != http.StatusOK || closes {
		t.Errorf("before: /readyz has status %d, the connection closes: %v", status, closes)
	}
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	s.wait("draining")
	if status, _ := s.get("/readyz"); status != http.StatusServiceUnavailable {
		t.Errorf("while it drains /readyz has status %d", status)
	}
	if status, closes := s.get("/healthz"); status != http.StatusOK || !closes {
		t.Errorf("while it drains /healthz has status %d, the connection closes: %v", status, closes)
	}
	if status, name := s.first(`road("ash", y)`, ""); status != http.StatusOK || name != "birch" {
		t.Errorf("while it drains: status %d, answer %s", status, name)
	}
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM)) // it does not wait for the hour
	err := cmd.Wait()
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGTERM {
		t.Errorf("the second signal: the process ended with %v", err)
	}

	for _, c := range []struct {
		signal syscall.Signal
		drain  string
		next   string
	}{{syscall.SIGTERM, "10ms", "draining"}, {syscall.SIGINT, "1h", "going down"}, {syscall.SIGTERM, "0s", "going down"}} {
		s, cmd := serveApart(t, "--model", model, "--drain", c.drain)
		require.NoError(t, cmd.Process.Signal(c.signal))
		if line := s.wait("level=INFO"); !strings.Contains(line, c.next) {
			t.Errorf("after %v with --drain %s the log goes on with %s, want %s", c.signal, c.drain, line, c.next)
		}
		require.NoError(t, cmd.Wait())
	}
}

// TestServeLimits gives a server limits, and its token by the environment.
func TestServeLimits(t *testing.T) {
	t.Setenv("EFOC_TOKEN", "the-token-of-the-environment")
	s := serve(t, "--model", towns(t), "--max", "k=7", "--max", "facts=5,batch=6")
	defer s.stop()
	req, err := http.NewRequest("GET", s.url+"/v1/model", nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer the-token-of-the-environment")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	if !strings.Contains(string(text), `"k":7`) || !strings.Contains(string(text), `"batch":6`) {
		t.Errorf("the limits are others: %s", text)
	}
	if line := s.wait("msg=request"); !regexp.MustCompile(` bytes=\d+ duration_seconds=[0-9.e-]+ `).MatchString(line) {
		t.Errorf("the log has no units: %s", line)
	}
}

// TestServePprof asks for profiles, which only this machine may see unless the address says otherwise.
func TestServePprof(t *testing.T) {
	t.Setenv("EFOC_TOKEN", "")
	model := towns(t)
	for _, address := range []string{"127.0.0.1:0", "unsafe:0.0.0.0:0"} {
		s := serve(t, "--model", model, "--pprof", address)
		_, port, err := net.SplitHostPort(regexp.MustCompile(`address=(\S+)`).FindStringSubmatch(s.wait("msg=profiles"))[1])
		require.NoError(t, err)
		for host, want := range map[string]int{"127.0.0.1": http.StatusOK, "localhost": http.StatusOK, "evil.example": http.StatusForbidden} {
			req, err := http.NewRequest("GET", "http://127.0.0.1:"+port+"/debug/pprof/goroutine?debug=1", nil)
			require.NoError(t, err)
			req.Host = host
			resp, err := http.DefaultClient.Do(req)
			require.NoError(t, err)
			text, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if resp.StatusCode != want || strings.Contains(string(text), "goroutine profile:") != (want == http.StatusOK) {
				t.Errorf("host %s: status %d: %.100s", host, resp.StatusCode, text)
			}
		}
		if status, _ := s.get("/debug/pprof/"); status != http.StatusNotFound {
			t.Errorf("the address of questions has profiles too: status %d", status)
		}
		s.stop()
	}
	efoc(t, "serve", "--model", model, "--listen", "127.0.0.1:0", "--pprof", "0.0.0.0:0").want(t, statusUsage, "", "use a loopback one")
	efoc(t, "serve", "--model", model, "--listen", "0.0.0.0:0").want(t, statusUsage, "", "set a token (--token-file), use a loopback one")
}
