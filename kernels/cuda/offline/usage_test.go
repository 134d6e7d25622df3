package offline_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/kernels/cuda/offline"
)

// machineCode returns the committed machine code of a kernel file.
func machineCode(tb testing.TB, path string) []byte {
	tb.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	compiled, err := os.ReadFile(path + offline.Extension)
	if err != nil {
		tb.Fatal(err)
	}
	s := cuda.Source{Name: path, Text: string(text), Compiled: compiled}
	codes, err := s.Codes(90)
	if err != nil || len(codes) == 0 || codes[0].Arch != "sm_90a" {
		tb.Fatalf("%s has no machine code (%v)", path, err)
	}
	return codes[0].Bytes
}

const testKernels = "../driver/testdata/test.cu"

// TestUsages checks the kernels of the driver's test, of which ptxas says what they use (nvrtcc
// with the option --ptxas-options=-v).
func TestUsages(t *testing.T) {
	got, err := offline.Usages(machineCode(t, testKernels))
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(got, func(a, b offline.Usage) int { return strings.Compare(a.Kernel, b.Kernel) })
	for i := range got {
		if got[i].Instructions == 0 {
			t.Errorf("%s has no instructions", got[i].Kernel)
		}
		got[i].Instructions = 0
	}
	want := []offline.Usage{{Kernel: "first", Registers: 10}, {Kernel: "second", Registers: 14}}
	if !slices.Equal(got, want) {
		t.Errorf("kernels use %+v, want %+v", got, want)
	}
}

// TestResident checks the limits that NVIDIA's occupancy tables give for capability 9.0.
func TestResident(t *testing.T) {
	for _, c := range []struct{ registers, threads, want int }{
		{32, 256, 8}, {33, 256, 6}, {128, 256, 2}, {129, 256, 1}, {85, 256, 2}, {80, 256, 3}, {255, 512, 0}, {16, 1024, 2}, {64, 32, 32},
	} {
		u := offline.Usage{Registers: c.registers}
		if got := u.Resident(c.threads); got != c.want {
			t.Errorf("%d registers, %d threads: %d blocks, want %d", c.registers, c.threads, got, c.want)
		}
	}
}

// FuzzUsages checks that no bytes do more than an error.
func FuzzUsages(f *testing.F) {
	f.Add(machineCode(f, testKernels))
	f.Fuzz(func(t *testing.T, code []byte) {
		list, err := offline.Usages(code)
		if err != nil && list != nil {
			t.Errorf("kernels %+v with the error %v", list, err)
		}
	})
}
