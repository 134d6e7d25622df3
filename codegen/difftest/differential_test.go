package difftest

import (
	"flag"
	"runtime/debug"
	"testing"
	"time"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

var cases = flag.Int("cases", 0, "run about this `number` of differential cases")

const (
	ordinaryCases = 2000
	longCases     = 100_000
	shortCases    = 1000
	// round is the number of worlds compared on one set of kernels before switching to the next.
	round = 16
	// memory is the heap size above which garbage collections become frequent.
	memory = 1 << 30
	// most is the number of differences that ends the test.
	most = 5
)

// TestDifferential compares the engines with the reference on random cases: formula, graph, rank, type of the
// table, kernels, batch, engine, semantics and size of the scores are drawn. Cases with differences are kept in
// testdata/regress.
//
//	go test ./codegen/difftest -run TestDifferential -cases 1000000 -timeout 0
//	EFOC_SEED=7 go test ./codegen/difftest -run TestDifferential -cases 50000 -v
func TestDifferential(t *testing.T) {
	want := ordinaryCases
	switch {
	case *cases > 0:
		want = *cases
	case long.Tests():
		want = longCases
	case testing.Short():
		want = shortCases
	}
	qs, err := newQuestions()
	require.NoError(t, err)
	defer qs.model.Close()
	before := simd.Engine()
	defer func() {
		if err := simd.Use(before); err != nil {
			t.Error(err)
		}
	}()
	// Workspaces of queries that are no longer used stay in their pools for two collections, so the heap would keep
	// growing.
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(memory))
	d := &differential{qs: qs, seed: seed.Of(t)}
	disagreements := 0
	deadline, timed := t.Deadline()
	for first := uint64(0); d.total < want && disagreements < most; first += round {
		if timed && time.Until(deadline) < 30*time.Second {
			t.Errorf("out of time: give a longer -timeout, or fewer -cases")
			break
		}
		failed, err := d.round(first)
		if err != nil {
			t.Fatal(err)
		}
		disagreements += len(failed)
		for _, c := range failed[:min(len(failed), most)] {
			d.report(t, c)
		}
	}
	t.Logf("%d cases, %d disagreements, seed %d; answers of the reference: %d, known to a part in a hundred: %d; formulas refused: %d",
		d.total, disagreements, d.seed, d.answers, d.sharp, d.refused)
	if d.sharp < d.answers/2 {
		t.Errorf("only %d of %d answers were known to a part in a hundred", d.sharp, d.answers)
	}
}

// differential is the state of a run.
type differential struct {
	qs   *questions
	seed uint64
	// total counts cases.
	total int
	// answers counts the reference's results, sharp those that are well conditioned.
	answers, sharp int
	refused        int
}

// count counts the queries asked of a world. Each query of a batch is a case.
func (d *differential) count(j *job) {
	d.total += j.compared
	d.refused += j.refused
	for _, g := range j.groups {
		for _, x := range g.want {
			d.answers++
			if x.Sharp() {
				d.sharp++
			}
		}
	}
}

// report repeats a differing case on its own, and keeps it.
func (d *differential) report(t *testing.T, c *testCase) {
	t.Helper()
	what, err := c.onKernels(d.qs)
	if err != nil || what == "" {
		t.Errorf("%s; it does not fail alone: EFOC_SEED=%d, -cases %d\n%+v", c.Note, d.seed, d.total, c)
		return
	}
	path, err := c.keep()
	if err != nil {
		t.Error(err)
	}
	t.Errorf("%s\nkept as %s, replay it with -run TestRegress: %s, %s kernels, %s\n%s\n%+v\n%+v\n%v",
		c.Note, path, c.Engine, c.Kernels, what, c.Query, c.World, c.Settings, c.Bindings)
}
