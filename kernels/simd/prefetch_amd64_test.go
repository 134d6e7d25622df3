//go:build amd64 && !noasm

package simd

import (
	"os"
	"strings"
	"testing"
)

// TestWantsPrefetch goes through vendors and switches.
func TestWantsPrefetch(t *testing.T) {
	for _, c := range []struct {
		environment, vendor string
		want                bool
	}{
		{"", "GenuineIntel", false},
		{"", "AuthenticAMD", true},
		{"", "HygonGenuine", true},
		{"", "CentaurHauls", false},
		{"1", "GenuineIntel", true},
		{"0", "AuthenticAMD", false},
	} {
		if got := wantsPrefetch(c.environment, c.vendor); got != c.want {
			t.Errorf("EFOC_PREFETCH=%s on %s: %v, want %v", c.environment, c.vendor, got, c.want)
		}
	}
}

// TestVendorName compares the vendor with what the system says.
func TestVendorName(t *testing.T) {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Skip("no /proc/cpuinfo to compare with")
	}
	if name := vendorName(); !strings.Contains(string(info), ": "+name+"\n") {
		t.Errorf("vendor is %q, which /proc/cpuinfo lacks", name)
	}
}
