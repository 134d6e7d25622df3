//go:build !race

package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/efoc/efoc/runtime/memory"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/names"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
)

// The race detector takes memory of its own.

// wide is a model most of which are rows: so many entities, of codes of 8 bits alone.
var wide = struct{ entities, rank, relations, facts int }{entities: 200_000, rank: 512, relations: 4, facts: 1_000_000}

// writeWide writes it.
func writeWide(t *testing.T, path string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	facts := make([]graph.Triple, wide.facts)
	for i := range facts {
		facts[i] = graph.Triple{Head: graph.EntityID(rng.IntN(wide.entities)), Relation: int32(i % wide.relations), Tail: graph.EntityID(rng.IntN(wide.entities))}
	}
	graph, err := graph.New(wide.entities, wide.relations, facts)
	require.NoError(t, err)
	random := make([]float32, 1<<16)
	for i := range random {
		random[i] = float32(rng.NormFloat64()) / 16
	}
	p := model.Predictor{Rank: wide.rank, RelationTable: make([]float32, 2*wide.relations*2*wide.rank)}
	copy(p.RelationTable, random)
	p.EntityTable, err = table.Build(wide.entities, 2*wide.rank, table.Int8, "", func(e int, to []float32) error {
		copy(to, random[e*37%(len(random)-len(to)):])
		return nil
	})
	require.NoError(t, err)
	names := func(kind, format string, n int) *names.Names {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf(format, i)
		}
		made, err := names.New(kind, list, nil)
		require.NoError(t, err)
		return made
	}
	m, err := model.New(model.Manifest{Name: "wide", Settings: model.DefaultSettings(), Visible: "made up"}, graph, nil, p,
		names("entity", "e%06d", wide.entities), names("relation", "r%d", wide.relations))
	require.NoError(t, err)
	defer m.Close()
	require.NoError(t, model.Save(t.Context(), path, m, nil))
}

const wideTemplate = "package wide\n\nquery Two(s entity) y = exists x. r0($s, x) & r1(x, y)\n"

// askShards starts a job that answers questions about shards, calls look once it has answered
// them and still waits for more, and then ends it.
func askShards(t *testing.T, cmd *exec.Cmd, questions []string, look func(pid int)) {
	t.Helper()
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	defer in.Close()
	cmd.Stdout = nil
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	if _, err := io.WriteString(in, strings.Join(questions, "\n")+"\n"); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for range questions[1:] { // the first line is a heading
		if !lines.Scan() || !strings.Contains(lines.Text(), `"answers"`) {
			t.Errorf("got %s", lines.Text())
		}
	}
	look(cmd.Process.Pid)
	require.NoError(t, in.Close())
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, cmd.Stderr)
	}
}

// residentOf returns the memory of a process, in bytes, and how much of that are pages of a file.
func residentOf(t *testing.T, pid int, path string) (all, file int64) {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps", pid))
	require.NoError(t, err)
	inside := false
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if strings.Contains(fields[0], "-") {
			inside = fields[len(fields)-1] == path
		}
		if fields[0] != "Rss:" {
			continue
		}
		kilobytes, err := strconv.ParseInt(fields[1], 10, 64)
		require.NoError(t, err)
		if all += kilobytes << 10; inside {
			file += kilobytes << 10
		}
	}
	return all, file
}

// peakOf runs a command and returns the most memory that it had, in bytes. It looks while the
// command runs: the usage that the system reports in the end counts that of this process, too.
func peakOf(cmd *exec.Cmd) (peak int64, err error) {
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	for {
		select {
		case err := <-ended:
			return peak, err
		case <-look.C:
			_, most := memory.OfProcess(strconv.Itoa(cmd.Process.Pid))
			peak = max(peak, most) // none once it has ended
		}
	}
}

// wideVectors returns the number of vectors of the plan that answers wideTemplate.
func wideVectors(t *testing.T) int {
	t.Helper()
	for _, p := range plans {
		if p.Shape == "r1(s1,e1) & r2(e1,f)" && p.Semantics == model.NSMP {
			return p.Vectors
		}
	}
	t.Fatal("there is no plan of 2p")
	return 0
}

// splitWide splits the wide model in a process that has next to none of it in memory, and
// returns the templates to ask and the folder.
func splitWide(t *testing.T, shards int) (templates, folder string) {
	t.Helper()
	dir := t.TempDir()
	whole, folder := filepath.Join(dir, "wide.efoc"), filepath.Join(dir, "wide.split")
	writeWide(t, whole)
	cmd, stdout, stderr := program(nil, "split", whole, "-n", fmt.Sprint(shards), "-o", folder)
	peak, err := peakOf(cmd)
	if err != nil {
		t.Fatalf("%v: %s%s", err, stdout, stderr)
	}
	most := int64(200<<20 + 16*wide.facts)
	t.Logf("splitting takes %d MB", peak>>20)
	if peak > most || peak == 0 {
		t.Errorf("splitting takes %d MB, want at most 200 MB and the graph, %d MB", peak>>20, most>>20)
	}
	return write(t, filepath.Join(dir, "wide.efo"), wideTemplate), folder
}

// worldShards returns the same for the built-in model: what a process takes beside a model.
func worldShards(t *testing.T, shards int) (templates, folder string) {
	t.Helper()
	_, folder = splitWorld(t, fmt.Sprint(shards))
	return write(t, filepath.Join(t.TempDir(), "world.efo"), "package world\n\nquery Two(s entity) y = exists x. borders($s, x) & official_language(x, y)\n"), folder
}

// The questions are asked in batches, as many at a time as there is memory for.
var (
	wideConstants  = append([]string{"s"}, slices.Repeat([]string{"e000017", "e123456", "e000018", "e199999", "e000000", "e012345"}, 8)...)
	worldConstants = append([]string{"s"}, slices.Repeat([]string{"France", "Brazil", "Kenya", "Peru", "Spain", "Chile"}, 8)...)
)

// shardBytes returns what a shard of so many may take at most beside what any process takes:
// its rows, their norms and its facts with 15%, and vectors.
func shardBytes(t *testing.T, shards int) int64 {
	const row = 4 + 4 + 4 // scale, residual and norm
	model := int64(wide.entities*(2*wide.rank+row) + 16*wide.facts)
	vectors := int64(4 * wide.entities * wideVectors(t))
	return (115*model/100 + vectors) / int64(shards)
}

// TestShardsMemory splits a model and answers on all of its shards in one process, within the
// memory that is promised.
func TestShardsMemory(t *testing.T) {
	long.Need(t, "it splits a model of 200,000 entities")
	const shards = 4
	took := func(templates, folder string, questions []string) (resident int64) {
		cmd, _, _ := program(nil, "answer", templates, "--model", folder)
		askShards(t, cmd, questions, func(pid int) {
			all, head := residentOf(t, pid, filepath.Join(folder, "head.efoc"))
			resident = all - head
		})
		return resident
	}
	templates, folder := splitWide(t, shards)
	large := took(templates, folder, wideConstants)
	templates, folder = worldShards(t, shards)
	got, most := large-took(templates, folder, worldConstants), shards*shardBytes(t, shards)
	t.Logf("%d shards take %d MB of %d", shards, got>>20, most>>20)
	if got > most || got < most/2 {
		t.Errorf("%d shards take %d MB, want at most %d MB", shards, got>>20, most>>20)
	}
}
