//go:build unix

package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/long"
)

// TestPython runs the tests of the package for Python against this program.
func TestPython(t *testing.T) {
	clientsPath(t)
	need(t, "python3", "-c", "import sys; assert sys.version_info >= (3, 10), sys.version")
	which := long.Or([]string{"discover", "-v", "-s", "tests", "-t", "."}, []string{"-v", "tests.test_efoc.Ask"})
	cmd := exec.CommandContext(t.Context(), "python3", append([]string{"-W", "error", "-m", "unittest"}, which...)...)
	cmd.Dir = "package/python"
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "\nRan ") {
		t.Errorf("%v: %s", err, out)
	}
	t.Logf("%s", out)
}
