package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// maxExposure is what systemd makes of the unit: 0 is the least that a service is exposed, 10
// the most; services without any hardening have 9.6.
const maxExposure = 1.5

// TestUnitVerified has systemd read the unit, without and with the drop-in for shards, and judge
// how well it confines the service.
func TestUnitVerified(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("needs systemd-analyze")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	for _, dropIns := range []string{"", "shards.conf"} {
		dir := t.TempDir()
		put := func(name string) string { // with a program that is installed
			return write(t, filepath.Join(dir, name), strings.ReplaceAll(readText(t, filepath.Join("package", name)), "/usr/local/bin/efoc", self))
		}
		path := put("efoc.service")
		if dropIns != "" {
			if _, err := exec.LookPath("mpirun"); err != nil {
				t.Skip("needs mpirun, of the package openmpi-bin")
			}
			require.NoError(t, os.Mkdir(path+".d", 0o755))
			put(filepath.Join("efoc.service.d", dropIns))
		}
		verifyUnit(t, analyze, path)
	}
}

func verifyUnit(t *testing.T, analyze, path string) {
	t.Helper()
	// Mistakes are warnings, which do not change the status.
	if out, err := exec.Command(analyze, "verify", "--man=no", path).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
	}
	out, err := exec.Command(analyze, "security", "--offline=true", "--no-pager", path).CombinedOutput()
	if err != nil {
		t.Skipf("needs systemd 250 or later, which judges files: %v: %s", err, out)
	}
	found := regexp.MustCompile(`Overall exposure level for efoc.service: ([0-9.]+)`).FindSubmatch(out)
	if found == nil {
		t.Fatalf("%s", out)
	}
	if exposure, err := strconv.ParseFloat(string(found[1]), 64); err != nil || exposure > maxExposure {
		t.Errorf("the exposure is %s, want %g at most:\n%s", found[1], maxExposure, out)
	}
}
