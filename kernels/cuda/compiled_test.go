package cuda_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/testdata/require"
)

// TestPTX checks that a source gets the code compiled from it, and no other.
func TestPTX(t *testing.T) {
	codes := []cuda.Code{{Name: "x.cu", Text: "one", PTX: []byte(".target sm_80\n")}, {Name: "y.cu", Text: "two", PTX: []byte("second")}}
	packed, err := cuda.Pack(codes)
	require.NoError(t, err)
	for _, c := range []struct {
		what, name, text string
		compiled         []byte
		want, err        string
	}{
		{"the first", "x.cu", "one", packed, ".target sm_80\n", ""},
		{"the second", "y.cu", "two", packed, "second", ""},
		{"another text", "x.cu", "two", packed, "", "compiled code of x.cu: it is out of date"},
		{"another name", "z.cu", "one", packed, "", "compiled code of z.cu: the archive does not have it"},
		{"nothing compiled", "x.cu", "one", nil, "", ""},
		{"no archive", "x.cu", "one", []byte("PTX"), "", "compiled code of x.cu: "},
		{"cut off", "y.cu", "two", packed[:len(packed)/2], "", "compiled code of y.cu: "},
	} {
		s := cuda.Source{Name: c.name, Text: c.text, Compiled: c.compiled}
		got, err := s.PTX()
		if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: error is %v, want %q", c.what, err, c.err)
		}
		if string(got) != c.want {
			t.Errorf("%s: PTX is %q, want %q", c.what, got, c.want)
		}
	}
	again, err := cuda.Pack(codes)
	if err != nil || !slices.Equal(again, packed) {
		t.Errorf("the same code gives other bytes (%v)", err)
	}
}

// TestMachine checks that a source gets the machine code of its GPU in addition to the PTX, but only if it was
// compiled from the same text.
func TestMachine(t *testing.T) {
	packed, err := cuda.Pack([]cuda.Code{{Name: "x.cu", Text: "one", PTX: []byte("PTX"), Machine: []byte("code"), Arch: "sm_90"}})
	require.NoError(t, err)
	for _, c := range []struct {
		text, arch, want string
		compiled         []byte
	}{
		{"one", "sm_90", "code", packed}, {"one", "sm_80", "", packed}, {"two", "sm_90", "", packed}, {"one", "sm_90", "", nil},
	} {
		s := cuda.Source{Name: "x.cu", Text: c.text, Compiled: c.compiled}
		if got := s.Machine(c.arch); string(got) != c.want {
			t.Errorf("the machine code of %q for %s is %q, want %q", c.text, c.arch, got, c.want)
		}
	}
	s := cuda.Source{Name: "x.cu", Text: "one", Compiled: packed}
	if ptx, err := s.PTX(); err != nil || string(ptx) != "PTX" {
		t.Errorf("beside machine code the PTX is %q (%v)", ptx, err)
	}
}

// FuzzPTX checks that arbitrary bytes make PTX fail only with an error.
func FuzzPTX(f *testing.F) {
	packed, err := cuda.Pack([]cuda.Code{{Name: "x.cu", Text: "one", PTX: []byte("PTX")}})
	require.NoError(f, err)
	f.Add(packed)
	f.Fuzz(func(t *testing.T, data []byte) {
		for text, want := range map[string]bool{"one": true, "two": false} {
			s := cuda.Source{Name: "x.cu", Text: text, Compiled: data}
			if ptx, err := s.PTX(); err == nil && ptx != nil && !want {
				t.Errorf("stale code is taken: %q", ptx)
			}
		}
	})
}
