package benchmark

import (
	"strings"
	"testing"
)

func TestTitle(t *testing.T) {
	for _, c := range []struct{ name, shape, want string }{
		{"2p", "r1(s1,e1) & r2(e1,f)", "2p"},
		{"", "r1(s1,f)", "r1(s1,f)"},
		{"", strings.Repeat("r1(s1,f) & ", 9) + "r2(s1,f)", "10 atoms"},
	} {
		if got := (&Shape{Name: c.name, Shape: c.shape}).title(); got != c.want {
			t.Errorf("title of %q, %q is %q, want %q", c.name, c.shape, got, c.want)
		}
	}
}
