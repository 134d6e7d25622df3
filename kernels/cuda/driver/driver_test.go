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
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/kernels/cuda"
)

//go:embed testdata/test.cu
var kernel string

//go:embed testdata/test.cu.tar.zst
var compiled []byte

// open opens the first GPU, or the fake one, until the test ends.
func open(t *testing.T) (d cuda.Driver, fake bool) {
	t.Helper()
	runtime.LockOSThread()
	d, err := Open(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		runtime.UnlockOSThread()
	})
	return d, strings.HasPrefix(d.Name(), "FAKE")
}

// TestRecord plays a sequence twice: on a GPU its output is checked; against the fake
// driver, what was launched, with which arguments and in which order.
func TestRecord(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	t.Setenv("EFOC_FAKECUDA_LOG", log)
	d, fake := open(t)
	m, err := d.Load(cuda.Source{Name: "test.cu", Text: kernel, Compiled: compiled})
	if err != nil {
		t.Fatal(err)
	}
	at, err := d.Alloc(64)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Write(at, make([]byte, 64)); err != nil {
		t.Fatal(err)
	}
	const shared = 60 << 10
	second := cuda.Launch{Kernel: "second", Grid: [3]int{1, 1, 1}, Threads: 2, Shared: shared, Argument: 1 << 33}
	if blocks, err := d.Resident(m, second); err != nil || blocks < 1 || blocks%2 == 1 {
		t.Errorf("%d blocks of %d bytes of shared memory fit (%v)", blocks, shared, err)
	}
	// The first numbers of the structures that kernels take: n of the model, input of the run.
	model, run := make([]byte, 512), make([]byte, 512)
	binary.LittleEndian.PutUint64(model, 3)
	binary.LittleEndian.PutUint64(run, uint64(at))
	sequence := cuda.Sequence{
		Module: m, Model: model, Run: run, To: at, ToBytes: 16, From: at, FromBytes: 16,
		Launches: []cuda.Launch{{Kernel: "first", Grid: [3]int{1, 1, 1}, Threads: 2, Argument: 2}, second},
	}
	r, err := d.Record(sequence)
	if err != nil {
		t.Fatal(err)
	}
	for turn := range byte(2) {
		r.In()[0], r.In()[8] = turn, 7
		if err := r.Replay(); err != nil {
			t.Fatal(err)
		}
		if fake {
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
	if !fake {
		return
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	replay := fmt.Sprintf("graph\ncopy 16\nlaunch first 1 1 1 2 0 1 3 %x 2\nlaunch second 1 1 1 2 61440 1 3 %x 200000000 early\ncopy 16\n", at, at)
	if !strings.HasSuffix(string(text), "attribute second 61440\n"+replay+replay) {
		t.Errorf("the driver was asked for\n%s", text)
	}
}

// TestLoad checks what is loaded where the driver refuses some of the compiled code, and
// that all refusals are reported where nothing is left. The fake driver refuses what
// EFOC_FAKECUDA_REFUSE says.
func TestLoad(t *testing.T) {
	d, fake := open(t)
	if !fake {
		t.Skip("needs the fake driver of kernels/cuda/toolkit, which refuses code")
	}
	t.Setenv("EFOC_NOWGMMA", "1") // of code for 9.0 alone, there is an own test
	packed, err := cuda.Pack(kernel, []cuda.Code{{Arch: "sm_90a", Bytes: []byte("alone")}, {Arch: "sm_90", Bytes: []byte("machine")}, {Arch: "compute_80", Bytes: []byte("translated")}})
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("EFOC_NVRTC", "no such library") // it is asked for last
	for _, c := range []struct {
		refuse string
		loaded []string
		errs   []string
	}{
		{"", []string{"machine"}, nil},
		{"machine", []string{"machine", "translated"}, nil},
		{"all", []string{"machine", "translated"}, []string{"test.cu for sm_90", "test.cu for compute_80", "EFOC_NVRTC", "no such library"}},
	} {
		log := filepath.Join(t.TempDir(), "log")
		t.Setenv("EFOC_FAKECUDA_LOG", log)
		t.Setenv("EFOC_FAKECUDA_REFUSE", c.refuse)
		m, err := d.Load(cuda.Source{Name: "test.cu", Text: kernel, Compiled: packed})
		if (err == nil) != (c.errs == nil) {
			t.Fatalf("refusing %q: error is %v", c.refuse, err)
		}
		for _, want := range c.errs {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("refusing %q: error is %v, want %q", c.refuse, err, want)
			}
		}
		if err == nil {
			if err := m.Unload(); err != nil {
				t.Error(err)
			}
		}
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		var loaded []string
		for line := range strings.Lines(string(text)) {
			if name, ok := strings.CutPrefix(line, "module "); ok {
				loaded = append(loaded, strings.TrimSpace(name))
			}
		}
		if !slices.Equal(loaded, c.loaded) {
			t.Errorf("refusing %q: loaded %q, want %q", c.refuse, loaded, c.loaded)
		}
	}
}

// TestGroups checks that code in which warp groups multiply is loaded only where these have been
// seen to multiply as warps do: the fake driver, which computes nothing, never gets it.
func TestGroups(t *testing.T) {
	d, fake := open(t)
	packed, err := cuda.Pack(kernel, []cuda.Code{{Arch: "sm_90a", Bytes: []byte("alone")}, {Arch: "sm_90", Bytes: []byte("machine")}})
	if err != nil {
		t.Fatal(err)
	}
	if !fake {
		if g := d.(*gpu); g.capability == 90 && !g.groupsWork() {
			t.Error("warp groups do not multiply as warps do")
		}
		return
	}
	log := filepath.Join(t.TempDir(), "log")
	t.Setenv("EFOC_FAKECUDA_LOG", log)
	m, err := d.Load(cuda.Source{Name: "test.cu", Text: kernel, Compiled: packed})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Unload(); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(log)
	if err != nil || strings.Contains(string(text), "module alone") || !strings.Contains(string(text), "module machine") {
		t.Errorf("the driver was asked for\n%s%v", text, err)
	}
}

// TestOld checks that a GPU whose instructions kernels do not have is refused.
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
	m, err := d.Load(cuda.Source{Name: "test.cu", Text: kernel, Compiled: compiled})
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("EFOC_FAKECUDA_NOCAPTURE", "1")
	_, err = d.Record(cuda.Sequence{Module: m, Launches: []cuda.Launch{{Kernel: "first", Grid: [3]int{1, 1, 1}, Threads: 2}}})
	if err == nil || !strings.Contains(err.Error(), "capture 1 launches as a graph") {
		t.Errorf("error is %v", err)
	}
}

// TestNoEarly checks that a driver which does not let kernels start early replays them in turn,
// and so one that runs code of capability 8.0, where kernels do not wait.
func TestNoEarly(t *testing.T) {
	d, fake := open(t)
	if !fake {
		t.Skip("needs the fake driver of kernels/cuda/toolkit, which refuses to start kernels early")
	}
	for _, c := range []struct{ noEarly, refuse string }{{"1", ""}, {"", "\x7fELF"}} {
		log := filepath.Join(t.TempDir(), "log")
		t.Setenv("EFOC_FAKECUDA_LOG", log)
		if c.noEarly != "" {
			t.Setenv("EFOC_FAKECUDA_NOEARLY", c.noEarly)
		} else {
			os.Unsetenv("EFOC_FAKECUDA_NOEARLY") // Setenv above restores it
		}
		t.Setenv("EFOC_FAKECUDA_REFUSE", c.refuse)
		m, err := d.Load(cuda.Source{Name: "test.cu", Text: kernel, Compiled: compiled})
		if err != nil {
			t.Fatal(err)
		}
		one := cuda.Launch{Kernel: "first", Grid: [3]int{1, 1, 1}, Threads: 2}
		r, err := d.Record(cuda.Sequence{Module: m, Model: make([]byte, 512), Run: make([]byte, 512), Launches: []cuda.Launch{one, one}})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(r.Replay(), r.Close(), m.Unload()); err != nil {
			t.Error(err)
		}
		text, err := os.ReadFile(log)
		if err != nil || strings.Count(string(text), "launch first") != 2 || strings.Contains(string(text), "early") {
			t.Errorf("with %+v, the driver was asked for\n%s%v", c, text, err)
		}
	}
}

// TestClusters checks which clusters there are, and that they are launched: none of code that
// is not for capability 9.0, and none that the driver refuses.
func TestClusters(t *testing.T) {
	d, fake := open(t)
	if !fake {
		t.Skip("needs the fake driver of kernels/cuda/toolkit, which refuses clusters and code")
	}
	for _, c := range []struct {
		most, refuse string
		want         [3]int // of clusters of 4, 8 and 16
	}{
		{"16", "", [3]int{66, 33, 16}}, {"8", "", [3]int{66, 33, 0}}, {"1", "", [3]int{}}, {"16", "\x7fELF", [3]int{}},
	} {
		log := filepath.Join(t.TempDir(), "log")
		t.Setenv("EFOC_FAKECUDA_LOG", log)
		t.Setenv("EFOC_FAKECUDA_CLUSTER", c.most)
		t.Setenv("EFOC_FAKECUDA_REFUSE", c.refuse)
		m, err := d.Load(cuda.Source{Name: "test.cu", Text: kernel, Compiled: compiled})
		if err != nil {
			t.Fatal(err)
		}
		var got [3]int
		for i := range got {
			if got[i], err = d.Resident(m, cuda.Launch{Kernel: "first", Threads: 64, Cluster: 4 << i}); err != nil {
				t.Error(err)
			}
		}
		if got != c.want {
			t.Errorf("with %+v, there are %v clusters", c, got)
		}
		if got[2] == 0 {
			continue
		}
		one := cuda.Launch{Kernel: "first", Grid: [3]int{16, 1, 1}, Threads: 64, Cluster: 16}
		r, err := d.Record(cuda.Sequence{Module: m, Model: make([]byte, 512), Run: make([]byte, 512), Launches: []cuda.Launch{one, one}})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(r.Replay(), r.Close(), m.Unload()); err != nil {
			t.Error(err)
		}
		text, err := os.ReadFile(log)
		launch := "launch first 16 1 1 64 0 16 0 0 0"
		if err != nil || !strings.Contains(string(text), launch+"\n"+launch+" early\n") {
			t.Errorf("the driver was asked for\n%s%v", text, err)
		}
	}
}
