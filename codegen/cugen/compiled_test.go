package cugen_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/efoc/efoc/codegen/cugen"
	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/kernels/cuda/offline"
)

var update = flag.Bool("update", false, "write testdata/ops.cu anew; then run kernels/cuda/toolkit/compile.go on it")

// TestOpsFile checks that testdata/ops.cu, which is compiled ahead of time for tests on a
// GPU, has the kernels of compareOps.
func TestOpsFile(t *testing.T) {
	plan, err := ir.Parse(ops)
	if err != nil {
		t.Fatal(err)
	}
	p, err := cugen.Kernels(plan, "efoc_ops")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "ops.cu")
	if *update {
		if err := os.WriteFile(path, []byte(p.Text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != p.Text {
		t.Errorf("%s is out of date (%v): run this test with -update", path, err)
	}
}

// TestCompiled checks, without a compiler, that the committed code was compiled from the
// kernels and headers as they are.
func TestCompiled(t *testing.T) {
	var stale []string
	for _, pattern := range []string{"../shapes/*.cu", "testdata/*.cu", "../../kernels/cuda/driver/testdata/*.cu", "../../kernels/cuda/fit/*.cu", "../../kernels/cuda/groups/*.cu"} {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s has no kernels (%v)", pattern, err)
		}
		for _, path := range paths {
			current, err := offline.Current(path)
			if err != nil {
				t.Error(err)
			}
			if !current {
				stale = append(stale, path)
			}
		}
	}
	if err := offline.Stale(stale); err != nil {
		t.Error(err)
	}
}
