//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/efoc/efoc/testdata/require"
)

// need skips a test unless a command succeeds.
func need(t *testing.T, command ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), command[0], command[1:]...).CombinedOutput(); err != nil {
		t.Skipf("it needs %s on the path: %v %s", strings.Join(command, " "), err, out)
	}
}

// fuseki returns the jar of Apache Jena Fuseki.
func fuseki(t *testing.T) string {
	jar := os.Getenv("EFOC_FUSEKI_JAR")
	if jar == "" {
		t.Skip("it needs Java and Apache Jena Fuseki, org.apache.jena:jena-fuseki-server of Maven, whose jar EFOC_FUSEKI_JAR names")
	}
	need(t, "java", "-version")
	return jar
}

// clientsPath puts this program on the path as efoc, the programs of the Python that
// EFOC_PYTHON names, and a browser that prints its page, and the package where Python finds it.
func clientsPath(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts other programs")
	}
	bin := t.TempDir()
	script := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755))
	}
	program, err := filepath.Abs(os.Args[0])
	require.NoError(t, err)
	script("efoc", "EFOC_TEST_PROGRAM=1 exec '"+program+"' -test.run='^TestProgram$' -- \"$@\"")
	if path, err := exec.LookPath("chromium"); err == nil {
		profile := t.TempDir()
		script("chromium", "exec "+path+" --headless --no-sandbox --disable-gpu --user-data-dir="+profile+" --virtual-time-budget=60000 --dump-dom \"$@\" 2>/dev/null")
	}
	path := bin
	for _, name := range []string{"EFOC_PYTHON", "EFOC_MCP_INSPECTOR"} {
		if file := os.Getenv(name); file != "" {
			path += string(os.PathListSeparator) + filepath.Dir(file)
		}
	}
	t.Setenv("PATH", path+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("SPARK_LOCAL_IP", "127.0.0.1")
	t.Setenv("EFOC_MODEL", "")
	t.Setenv("EFOC_TOKEN", "")
	t.Setenv("PYTHONPATH", filepath.Join(root(), "cmd/efoc/package/python"))
	t.Setenv("PYTHONDONTWRITEBYTECODE", "1")
}

// shell runs commands in a copy of a folder, with ports of its own in place of those of the
// documentation.
type shell struct {
	t     *testing.T
	dir   string
	ports map[string]string
	// server ends the server that was started last.
	server func()
}

func newShell(t *testing.T, given string) *shell {
	t.Helper()
	s := &shell{t, t.TempDir(), map[string]string{}, func() {}}
	require.NoError(t, os.CopyFS(s.dir, os.DirFS(given)))
	if jar := os.Getenv("EFOC_FUSEKI_JAR"); jar != "" {
		require.NoError(t, os.Symlink(jar, filepath.Join(s.dir, "jena-fuseki-server-5.6.0.jar")))
	}
	for _, port := range []string{"8080", "3030"} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		s.ports[port] = fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
		l.Close()
	}
	return s
}

// run runs a command, which has to succeed, and returns what it prints.
func (s *shell) run(command string) string {
	s.t.Helper()
	out, err := s.try(command)
	if err != nil {
		s.t.Fatalf("%s: %v\n%s", command, err, out)
	}
	return out
}

// try runs a command and returns what it prints. A server, or what else ends in &, runs until
// the next one on its port or the end of the test; then try waits until it listens.
func (s *shell) try(command string) (string, error) {
	s.t.Helper()
	port := ""
	command = regexp.MustCompile(`\b(8080|3030)\b`).ReplaceAllStringFunc(command, func(old string) string {
		port = s.ports[old]
		return port
	})
	text, background := strings.CutSuffix(strings.TrimSpace(command), "&")
	if strings.HasPrefix(text, "efoc serve") {
		background = true
		s.server()
		if port == "" {
			port = s.ports["8080"]
			text += " --listen 127.0.0.1:" + port
		}
	}
	cmd := exec.Command("bash", "-c", `curl() { command curl -sS --fail-with-body "$@"; }`+"\n"+text)
	cmd.Dir = s.dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(s.t, cmd.Start())
	end := func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if !background {
		late := time.AfterFunc(10*time.Minute, end)
		defer late.Stop()
		err := cmd.Wait()
		return out.String(), err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	stop := sync.OnceFunc(func() {
		end()
		<-ended
	})
	if s.t.Cleanup(stop); strings.HasPrefix(text, "efoc serve") {
		s.server = stop
	}
	for range 6000 {
		if c, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
			c.Close()
			return "", nil
		}
		select {
		case err := <-ended:
			ended <- err
			return out.String(), fmt.Errorf("it ended: %w", err)
		case <-time.After(50 * time.Millisecond):
		}
	}
	return "", fmt.Errorf("it does not listen on port %s", port)
}

// runNotebook executes the notebook that its second argument names into the file of the third.
const runNotebook = `
import sys, nbformat, nbclient
book = nbformat.read(sys.argv[1], 4)
nbclient.NotebookClient(book, timeout=300, kernel_name="python3", record_timing=False).execute()
nbformat.write(book, sys.argv[2])
`

// TestNotebook runs the notebook, whose outputs are those that are committed.
func TestNotebook(t *testing.T) {
	clientsPath(t)
	need(t, "python3", "-c", "import nbclient, nbformat, ipykernel, matplotlib, pandas")
	const committed = "package/python/ask.ipynb"
	dir := t.TempDir()
	t.Setenv("IPYTHONDIR", dir)
	out := filepath.Join(dir, "ask.ipynb")
	if text, err := exec.CommandContext(t.Context(), "python3", "-c", runNotebook, committed, out).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	got, want := notebookOutputs(t, out), notebookOutputs(t, committed)
	if fmt.Sprint(got) != fmt.Sprint(want) || len(want) < 7 {
		t.Errorf("the outputs are\n%s\nthe committed ones\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// notebookOutputs returns the plain texts that cells of a notebook have put out, and printed.
func notebookOutputs(t *testing.T, path string) (list []string) {
	t.Helper()
	var book struct {
		Cells []struct {
			Outputs []struct {
				Data map[string]json.RawMessage
				Text json.RawMessage
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(readText(t, path)), &book))
	for _, cell := range book.Cells {
		for _, o := range cell.Outputs {
			text := o.Text
			if text == nil {
				text = o.Data["text/plain"]
			}
			var lines []string
			if err := json.Unmarshal(text, &lines); err != nil {
				lines = []string{""}
				require.NoError(t, json.Unmarshal(text, &lines[0]))
			}
			list = append(list, strings.Join(lines, ""))
		}
	}
	return list
}
