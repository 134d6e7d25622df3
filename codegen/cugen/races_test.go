package cugen_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/emulate"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
)

// TestRaces compares every op and every shape with the interpreter on an emulated device that finds races.
func TestRaces(t *testing.T) {
	long.Need(t, "finding races takes minutes")
	t.Run("ops", func(t *testing.T) { compareOps(t, openRaces(t)) })
	t.Run("degreeops", func(t *testing.T) { compareDegreeOps(t, openRaces(t)) })
	var all []string
	for _, s := range benchmark.Shapes {
		all = append(all, s.Name)
	}
	for _, c := range []shapesCase{
		{40, 6, model.Float32, 100, all},
		{70, 5, model.BFloat16, 20, []string{"2il"}},
		{50, 150, model.Int8, 20, []string{"2in", "3c"}},
		{40, 1000, model.Int8, 100, []string{"2p"}},
	} {
		t.Run(fmt.Sprint(c.table, c.rank), func(t *testing.T) { compareUnderRaces(t, openRaces(t), c) })
	}
}

// openRaces opens a device whose blocks have two warps, and go over branches and rows in turn.
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

// harmless are barriers without which kernels have no race, and why they stay.
var harmless = map[string]string{
	"fitrows.cuh:2": "block_sum has barriers between two calls of block_max, which need not be so",
}

// TestMutants leaves out each barrier and fence of the kernels in turn: TestRaces fails without it.
func TestMutants(t *testing.T) {
	long.Need(t, "it compiles the kernels for each barrier and fence")
	// The parts of TestRaces that run a header, in the order in which they are asked.
	parts := map[string][]string{"fit": {"degreeops"}, "top.cuh": {"ops", "float326"}, "scores.cuh": {"ops"}, "fuzzy.cuh": {"ops"}, "batch.cuh": {"ops", "int8150"}}
	found := 0
	headers := cuda.Headers()
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		order, ok := parts[name]
		if strings.HasPrefix(name, "fit") {
			order, ok = parts["fit"], true
		}
		if !ok {
			order = []string{"ops", "degreeops", "float326"}
		}
		for i, line := range emulate.Orders(headers[name]) {
			mutant := fmt.Sprint(name, ":", i)
			what := firstFailure(t, mutant, order)
			if what == "" && harmless[mutant] != "" {
				continue
			}
			if what == "" {
				t.Errorf("%s is not found: %s", mutant, line)
				continue
			}
			found++
			t.Logf("%s: %s", mutant, what)
		}
	}
	t.Logf("%d mutants are found", found)
}

// firstFailure returns what the first part of TestRaces says that fails for a mutant, "" if none does.
func firstFailure(t *testing.T, mutant string, parts []string) string {
	t.Helper()
	for _, part := range parts {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		c := exec.CommandContext(ctx, os.Args[0], "-test.run", "^TestRaces$/^"+part+"$")
		c.Env = append(os.Environ(), emulate.Mutant+"="+mutant, long.Env+"=1")
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
