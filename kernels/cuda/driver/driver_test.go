//go:build cuda

package driver

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gorgonia.org/cu"

	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/testdata/require"
)

//go:embed testdata/test.cu
var kernel string

//go:embed testdata/test_compiled.tar.zst
var compiled []byte

// open opens the first GPU, or the fake one, until the test ends.
func open(t *testing.T) (d cuda.Driver, fake bool) {
	t.Helper()
	runtime.LockOSThread()
	d, err := Open(0)
	require.NoError(t, err)
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		runtime.UnlockOSThread()
	})
	return d, strings.HasPrefix(d.Name(), "FAKE")
}

// source is the module of the tests: the fake driver accepts any code.
func source(t *testing.T, fake bool) cuda.Source {
	t.Helper()
	s := cuda.Source{Name: "test.cu", Text: kernel, Compiled: compiled}
	if fake {
		var err error
		s.Compiled, err = cuda.Pack([]cuda.Code{{Name: s.Name, Text: kernel, PTX: []byte("compiled")}})
		require.NoError(t, err)
	}
	return s
}

// TestRecord replays a sequence twice: on a GPU it checks the output; against the fake driver, the launches,
// their arguments and their order.
func TestRecord(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	t.Setenv("EFOC_FAKECUDA_LOG", log)
	d, fake := open(t)
	m, err := d.Load(source(t, fake))
	require.NoError(t, err)
	at, err := d.Alloc(64)
	require.NoError(t, err)
	require.NoError(t, d.Write(at, make([]byte, 64)))
	const shared = 60 << 10
	second := cuda.Launch{Kernel: "second", Grid: [3]int{1, 1, 1}, Threads: 2, Shared: shared, Argument: 1 << 33}
	if blocks, err := d.Resident(m, second); err != nil || blocks < 1 || blocks%2 == 1 {
		t.Errorf("%d blocks of %d bytes of shared memory fit (%v)", blocks, shared, err)
	}
	beside := cuda.Launch{Kernel: "third", Grid: [3]int{1, 1, 1}, Threads: 2, Beside: true, Argument: 5}
	// The first fields of the kernels' structs: n of the model, input of the run.
	model, run := make([]byte, 512), make([]byte, 512)
	binary.LittleEndian.PutUint64(model, 3)
	binary.LittleEndian.PutUint64(run, uint64(at))
	sequence := cuda.Sequence{
		Module: m, Model: model, Run: run, To: at, ToBytes: 16, From: at, FromBytes: 32,
		Launches: []cuda.Launch{{Kernel: "first", Grid: [3]int{1, 1, 1}, Threads: 2, Cooperative: true, Argument: 2}, beside, second},
	}
	r, err := d.Record(sequence)
	require.NoError(t, err)
	for turn := range byte(2) {
		r.In()[0], r.In()[8] = turn, 7
		require.NoError(t, r.Replay())
		if fake {
			continue
		}
		want := []byte{0, 0, 0, 0, 2 * (turn + 5), 0, 0, 0, 0, 0, 0, 0, 24, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0}
		if !bytes.Equal(r.Out(), want) {
			t.Errorf("turn %d: output is %v, want %v", turn, r.Out(), want)
		}
	}
	for _, err := range []error{r.Close(), m.Unload(), d.Free(at)} {
		if err != nil {
			t.Error(err)
		}
	}
	if !fake {
		return
	}
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	replay := fmt.Sprintf("graph\ncopy 16\ntogether first 1 1 1 2 0 3 %x 2\nbeside third 1 1 1 2 0 3 %x 5\nlaunch second 1 1 1 2 61440 3 %x 200000000\ncopy 32\n", at, at, at)
	if !strings.HasSuffix(string(text), "attribute second 61440\n"+replay+replay) {
		t.Errorf("the driver was asked for\n%s", text)
	}
}

// TestLoad checks that machine code is loaded, or else the compiled PTX; that the text is compiled if there is
// neither or the driver refuses both; and that all refusals are reported if nothing is left. EFOC_FAKECUDA_REFUSE
// tells the fake driver what to refuse.
func TestLoad(t *testing.T) {
	d, fake := open(t)
	if !fake {
		t.Skip("needs the fake driver of kernels/cuda/toolkit, which refuses code")
	}
	packed := source(t, fake).Compiled
	translated, err := cuda.Pack([]cuda.Code{{Name: "test.cu", Text: kernel, PTX: []byte("compiled"), Machine: []byte("machine"), Arch: "sm_90"}})
	require.NoError(t, err)
	t.Setenv("EFOC_NVRTC", "no such library")
	for _, c := range []struct {
		compiled []byte
		refuse   string
		modules  string
		errs     []string
	}{
		{packed, "", "module compiled\n", nil},
		{translated, "", "module machine\n", nil},
		{translated, "machine", "module machine\nmodule compiled\n", nil},
		{nil, "", "", []string{"compile test.cu", "EFOC_NVRTC", "no such library"}},
		{packed, "compiled", "module compiled\n", []string{"cuModuleLoadData of test.cu", "compile test.cu", "EFOC_NVRTC", "no such library"}},
		{[]byte("damaged"), "", "", []string{"compiled code of test.cu", "compile test.cu", "no such library"}},
	} {
		log := filepath.Join(t.TempDir(), "log")
		t.Setenv("EFOC_FAKECUDA_LOG", log)
		t.Setenv("EFOC_FAKECUDA_REFUSE", c.refuse)
		m, err := d.Load(cuda.Source{Name: "test.cu", Text: kernel, Compiled: c.compiled})
		if (err == nil) != (c.errs == nil) {
			t.Fatalf("%q, refusing %q: error is %v", c.compiled, c.refuse, err)
		}
		for _, want := range c.errs {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q, refusing %q: error is %v, want %q", c.compiled, c.refuse, err, want)
			}
		}
		if err != nil {
			continue
		}
		if err := m.Unload(); err != nil {
			t.Error(err)
		}
		if text, err := os.ReadFile(log); err != nil || string(text) != c.modules {
			t.Errorf("the driver was asked for %q (%v)", text, err)
		}
	}
}

// TestEnter calls the driver on a second thread, which fails until it calls Enter.
func TestEnter(t *testing.T) {
	d, _ := open(t)
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()                                       // never unlocked: the thread ends with the goroutine
		if err := cu.SetCurrentContext(cu.CUContext{}); err != nil { // set by another test
			t.Error(err)
		}
		if _, err := d.Memory(); err == nil || !strings.Contains(err.Error(), "cuMemGetInfo") {
			t.Errorf("a thread that has not entered: error is %v", err)
		}
		if err := d.Enter(); err != nil {
			t.Error(err)
		}
		if _, err := d.Memory(); err != nil {
			t.Error(err)
		}
	}()
	<-done
}

// TestOld checks that a GPU that does not support the kernels' instructions is refused.
func TestOld(t *testing.T) {
	if _, fake := open(t); !fake {
		t.Skip("needs the fake driver of kernels/cuda/toolkit, which can be old")
	}
	t.Setenv("EFOC_FAKECUDA_OLD", "1")
	if _, err := Open(0); err == nil || !strings.Contains(err.Error(), "GPU 0, FAKE, has compute capability 7.0, want 8.0 or more: choose another by CUDA_VISIBLE_DEVICES") {
		t.Errorf("error is %v", err)
	}
}

// TestNoCapture checks that a failed capture is an error.
func TestNoCapture(t *testing.T) {
	d, fake := open(t)
	if !fake {
		t.Skip("needs the fake driver of kernels/cuda/toolkit, which refuses to capture")
	}
	m, err := d.Load(source(t, fake))
	require.NoError(t, err)
	t.Setenv("EFOC_FAKECUDA_NOCAPTURE", "1")
	_, err = d.Record(cuda.Sequence{Module: m, Launches: []cuda.Launch{{Kernel: "first", Grid: [3]int{1, 1, 1}, Threads: 2}}})
	if err == nil || !strings.Contains(err.Error(), "capture 1 launches as a graph") {
		t.Errorf("error is %v", err)
	}
}

// TestLimits checks the limits that the driver requests for launches of a kernel with different shared memory,
// and that the error of a refused launch names it, although it ends the capture.
func TestLimits(t *testing.T) {
	d, fake := open(t)
	m, err := d.Load(source(t, fake))
	require.NoError(t, err)
	at, err := d.Alloc(64)
	require.NoError(t, err)
	model, run := make([]byte, 512), make([]byte, 512)
	binary.LittleEndian.PutUint64(run, uint64(at))
	record := func(launches ...cuda.Launch) error {
		r, err := d.Record(cuda.Sequence{Module: m, Model: model, Run: run, To: at, ToBytes: 16, From: at, FromBytes: 16, Launches: launches})
		if err != nil {
			return err
		}
		return errors.Join(r.Replay(), r.Close())
	}
	launch := func(threads, shared, y int) cuda.Launch {
		return cuda.Launch{Kernel: "second", Grid: [3]int{1, y, 1}, Threads: threads, Shared: shared}
	}
	require.NoError(t, record(launch(2, 60<<10, 1), launch(2, 1<<10, 1)))
	for _, c := range []struct {
		launch cuda.Launch
		want   string
	}{
		{launch(1056, 1<<10, 1), "launch of second ([1 1 1] blocks of 1056 threads, 1024 bytes shared): cuLaunchKernel: CUDA_ERROR_INVALID_VALUE"},
		{launch(2, 1<<10, 65536), "launch of second ([1 65536 1] blocks"},
		{launch(2, 228<<10, 1), "cuFuncSetAttribute of second for 233472 bytes"},
		{cuda.Launch{Kernel: "first", Grid: [3]int{1 << 20, 1, 1}, Threads: 2, Cooperative: true}, "launch of first ([1048576 1 1] blocks of 2 threads, 0 bytes shared): cuLaunchCooperativeKernel"},
	} {
		if err := record(c.launch); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want %q", err, c.want)
		}
	}
	require.NoError(t, record(launch(2, 60<<10, 1))) // after failures
}
