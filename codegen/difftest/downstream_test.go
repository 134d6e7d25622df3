package difftest

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/shared"
)

// TestDownstream builds and tests an external module that uses generated queries, on the CPU and on an emulated
// GPU, and checks that go generate reproduces the committed files.
func TestDownstream(t *testing.T) {
	long.Need(t, "it builds a module and kernels, by g++")
	dir, err := filepath.Abs("../../testdata/downstream")
	require.NoError(t, err)
	env := os.Environ()
	if os.Getenv(shared.Env) == "" {
		// The module in testdata would look for the inputs in its own parent folder.
		inputs, err := filepath.Abs("../../../shared")
		require.NoError(t, err)
		env = append(env, shared.Env+"="+inputs)
	}
	sources := []string{"atlas_efo.go", "gpu_efo.go", "gpu_cuda_efo.go", "gpu_compiled_efo.go", filepath.Join("films", "films_efo.go")}
	before := readAll(t, dir, sources)
	for _, args := range [][]string{{"generate", "./..."}, {"vet", "./..."}, {"test", "-count=1", "./..."}} {
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = dir, env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, out)
		}
	}
	for i, text := range readAll(t, dir, sources) {
		if text != before[i] {
			t.Errorf("%s was out of date: go generate changed it", sources[i])
		}
	}
}

func readAll(t *testing.T, dir string, names []string) []string {
	t.Helper()
	var texts []string
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		texts = append(texts, string(text))
	}
	return texts
}
