package simd

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// TestEngine reruns this test with each off-switch, and compares the engines that it prints.
func TestEngine(t *testing.T) {
	if os.Getenv("EFOC_TEST_ENGINE") != "" {
		os.Stdout.WriteString("engine=" + Engine() + ";")
		return
	}
	list := Engines() // those that switches leave enabled
	for _, c := range []struct{ env, want string }{
		{"EFOC_NOAVX512=" + os.Getenv("EFOC_NOAVX512"), list[len(list)-1]},
		{"EFOC_NOVNNI=1", list[min(2, len(list)-1)]},
		{"EFOC_NOAVX512=1", list[min(1, len(list)-1)]},
		{"EFOC_NOAVX2=1", "portable"},
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestEngine$")
		cmd.Env = append(os.Environ(), "EFOC_TEST_ENGINE=1", c.env)
		out, err := cmd.Output()
		require.NoError(t, err)
		if !strings.Contains(string(out), "engine="+c.want+";") {
			t.Errorf("%s: %s, want engine %s", c.env, out, c.want)
		}
	}
}

// TestUse checks that each available engine can be selected, and no other.
func TestUse(t *testing.T) {
	before := Engine()
	defer func() {
		if err := Use(before); err != nil {
			t.Error(err)
		}
	}()
	list := Engines()
	if list[0] != "portable" || list[len(list)-1] != before {
		t.Errorf("engines are %v, the one in use is %s", list, before)
	}
	for _, name := range list {
		if err := Use(name); err != nil || Engine() != name {
			t.Errorf("Use(%q) leaves %s, error %v", name, Engine(), err)
		}
	}
	if err := Use("abacus"); err == nil || !strings.Contains(err.Error(), "portable") {
		t.Errorf("error is %v, want one that names the engines", err)
	}
}
