package cuda_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/efoc/efoc/testdata/require"
)

// kit makes a folder with toolkit/kit/run.sh and programs that are shell scripts.
func kit(t *testing.T, programs map[string]string) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("run.sh needs Linux")
	}
	for _, tool := range []string{"bash", "timeout", "tar", "grep"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("run.sh needs %s on the path", tool)
		}
	}
	t.Setenv("EFOC_NVRTC", "libnvrtc.so") // steps that need it run
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
	}
	text, err := os.ReadFile(filepath.Join("toolkit", "kit", "run.sh"))
	require.NoError(t, err)
	put("run.sh", string(text))
	put("cugen/x", "")
	put("data/x", "")
	for name, script := range programs {
		put("bin/"+name, "#!/bin/sh\n"+script)
	}
	return dir
}

// runKit calls run.sh and returns what it printed and whether it says that all is well.
func runKit(t *testing.T, dir string, env []string, steps ...string) (string, bool) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "bash", append([]string{filepath.Join(dir, "run.sh")}, steps...)...)
	c.Env = append(os.Environ(), env...)
	out, err := c.CombinedOutput()
	return string(out), err == nil
}

// TestKitSteps checks what becomes of steps that pass, fail, skip, or do not fit, and which of
// them are run again.
func TestKitSteps(t *testing.T) {
	dir := kit(t, map[string]string{
		"driver.test": "echo no good; exit 7\n",
		"cugen.test":  "echo '--- SKIP: TestGPU'; echo PASS\n",
		"efoc":        "echo \"$1 ran\"\n",
	})
	report := filepath.Join(dir, "report")
	out, well := runKit(t, dir, nil, "driver", "ops", "model")
	if well || !strings.Contains(out, "driver: failed (7)\nno good\n") || !strings.Contains(out, "0 tests ran, want 3") || !strings.Contains(out, "there are steps left") {
		t.Errorf("run.sh says %q", out)
	}
	for name, want := range map[string]string{
		"report.md": "| ops | every op against plain loops | failed (1) |", "report.json": `"model": {"status": "passed", "seconds": `, "model.log": "import ran\n",
	} {
		if text, err := os.ReadFile(filepath.Join(report, name)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %q (%v):\n%s", name, want, err, text)
		}
	}
	if out, well := runKit(t, dir, []string{"BUDGET=8"}); well || strings.Contains(out, "=== driver") || strings.Contains(out, "=== model\n") || !strings.Contains(out, "=== compile is left for another call") {
		t.Errorf("with 8 seconds run.sh says %q", out)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "bin", "driver.test"), []byte("#!/bin/sh\n"), 0o755))
	if out, _ := runKit(t, dir, nil, "driver"); !strings.Contains(out, "=== driver\n") || strings.Contains(out, "driver: failed") {
		t.Errorf("a step that is named: %q", out)
	}
	if out, well := runKit(t, dir, nil, "nothing"); well || !strings.Contains(out, "there is no step nothing: facts driver ops") {
		t.Errorf("a step that there is not: %q", out)
	}
}

// TestKitKilled kills run.sh in a step and checks that the next call ends what that has left
// running, and does the step again.
func TestKitKilled(t *testing.T) {
	dir := kit(t, map[string]string{"driver.test": "[ -f again ] && exit 0\ntouch again begun\nexec sleep 1000\n"})
	c := exec.CommandContext(t.Context(), "bash", filepath.Join(dir, "run.sh"), "driver")
	c.Dir = dir
	require.NoError(t, c.Start())
	for end := time.Now().Add(5 * time.Minute); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(dir, "begun")); err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the step did not begin")
		}
	}
	require.NoError(t, c.Process.Kill())
	c.Wait() // with the error that it was killed
	running, err := os.ReadFile(filepath.Join(dir, "report", "running"))
	require.NoError(t, err)
	group := "/proc/" + strings.TrimSpace(string(running))
	if _, err := os.Stat(group); err != nil {
		t.Fatalf("the step has ended with run.sh: %v", err)
	}
	again := exec.CommandContext(t.Context(), "bash", filepath.Join(dir, "run.sh"), "driver")
	again.Dir = dir
	if out, err := again.CombinedOutput(); err != nil {
		t.Errorf("the next call: %v\n%s", err, out)
	}
	if state, err := os.ReadFile(group + "/stat"); err == nil && !strings.Contains(string(state), ") Z ") {
		t.Errorf("what the call before has left runs still: %s", state)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "report", "driver.status")); err != nil || !strings.HasPrefix(string(text), "0 ") {
		t.Errorf("the status of the step is %q (%v)", text, err)
	}
}
