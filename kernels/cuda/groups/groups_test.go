package groups_test

import (
	"strings"
	"testing"

	"github.com/efoc/efoc/kernels/cuda/emulate"
	"github.com/efoc/efoc/kernels/cuda/groups"
)

// TestGroups compares both ways on an emulated device, also where the kernel must find that
// they differ or that nothing was compared.
func TestGroups(t *testing.T) {
	d := emulate.New(t)
	for _, c := range []struct {
		name, change string // of what tensor.cuh says
		groups, want bool
	}{
		{"as it is", "", true, true},
		{"without warp groups", "", false, false},
		{"another order", "group_tile(x) (group_tile(x) ^ 3ull << 62)", true, false},
		{"another distance", "group_tile(x) (group_tile(x) + (1ull << 32))", true, false},
		{"another address", "group_tile(x) (group_tile(x) ^ 2)", true, false},
	} {
		s, err := groups.Source()
		if err != nil {
			t.Fatal(err)
		}
		if c.change != "" {
			s.Text = strings.Replace(s.Text, "#include", "#include \"tensor.cuh\"\n#define "+c.change+"\n#include", 1)
		}
		d.WarpGroups = c.groups
		m, err := d.Load(s)
		if err != nil {
			t.Fatal(err)
		}
		at, err := d.Alloc(groups.AnswerBytes)
		if err != nil {
			t.Fatal(err)
		}
		r, err := d.Record(groups.Sequence(m, at))
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Replay(); err != nil {
			t.Fatal(err)
		}
		if got := groups.Equal(r.Out()); got != c.want {
			t.Errorf("%s: equal is %t", c.name, got)
		}
	}
}
