package cuda_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
)

// kit makes a folder with toolkit/kit/run.sh and programs that are shell scripts.
func kit(t *testing.T, programs map[string]string) string {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("run.sh needs Linux")
	}
	for _, tool := range []string{"bash", "timeout", "tar", "grep", "realpath", "xargs"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("run.sh needs %s on the path", tool)
		}
	}
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
	put("data/checkpoint.pt", "")
	put("commit", "0123\n")
	for name, script := range programs {
		put("bin/"+name, "#!/bin/sh\n"+script)
	}
	return dir
}

// runKit runs run.sh and returns the summary and the files of the report.
func runKit(t *testing.T, dir, part string, env ...string) (summary, files string) {
	t.Helper()
	out := filepath.Join(dir, "results")
	c := exec.CommandContext(t.Context(), "bash", filepath.Join(dir, "run.sh"), part)
	c.Env = append(os.Environ(), append(env, "OUT="+out, "PYTHON=no-such-python")...)
	said, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("run.sh %s: %v\n%s", part, err, said)
	}
	text, err := os.ReadFile(filepath.Join(out, "summary-"+part+".txt"))
	require.NoError(t, err)
	list, err := exec.Command("tar", "-tzf", filepath.Join(out, "report-"+part+".tar.gz")).Output()
	require.NoError(t, err)
	return string(text), string(list)
}

// TestKit checks what run.sh records for steps that pass, fail and lack a program, that skipped tests count as
// failed, and that the remaining steps run after a failed one.
func TestKit(t *testing.T) {
	dir := kit(t, map[string]string{
		"driver.test": "echo no good; exit 7\n",
		"cugen.test":  "echo '--- SKIP: TestGPU'; echo PASS\n",
		"efoc":        "echo \"$1 ran\"\n",
		"bench":       "mkdir -p $2 && echo 0 name | tee $2/entities.tsv >$2/relations.tsv\n",
	})
	summary, files := runKit(t, dir, "1")
	for _, want := range []string{
		"== driver: FAILED (7), ", "no good\n", "== shapes: FAILED (", "2p: not compared\n", "== processor: passed, ", "eval ran\n",
		"== batches: FAILED (1), ", "== torch-graph: not possible here, ", "== time-batch: passed, ", "bench ran\n", "\npart 1 took ",
	} {
		if !strings.Contains(summary, want) {
			t.Errorf("the summary lacks %q:\n%s", want, summary)
		}
	}
	for _, want := range []string{"report-1/summary.txt\n", "report-1/driver.log\n", "report-1/shape-3cm.log\n"} {
		if !strings.Contains(files, want) {
			t.Errorf("the report lacks %q:\n%s", want, files)
		}
	}
}

// TestKitEstimates checks that the estimate of every step is within its limit, and the sum of a part's steps within the part's.
func TestKitEstimates(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("toolkit", "kit", "run.sh"))
	require.NoError(t, err)
	steps := regexp.MustCompile(`\b(?:step|begin) ("?[a-z$-]+"?) (\d+)/(\d+) `)
	_, part1, _ := strings.Cut(string(text), "\npart1() {\n")
	part1, part2, _ := strings.Cut(part1, "\npart2() {\n")
	for _, part := range []struct {
		text         string
		steps, limit int
	}{{part1, 13, 425}, {part2, 15, 325}} {
		found := steps.FindAllStringSubmatch(part.text, -1)
		if len(found) != part.steps {
			t.Errorf("%d steps have an estimate, want %d", len(found), part.steps)
		}
		total := 0
		for _, s := range found {
			estimate, _ := strconv.Atoi(s[2]) // digits
			limit, _ := strconv.Atoi(s[3])
			if estimate >= limit {
				t.Errorf("%s should take %d s, and has %d", s[1], estimate, limit)
			}
			if !slices.Contains([]string{"processor", "ncu-batch", "import"}, s[1]) { // concurrent with another step, or run only without part 1
				total += estimate
			}
		}
		if total > part.limit {
			t.Errorf("a part should take %d s, and has %d", total, part.limit)
		}
	}
}

// TestKitLimit checks that a part ends a step, and itself, in time, and keeps its results so far.
func TestKitLimit(t *testing.T) {
	long.Need(t, "it waits for five seconds")
	dir := kit(t, map[string]string{"cugen.test": "exec sleep 1000\n", "efoc": "exec sleep 1000\n", "bench": "exec sleep 1000\n"})
	summary, _ := runKit(t, dir, "2", "LIMIT=12")
	for _, want := range []string{"== import: out of time, ", "== ops: no time is left\n", "== rest: no time is left\n"} {
		if !strings.Contains(summary, want) {
			t.Errorf("the summary lacks %q:\n%s", want, summary)
		}
	}
}
