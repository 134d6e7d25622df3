//go:build amd64 && !noasm

package simd

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/require"
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

// TestCacheSize compares the size of the second-level cache with what the system says.
func TestCacheSize(t *testing.T) {
	for index := range 8 {
		dir := fmt.Sprintf("/sys/devices/system/cpu/cpu0/cache/index%d/", index)
		level, err := os.ReadFile(dir + "level")
		if err != nil {
			t.Skip("the system does not describe a second-level cache")
		}
		text, err := os.ReadFile(dir + "size")
		require.NoError(t, err)
		if string(level) != "2\n" {
			continue
		}
		var kB int
		_, err = fmt.Sscanf(string(text), "%dK", &kB)
		require.NoError(t, err)
		if got := readCacheSize(""); got != kB<<10 {
			t.Errorf("the cache has %d bytes, want %d kB", got, kB)
		}
		break
	}
	if got := readCacheSize("524288"); got != 512<<10 {
		t.Errorf("EFOC_L2=524288 sets %d bytes", got)
	}
	if got := readCacheSize("much"); got != readCacheSize("") {
		t.Errorf("EFOC_L2=much sets %d bytes", got)
	}
}
