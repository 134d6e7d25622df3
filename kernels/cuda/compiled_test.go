package cuda_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/kernels/cuda"
)

// TestCodes checks which of the compiled codes a device is given, and in which order.
func TestCodes(t *testing.T) {
	const text = `#include "efoc.cuh"`
	packed, err := cuda.Pack(text, []cuda.Code{
		{Arch: "compute_80", Bytes: []byte("for 8.0")}, {Arch: "compute_90", Bytes: []byte("for 9.0")},
		{Arch: "sm_86", Bytes: []byte("machine code 8.6")}, {Arch: "sm_90", Bytes: []byte("machine code 9.0")},
		{Arch: "sm_90a", Bytes: []byte("machine code 9.0 alone")},
	})
	if err != nil {
		t.Fatal(err)
	}
	for capability, want := range map[int]string{
		75:  "",
		80:  "compute_80",
		86:  "sm_86 compute_80",
		89:  "sm_86 compute_80", // code of 8.6 runs on 8.9
		90:  "sm_90a sm_90 compute_90 compute_80",
		93:  "sm_90 compute_90 compute_80",
		100: "compute_90 compute_80", // and not on a later generation
		120: "compute_90 compute_80",
	} {
		s := cuda.Source{Name: "x.cu", Text: text, Compiled: packed}
		codes, err := s.Codes(capability)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range codes {
			got = append(got, c.Arch)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("capability %d: %v, want %s", capability, got, want)
		}
		if i := slices.IndexFunc(codes, func(c cuda.Code) bool { return c.Arch == "sm_90" }); i >= 0 && string(codes[i].Bytes) != "machine code 9.0" {
			t.Errorf("sm_90 is %q", codes[i].Bytes)
		}
	}
}

// TestStaleCode checks that code which was made of another text is refused.
func TestStaleCode(t *testing.T) {
	packed, err := cuda.Pack("one", []cuda.Code{{Arch: "sm_90", Bytes: []byte{1, 0, 2}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, text string
		compiled   []byte
		current    bool
		err        string
	}{
		{"its own text", "one", packed, true, ""},
		{"another text", "two", packed, false, "out of date"},
		{"nothing compiled", "one", nil, false, ""},
		{"no archive", "one", []byte("PTX"), false, "compiled code of x.cu: "},
	} {
		s := cuda.Source{Name: "x.cu", Text: c.text, Compiled: c.compiled}
		if s.Current() != c.current {
			t.Errorf("%s: current is %t", c.name, !c.current)
		}
		codes, err := s.Codes(90)
		if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: error is %v, want %q", c.name, err, c.err)
		}
		if got := len(codes) > 0; got != c.current {
			t.Errorf("%s: %d codes", c.name, len(codes))
		}
	}
	again, err := cuda.Pack("one", []cuda.Code{{Arch: "sm_90", Bytes: []byte{1, 0, 2}}})
	if err != nil || !slices.Equal(again, packed) {
		t.Errorf("the same code gives other bytes (%v)", err)
	}
}

// FuzzCodes checks that no archive makes Codes fail other than with an error.
func FuzzCodes(f *testing.F) {
	packed, err := cuda.Pack("one", []cuda.Code{{Arch: "sm_90", Bytes: []byte{1, 0, 2}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(packed)
	f.Fuzz(func(t *testing.T, data []byte) {
		s := cuda.Source{Name: "x.cu", Text: "one", Compiled: data}
		codes, err := s.Codes(90)
		if err == nil && len(data) > 0 && !s.Current() {
			t.Errorf("stale code is taken: %v", codes)
		}
	})
}
