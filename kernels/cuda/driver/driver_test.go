//go:build cuda

package driver

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/efoc/efoc/kernels/cuda"
)

const kernel = `#include "efoc.cuh"
extern "C" __global__ void first(const Model *m, const Run *q, long long x) { ((long long *)q)[threadIdx.x] += x; }
extern "C" __global__ void second(const Model *m, const Run *q, long long x) { ((long long *)q)[threadIdx.x] *= x; }
`

// TestRecord plays a sequence twice: on a GPU its output is checked; against the fake
// driver, what was launched, with which arguments and in which order.
func TestRecord(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	t.Setenv("EFOC_FAKECUDA_LOG", log)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	d, err := Open(0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	m, err := d.Load(cuda.Source{Name: "test.cu", Text: kernel})
	if err != nil {
		t.Skipf("no compiler here: %v", err)
	}
	at, err := d.Alloc(64)
	if err != nil {
		t.Fatal(err)
	}
	r, err := d.Record(cuda.Sequence{
		Module: m, Model: 0x1234567890, Run: at, To: at, ToBytes: 16, From: at, FromBytes: 16,
		Launches: []cuda.Launch{
			{Kernel: "first", Grid: [3]int{1, 1, 1}, Threads: 2, Argument: 5},
			{Kernel: "second", Grid: [3]int{1, 1, 1}, Threads: 2, Shared: 60 << 10, Argument: 1 << 33},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for turn := range byte(2) {
		r.In()[0], r.In()[8] = turn, 7
		if err := r.Replay(); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(d.Name(), "FAKE") {
			continue
		}
		want := []byte{0, 0, 0, 0, 2 * (turn + 5), 0, 0, 0, 0, 0, 0, 0, 24, 0, 0, 0}
		if !bytes.Equal(r.Out(), want) {
			t.Errorf("turn %d: output is %v, want %v", turn, r.Out(), want)
		}
	}
	for _, err := range []error{r.Close(), m.Unload(), d.Free(at)} {
		if err != nil {
			t.Error(err)
		}
	}
	if !strings.HasPrefix(d.Name(), "FAKE") {
		return
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	replay := fmt.Sprintf("graph\ncopy 16\nlaunch first 1 1 1 2 0 1234567890 %x 5\nlaunch second 1 1 1 2 61440 1234567890 %x 200000000\ncopy 16\n", at, at)
	if !strings.HasSuffix(string(text), "attribute second 61440\n"+replay+replay) {
		t.Errorf("the driver was asked for\n%s", text)
	}
}
