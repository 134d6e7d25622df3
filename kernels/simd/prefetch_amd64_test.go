//go:build amd64 && !noasm

package simd

import (
	"fmt"
	"os"
	"strconv"
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

// TestCacheSize compares the sizes of caches with what the system says.
func TestCacheSize(t *testing.T) {
	for index := range 8 {
		dir := fmt.Sprintf("/sys/devices/system/cpu/cpu0/cache/index%d/", index)
		text, err := os.ReadFile(dir + "level")
		if err != nil {
			break
		}
		level, err := strconv.Atoi(strings.TrimSpace(string(text)))
		require.NoError(t, err)
		text, err = os.ReadFile(dir + "size")
		require.NoError(t, err)
		var kB int
		_, err = fmt.Sscanf(string(text), "%dK", &kB)
		require.NoError(t, err)
		if got := cacheSize(uint32(level)); level > 1 && got != kB<<10 {
			t.Errorf("the cache of level %d has %d bytes, want %d kB", level, got, kB)
		}
	}
	if got := readCacheSize("524288"); got != 512<<10 {
		t.Errorf("EFOC_L2=524288 sets %d bytes", got)
	}
	for _, wrong := range []string{"much", "0", "-1"} {
		if got := readCacheSize(wrong); got != readCacheSize("") {
			t.Errorf("EFOC_L2=%s sets %d bytes", wrong, got)
		}
	}
}
