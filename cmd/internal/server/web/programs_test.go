package web_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/cmd/internal/server"
	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/require"
)

// curlAnswers checks that the call of curl answers.
func (p *page) curlAnswers() {
	p.t.Helper()
	command := p.code("curl")
	if _, err := exec.LookPath("curl"); err != nil {
		p.t.Log("curl is not there to be tried")
		return
	}
	out, err := exec.CommandContext(p.t.Context(), "sh", "-c", strings.Replace(command, "curl", "curl -s", 1)).Output()
	if err != nil || !strings.Contains(string(out), `"variable":"y"`) {
		p.t.Errorf("%v: %s\n%s", err, out, command)
	}
}

// copiedPrograms runs the programs that are copied, of the built-in model and of one in a file: it
// opens what exists and prints the answers of the page.
func copiedPrograms(t *testing.T, ctx context.Context) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	path := filepath.Join(t.TempDir(), "countries and \"more\".efoc")
	require.NoError(t, model.Save(t.Context(), path, m.Bundle(), nil))
	inFile := server.Config{Options: host.Options{File: path, Open: func(context.Context) (*runtime.Model, error) { return runtime.Open(path) }}}
	for _, c := range []server.Config{{}, inFile} {
		p := open(t, ctx, c, 1280, 900, "light")
		p.askFor(`exists c. capital(c, "N'Djamena") & borders(c, y)`)
		want := eval[[]string](p, `[...document.querySelectorAll('#answers tbody tr[class] th')].map(c => c.firstChild.textContent)`)
		source := p.code("Go")
		if strings.Contains(source, filepath.Dir(path)) {
			t.Errorf("the program has a path of the server's disk:\n%s", source)
		}
		printed := map[string]string{"Go": p.goRuns(source, filepath.Dir(path))}
		if python, err := exec.LookPath("python3"); err == nil {
			printed["Python"] = p.pythonRuns(python, p.code("Python"), filepath.Dir(path))
		}
		for language, text := range printed {
			lines := strings.Split(strings.TrimSpace(text), "\n")
			for i, line := range lines {
				if len(lines) != len(want) || !strings.HasPrefix(line, want[i]+" ") {
					t.Fatalf("with the file %q the program in %s prints %q, the page has %q", c.File, language, lines, want)
				}
			}
		}
	}
}

// pythonRuns runs a program of Python in a folder, with the package and the command of this repository, and returns what it prints.
func (p *page) pythonRuns(python, source, folder string) string {
	p.t.Helper()
	bin := p.t.TempDir()
	if out, err := exec.CommandContext(p.t.Context(), "go", "build", "-o", filepath.Join(bin, "efoc"), "../../../efoc").CombinedOutput(); err != nil {
		p.t.Fatalf("%v: %s", err, out)
	}
	packages, err := filepath.Abs("../../../efoc/package/python")
	require.NoError(p.t, err)
	command := exec.CommandContext(p.t.Context(), python, "-c", source)
	command.Dir = folder
	command.Env = append(os.Environ(), "PYTHONPATH="+packages, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := command.CombinedOutput()
	if err != nil {
		p.t.Fatalf("%v: %s\n%s", err, out, source)
	}
	return string(out)
}

// goRuns runs a program in a folder and returns what it prints.
func (p *page) goRuns(source, folder string) string {
	p.t.Helper()
	dir, err := os.MkdirTemp(".", "_program")
	require.NoError(p.t, err)
	defer os.RemoveAll(dir)
	require.NoError(p.t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(source), 0o644))
	program := filepath.Join(p.t.TempDir(), "program")
	if out, err := exec.CommandContext(p.t.Context(), "go", "build", "-o", program, "./"+dir).CombinedOutput(); err != nil {
		p.t.Fatalf("%v: %s\n%s", err, out, source)
	}
	command := exec.CommandContext(p.t.Context(), program)
	command.Dir = folder
	out, err := command.CombinedOutput()
	if err != nil {
		p.t.Fatalf("%v: %s\n%s", err, out, source)
	}
	return string(out)
}
