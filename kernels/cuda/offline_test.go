package cuda_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/kernels/cuda/offline"
	"github.com/efoc/efoc/testdata/require"
)

// TestCompile checks, with a script in place of nvrtcc, that a file is compiled for compute capability 8.0,
// with the headers, and again only if it has changed, and that compiler errors are reported.
func TestCompile(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("needs sh, for a script in the place of nvrtcc")
	}
	dir := t.TempDir()
	put := func(name, text string, mode os.FileMode) string {
		t.Helper()
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), mode))
		return path
	}
	put("nvrtcc", "#!/bin/sh\ngrep -q wrong \"$1\" && { echo line 1 is wrong >&2; exit 1; }\n"+
		"[ -f model.cuh ] || exit 2\necho once >>'"+filepath.Join(dir, "log")+"'\n{ echo \"$2\"; cat \"$1\"; } >\"$3\"\n", 0o755)
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	ptx := func(archive, name, text string) (string, error) {
		compiled, err := os.ReadFile(archive)
		require.NoError(t, err)
		s := cuda.Source{Name: name, Text: text, Compiled: compiled}
		code, err := s.PTX()
		return string(code), err
	}
	path, other, archive := put("x.cu", "first", 0o644), put("y.cu", "constant", 0o644), filepath.Join(dir, "x.tar.zst")
	for _, text := range []string{"first", "first", "second"} {
		put("x.cu", text, 0o644)
		require.NoError(t, offline.Compile(context.Background(), archive, path, other))
		for name, text := range map[string]string{"x.cu": text, "y.cu": "constant"} {
			if code, err := ptx(archive, name, text); err != nil || code != "compute_80\n"+text {
				t.Errorf("%s is compiled to %q (%v)", name, code, err)
			}
		}
	}
	if log, err := os.ReadFile(filepath.Join(dir, "log")); err != nil || strings.Count(string(log), "once") != 3 {
		t.Errorf("the compiler ran for %q (%v), want twice for one file and once for the other", log, err)
	}
	put("x.cu", "wrong", 0o644)
	if err := offline.Compile(context.Background(), archive, path); err == nil || !strings.Contains(err.Error(), "x.cu") || !strings.Contains(err.Error(), "line 1 is wrong") {
		t.Errorf("error is %v", err)
	}
	if _, err := ptx(archive, "x.cu", "wrong"); err == nil || !strings.Contains(err.Error(), "out of date") {
		t.Errorf("a file that changed is current (%v)", err)
	}
}

// TestTranslate checks, with scripts in place of nvrtcc and ptxas, that machine code is added to an archive's
// PTX.
func TestTranslate(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("needs sh, for scripts in the places of nvrtcc and ptxas")
	}
	dir := t.TempDir()
	put := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
		return path
	}
	put("nvrtcc", "#!/bin/sh\ncp \"$1\" \"$3\"\n")
	put("ptxas", "#!/bin/sh\ngrep -q wrong \"$4\" && { echo line 1 is wrong >&2; exit 1; }\n{ echo \"$1\"; cat \"$4\"; } >\"$3\"\n")
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	path, archive, to := put("x.cu", "first"), filepath.Join(dir, "x.tar.zst"), filepath.Join(dir, "machine.tar.zst")
	require.NoError(t, offline.Compile(t.Context(), archive, path))
	require.NoError(t, offline.Translate(t.Context(), archive, "sm_90", to, path))
	compiled, err := os.ReadFile(to)
	require.NoError(t, err)
	s := cuda.Source{Name: "x.cu", Text: "first", Compiled: compiled}
	if ptx, err := s.PTX(); err != nil || string(ptx) != "first" {
		t.Errorf("the PTX is %q (%v)", ptx, err)
	}
	if got := string(s.Machine("sm_90")); got != "-arch=sm_90\nfirst" {
		t.Errorf("the machine code is %q", got)
	}

	put("x.cu", "wrong")
	require.NoError(t, offline.Compile(t.Context(), archive, path))
	if err := offline.Translate(t.Context(), archive, "sm_90", to, path); err == nil || !strings.Contains(err.Error(), "x.cu") || !strings.Contains(err.Error(), "line 1 is wrong") {
		t.Errorf("error is %v", err)
	}
}
