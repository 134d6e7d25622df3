package cugen_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/testdata/require"
)

// TestCompiled checks, without a compiler, that the committed code was compiled from the current kernels and headers, for
// drivers from 520 on, and is small enough to be translated while a user waits.
func TestCompiled(t *testing.T) {
	const most = 10 << 20
	size := 0
	for pattern, archive := range map[string]string{
		"../shapes/*.cu":                          "../shapes/shapes_compiled.tar.zst",
		"../../kernels/cuda/table/*.cu":           "../../kernels/cuda/table/table_compiled.tar.zst",
		"../../kernels/cuda/fit/*.cu":             "../../kernels/cuda/fit/fit_compiled.tar.zst",
		"../../kernels/cuda/driver/testdata/*.cu": "../../kernels/cuda/driver/testdata/test_compiled.tar.zst",
	} {
		compiled, err := os.ReadFile(archive)
		require.NoError(t, err)
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s has no kernels (%v)", pattern, err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			s := cuda.Source{Name: filepath.Base(path), Text: string(text), Compiled: compiled}
			ptx, err := s.PTX()
			size += len(ptx)
			if err != nil || ptx == nil {
				t.Errorf("%v: with nvrtcc on the path (kernels/cuda/toolkit/compiler.sh FOLDER) run efoc generate --cuda, "+
					"or go run ./kernels/cuda/toolkit/compile on kernels that are not generated", err)
			}
			if !bytes.Contains(ptx, []byte("\n.version 7.8\n")) {
				t.Errorf("%s: want PTX of version 7.8, the newest that drivers from 520 on run: compile it with the nvrtcc of kernels/cuda/toolkit/compiler.sh", path)
			}
		}
	}
	if size > most {
		t.Errorf("the PTX has %d bytes, want at most %d: what does not depend on the shape belongs into kernels/cuda/table", size, most)
	}
}
