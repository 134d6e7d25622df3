//go:build unix

package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestPython runs the tests of the package for Python against this program.
func TestPython(t *testing.T) {
	clientsPath(t)
	need(t, "python3", "-c", "import sys; assert sys.version_info >= (3, 10), sys.version")
	cmd := exec.CommandContext(t.Context(), "python3", "-W", "error", "-m", "unittest", "discover", "-v", "-s", "tests", "-t", ".")
	cmd.Dir = "package/python"
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "\nRan ") {
		t.Errorf("%v: %s", err, out)
	}
	t.Logf("%s", out)
}
