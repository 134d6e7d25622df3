//go:build mpi && linux

package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/explain"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
)

// TestMPITraffic answers a question on 2 and 4 processes whose messages go by TCP, and compares
// what efoc explain says that it sends with what Open MPI counts and with what the network's
// counters say, each without that of a run that answers nothing. The processes have a network of
// their own. Its counters decide in long tests alone: how TCP confirms depends on the machine's load.
func TestMPITraffic(t *testing.T) {
	t.Setenv("EFOC_MODEL", "")
	ranksOf(t, 2, "") // skips the test without mpirun
	if out, err := exec.Command("unshare", "-rn", "ip", "link", "set", "lo", "up").CombinedOutput(); err != nil {
		t.Skipf("needs a network of its own, by unshare of util-linux and ip of iproute2, where the system lets users make one: %v: %s", err, out)
	}
	const formula = `exists x. borders("France", x) & official_language(x, y)`
	templates := write(t, filepath.Join(t.TempDir(), "traffic.efo"), "package traffic\n\nquery One() y = "+formula+"\n")
	for _, n := range []int{2, 4} {
		world, folder := splitWorld(t, fmt.Sprint(n))
		for _, semantics := range []string{"nsmp", "fit", "mixed"} {
			r := efoc(t, "explain", formula, "--model", world, "--shards", fmt.Sprint(n), "--semantics", semantics, "--format", "json")
			r.want(t, statusOK, "", "")
			var report explain.Report
			require.NoError(t, json.Unmarshal([]byte(r.stdout), &report))
			said := report.Cost.Exchanges
			args := []string{"answer", templates, "-k", "10", "--semantics", semantics, "--model", folder}
			start := trafficOf(t, n, "", args)
			// A busy machine confirms more packets apart.
			near := false
			for attempt := 0; attempt < 5 && !near; attempt++ {
				all := trafficOf(t, n, `{"query":"One"}`, args)
				messages, bytes, wire := all.messages-start.messages, all.bytes-start.bytes, all.wire-start.wire
				t.Logf("%d processes, %s: %d messages of %d bytes, on the wire %d; explain says %d of %d, %d", n, semantics, messages, bytes, wire, said.Messages, said.Bytes, said.WireBytes)
				if messages != said.Messages || bytes != said.Bytes {
					t.Fatalf("%d processes, %s: explain says %d messages of %d bytes, Open MPI has sent %d of %d", n, semantics, said.Messages, said.Bytes, messages, bytes)
				}
				near = math.Abs(float64(said.WireBytes-wire)) <= 0.1*float64(wire)
			}
			if !near && long.Tests() {
				t.Errorf("%d processes, %s: explain says %d bytes on the wire, want that within 10%%", n, semantics, said.WireBytes)
			}
		}
	}
}

// traffic is what processes have sent to one another: messages and their bytes, and bytes with
// all headers.
type traffic struct{ messages, bytes, wire int64 }

// trafficOf answers rows and returns the traffic of that.
func trafficOf(t *testing.T, n int, rows string, args []string) (sent traffic) {
	t.Helper()
	dir := t.TempDir()
	cmd, stdout, stderr := ranksOf(t, n, rows, args...)
	words := append(mpirunWords(n), "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "lo",
		"--mca", "pml_monitoring_enable", "1", "--mca", "pml_monitoring_enable_output", "3", "--mca", "pml_monitoring_filename", filepath.Join(dir, "sent"))
	words = append(words, cmd.Args[len(mpirunWords(n)):]...)
	unshare, err := exec.LookPath("unshare")
	require.NoError(t, err)
	cmd.Path, cmd.Args = unshare, append([]string{"unshare", "-rn", "sh", "-c", `ip link set lo up && "$@" && cat /proc/self/net/dev >&2`, "sh"}, words...)
	if err := cmd.Run(); err != nil || strings.Contains(stdout.String(), `"error"`) {
		t.Fatalf("%d processes: %v: %s%s", n, err, stdout, stderr)
	}
	_, counters, _ := strings.Cut(stderr.String(), "lo:")
	var received, packets, skipped int64
	if _, err := fmt.Sscan(counters, &received, &packets, &skipped, &skipped, &skipped, &skipped, &skipped, &skipped, &sent.wire); err != nil {
		t.Fatalf("%v in %s", err, stderr)
	}
	files, err := filepath.Glob(filepath.Join(dir, "sent.*.prof"))
	if err != nil || len(files) != n {
		t.Skipf("needs the component monitoring of Open MPI: %d processes have written %v", n, files)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) { // by whom, to whom
			var kind string
			var from, to int
			var bytes, messages int64
			if _, err := fmt.Sscanf(line, "%s %d %d %d bytes %d msgs", &kind, &from, &to, &bytes, &messages); err == nil && (kind == "E" || kind == "I") && from != to {
				sent.bytes, sent.messages = sent.bytes+bytes, sent.messages+messages
			}
		}
	}
	return sent
}
