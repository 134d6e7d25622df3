//go:build cuda

package driver

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/testdata/require"
)

// TestNVRTC checks that a module whose compiled code the driver refuses is compiled at loading, by the library
// that EFOC_NVRTC names, and that it has its kernels. It runs in a separate process, because the library is
// looked up only once.
func TestNVRTC(t *testing.T) {
	const own = "EFOC_TEST_NVRTC"
	if os.Getenv("EFOC_NVRTC") == "" {
		t.Skip("needs NVRTC: set EFOC_NVRTC to the path of libnvrtc.so")
	}
	if os.Getenv(own) == "" {
		c := exec.Command(os.Args[0], "-test.run=^TestNVRTC$", "-test.v")
		c.Env = append(os.Environ(), own+"=1")
		if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestNVRTC") {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	log := filepath.Join(t.TempDir(), "log")
	t.Setenv("EFOC_FAKECUDA_LOG", log)
	t.Setenv("EFOC_FAKECUDA_REFUSE", "no PTX")
	d, fake := open(t)
	refused, err := cuda.Pack([]cuda.Code{{Name: "test.cu", Text: kernel, PTX: []byte("no PTX")}})
	require.NoError(t, err)
	m, err := d.Load(cuda.Source{Name: "test.cu", Text: kernel, Compiled: refused})
	require.NoError(t, err)
	if blocks, err := d.Resident(m, cuda.Launch{Kernel: "first", Threads: 32}); err != nil || blocks < 1 {
		t.Errorf("the compiled kernel has %d blocks (%v)", blocks, err)
	}
	if err := m.Unload(); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(log); fake && (err != nil || !strings.HasPrefix(string(text), "module no PTX\nmodule //")) {
		t.Errorf("the driver was given %q (%v), want the text that NVRTC writes", text, err)
	}
}
