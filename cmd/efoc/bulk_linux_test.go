package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/oasdiff/yaml"

	"github.com/efoc/efoc/testdata/require"
)

// numbered are rows that differ, in JSON Lines.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "{\"country\": \"#%d\"}\n", i)
	}
	return b.String()
}

// wantNumbered checks that the lines are those of numbered rows, each once and in order.
func wantNumbered(t *testing.T, text string, n int) {
	t.Helper()
	lines := answeredLines(t, text)
	for i, x := range lines {
		if x.Input["country"] != fmt.Sprintf("#%d", i) || x.Error != "" {
			t.Fatalf("line %d of %d is of row %v: %s", i+1, len(lines), x.Input, x.Error)
		}
	}
	if len(lines) != n {
		t.Errorf("%d lines, want %d", len(lines), n)
	}
}

// GNU parallel gives each process a part of the rows, and keeps their order.
func TestParallel(t *testing.T) {
	clientsPath(t)
	need(t, "parallel", "--version")
	s := newShell(t, "examples")
	write(t, filepath.Join(s.dir, "rows.jsonl"), numbered(500))
	wantNumbered(t, s.run("parallel --pipe --block 1k -j 3 -k efoc answer languages.efo -k 1 < rows.jsonl"), 500)
}

// A worker of Spark is killed on the way: every row is answered once all the same.
func TestSparkWorkerKilled(t *testing.T) {
	clientsPath(t)
	need(t, "java", "-version")
	need(t, "python3", "-c", "import pyspark")
	s := newShell(t, "examples")
	write(t, filepath.Join(s.dir, "rows.jsonl"), numbered(300))
	// A part takes a while before and after its answers.
	command := fmt.Sprintf(`bash -c "sleep 1; efoc answer -k 1 %s/languages.efo; sleep 1"`, s.dir)
	spark := exec.Command("spark-submit", "--master", "local-cluster[3,1,1024]", "--conf", "spark.executor.memory=512m", "--conf", "spark.ui.enabled=false",
		"spark.py", "rows.jsonl", "answers", "12", command)
	spark.Dir = s.dir
	spark.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var log bytes.Buffer
	spark.Stdout, spark.Stderr = &log, &log
	require.NoError(t, spark.Start())
	end := func() { _ = syscall.Kill(-spark.Process.Pid, syscall.SIGKILL) }
	late := time.AfterFunc(8*time.Minute, end)
	defer late.Stop()
	ended := make(chan error, 1)
	go func() { ended <- spark.Wait() }()
	killed := 0
	for killed == 0 {
		select {
		case err := <-ended:
			t.Fatalf("it ended before a worker could be killed: %v\n%s", err, log.String())
		case <-time.After(100 * time.Millisecond):
		}
		// Some parts are done, others are not.
		if done, _ := filepath.Glob(filepath.Join(s.dir, "answers/_temporary/0/task_*")); len(done) > 0 {
			killed = executorAtWork(t, spark.Process.Pid)
		}
	}
	require.NoError(t, syscall.Kill(killed, syscall.SIGKILL))
	if err := <-ended; err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	if !strings.Contains(log.String(), "Lost executor") {
		t.Errorf("no executor was lost, though process %d was killed", killed)
	}
	parts, err := filepath.Glob(filepath.Join(s.dir, "answers/part-*"))
	if err != nil || len(parts) < 12 {
		t.Fatalf("%d parts: %v", len(parts), err)
	}
	slices.Sort(parts)
	text := ""
	for _, part := range parts {
		text += readText(t, part)
	}
	wantNumbered(t, text, 300)
}

// process is one of /proc.
type process struct {
	parent  int
	command string
}

// executorAtWork returns a process of Spark's below another one, which runs efoc at the time,
// or 0.
func executorAtWork(t *testing.T, ancestor int) int {
	t.Helper()
	all := map[int]process{}
	folders, err := filepath.Glob("/proc/[0-9]*")
	require.NoError(t, err)
	for _, folder := range folders {
		stat, err := os.ReadFile(filepath.Join(folder, "stat"))
		if err != nil {
			continue // it has ended
		}
		command, _ := os.ReadFile(filepath.Join(folder, "cmdline"))
		pid, _ := strconv.Atoi(filepath.Base(folder))
		_, rest, _ := strings.Cut(string(stat), ") ")
		fields := strings.Fields(rest)
		parent, _ := strconv.Atoi(fields[1])
		all[pid] = process{parent, string(command)}
	}
	for _, p := range all {
		if !strings.Contains(p.command, "efoc answer") {
			continue
		}
		executor := 0
		for at := p.parent; at > 1; at = all[at].parent {
			if strings.Contains(all[at].command, "CoarseGrainedExecutorBackend") && executor == 0 {
				executor = at
			}
			if at == ancestor && executor != 0 {
				return executor
			}
		}
	}
	return 0
}

// The Job for Kubernetes is valid, and its pods answer every row once.
func TestKubernetesJob(t *testing.T) {
	var job struct {
		Spec struct {
			Completions int
			Template    struct {
				Spec struct {
					Containers []struct{ Args []string }
				}
			}
		}
	}
	if _, err := yaml.Unmarshal([]byte(readText(t, "examples/job.yaml")), &job, yaml.DecodeOpts{}); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "languages.efo"), readText(t, "examples/languages.efo"))
	parts := make([]string, job.Spec.Completions) // as split -n r/8 makes them
	row := 0
	for line := range strings.Lines(numbered(100)) {
		parts[row%len(parts)] += line
		row++
	}
	lines := map[string]string{}
	for i, part := range parts {
		write(t, filepath.Join(dir, fmt.Sprintf("rows-%d.jsonl", i)), part)
		var args []string
		for _, arg := range job.Spec.Template.Spec.Containers[0].Args {
			arg = strings.ReplaceAll(strings.ReplaceAll(arg, "$(PART)", fmt.Sprint(i)), "/data/", dir+"/")
			if !strings.HasPrefix(arg, "--model=") { // the built-in one has to do
				args = append(args, arg)
			}
		}
		efoc(t, args...).want(t, statusOK, "", "")
		out := readText(t, filepath.Join(dir, fmt.Sprintf("answers-%d.jsonl", i)))
		for line := range strings.Lines(out) {
			for _, x := range answeredLines(t, line) {
				if lines[x.Input["country"]] != "" {
					t.Errorf("row %v is answered twice", x.Input)
				}
				lines[x.Input["country"]] = line
			}
		}
	}
	whole := ""
	for row := range 100 {
		whole += lines[fmt.Sprintf("#%d", row)]
	}
	wantNumbered(t, whole, 100)
}

// TestKubernetesSchema validates the examples for Kubernetes, and a wrong one.
func TestKubernetesSchema(t *testing.T) {
	clientsPath(t)
	need(t, "kubernetes-validate", "--version")
	for _, path := range []string{"examples/job.yaml", "examples/shards.yaml"} {
		if out, err := exec.Command("kubernetes-validate", "--strict", path).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}
	wrong := strings.ReplaceAll(readText(t, "examples/job.yaml"), "completionMode", "completionsMode")
	if out, err := exec.Command("kubernetes-validate", "--strict", write(t, filepath.Join(t.TempDir(), "job.yaml"), wrong)).CombinedOutput(); err == nil {
		t.Errorf("a wrong field is taken: %s", out)
	}
}

// TestKubernetesShards checks that the program takes the arguments of the Deployment.
func TestKubernetesShards(t *testing.T) {
	var deployment struct {
		Spec struct {
			Template struct {
				Spec struct {
					Containers []struct{ Args []string }
				}
			}
		}
	}
	if _, err := yaml.Unmarshal([]byte(readText(t, "examples/shards.yaml")), &deployment, yaml.DecodeOpts{}); err != nil {
		t.Fatal(err)
	}
	k, err := kong.New(&commands{}, kong.Bind(&app{}), kong.Vars{"version": ""})
	require.NoError(t, err)
	args := deployment.Spec.Template.Spec.Containers[0].Args
	if _, err := k.Parse(args[1:]); err != nil || args[0] != "efoc" {
		t.Errorf("%q: %v", args, err)
	}
}
