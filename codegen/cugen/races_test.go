package cugen_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/emulate"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// TestRaces compares every op and every shape with the interpreter on an emulated device that detects races.
func TestRaces(t *testing.T) {
	long.Need(t, "finding races takes minutes")
	t.Run("ops", func(t *testing.T) { compareOps(t, openRaces(t)) })
	t.Run("degreeops", func(t *testing.T) { compareDegreeOps(t, openRaces(t)) })
	var all []string
	for _, s := range benchmark.Shapes {
		all = append(all, s.Name)
	}
	for _, c := range []shapesCase{
		{40, 6, table.Float32, 100, all},
		{70, 5, table.Float32, 20, []string{"2il"}},
		{50, 150, table.Int8, 20, []string{"2in", "3c"}},
		{40, 1000, table.Int8, 100, []string{"2p"}},
	} {
		t.Run(fmt.Sprint(c.table, c.rank), func(t *testing.T) { compareUnderRaces(t, openRaces(t), c) })
	}
}

// openRaces opens a device whose blocks have two warps and loop over branches and rows.
func openRaces(t *testing.T) *device.Device {
	t.Helper()
	return openOn(t, emulate.Races(t), device.Tuning{MapThreads: 64, TopThreads: 64, Blocks: 1, Splits: 8, Together: 2})
}

// compareUnderRaces compares each shape of a case by message passing, and by truth degrees with 3 candidates.
func compareUnderRaces(t *testing.T, d *device.Device, c shapesCase) {
	t.Helper()
	host := newModel(t, 3, c.n, c.rank, c.table, c.alpha)
	m, err := d.Load(host.Bundle())
	require.NoError(t, err)
	plans := modulePlans(t, c.shapes)
	for _, name := range c.shapes {
		q, err := m.Runner(plans[name])
		require.NoError(t, err)
		compareShape(t, host, q, compiledShape(t, name))
		compareTruth(t, host, m, name, plans[name], []int{3})
	}
	require.NoError(t, m.Close())
}

// harmless maps barriers whose removal causes no race in the present kernels to the reason; functions keep them for future callers.
var harmless = map[string]string{
	"model.cuh:2":  "a kernel calls block_max once",
	"scores.cuh:2": "sum_rows has the barriers of is_last between its two sums",
}

// TestMutants removes each barrier and fence of the kernels in turn: TestRaces must fail, unless it is harmless.
func TestMutants(t *testing.T) {
	long.Need(t, "it compiles the kernels for each barrier and fence")
	found := 0
	for _, mutants := range allMutants() {
		for _, m := range mutants {
			if m.tested(t) {
				found++
			}
		}
	}
	t.Logf("%d mutants are found, %d are harmless", found, len(harmless))
}

// TestMutantSample does the same for one barrier or fence of each header, drawn by EFOC_SEED.
func TestMutantSample(t *testing.T) {
	long.Need(t, "it compiles the kernels for a barrier or a fence of each header")
	rng := rand.New(rand.NewPCG(seed.Of(t), 1))
	for _, mutants := range allMutants() {
		mutants[rng.IntN(len(mutants))].tested(t)
	}
}

// mutant is a header without one barrier or fence: its name, the removed line, and the parts of TestRaces that run the
// header, in order.
type mutant struct {
	name, line string
	parts      []string
}

// allMutants returns the mutants of each header that has any.
func allMutants() (all [][]mutant) {
	parts := map[string][]string{"top.cuh": {"ops"}, "scores.cuh": {"ops"}, "fuzzy.cuh": {"ops"}, "batch.cuh": {"ops", "int8150"}}
	headers := cuda.Headers()
	for _, header := range slices.Sorted(maps.Keys(headers)) {
		order, ok := parts[header]
		switch {
		case strings.HasPrefix(header, "fit"):
			order = []string{"degreeops"}
		case !ok:
			order = []string{"ops", "degreeops", "float326"}
		}
		var mutants []mutant
		for i, line := range emulate.Orders(headers[header]) {
			mutants = append(mutants, mutant{fmt.Sprint(header, ":", i), line, order})
		}
		if len(mutants) > 0 {
			all = append(all, mutants)
		}
	}
	return all
}

// tested reports whether a part of TestRaces fails for the mutant, and fails the test if that is unexpected.
func (m mutant) tested(t *testing.T) bool {
	t.Helper()
	what := m.firstFailure(t)
	found := what != ""
	switch {
	case !found && harmless[m.name] == "":
		t.Errorf("%s is not found: %s", m.name, m.line)
	case found && harmless[m.name] != "":
		t.Errorf("%s is not harmless: %s", m.name, what)
	case found:
		t.Logf("%s: %s", m.name, what)
	}
	return found
}

// firstFailure returns the message of the first part of TestRaces that fails for the mutant, "" if none does.
func (m mutant) firstFailure(t *testing.T) string {
	t.Helper()
	for _, part := range m.parts {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		c := exec.CommandContext(ctx, os.Args[0], "-test.run", "^TestRaces$/^"+part+"$")
		c.Env = append(os.Environ(), emulate.Mutant+"="+m.name, long.Env+"=1")
		out, err := c.CombinedOutput()
		cancel()
		if err == nil {
			continue
		}
		for line := range strings.Lines(string(out)) {
			if strings.Contains(line, "_test.go:") {
				return strings.TrimSpace(line)
			}
		}
		return err.Error()
	}
	return ""
}
