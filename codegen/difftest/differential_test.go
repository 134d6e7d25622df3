package difftest

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/fit"
)

var (
	long  = flag.Bool("long", false, "run a million differential cases; give -timeout 0 too")
	cases = flag.Int("cases", 0, "run about this `number` of differential cases")
	seed  = flag.Uint64("seed", 1, "`seed` of the differential cases")
)

const (
	ordinaryCases = 6000
	longCases     = 1_000_000
	shortCases    = 1000
	// round is how many worlds are compared on one engine of the kernels before the next
	// is used.
	round = 16
	// most is how many disagreements end the test.
	most = 5
)

// TestDifferential compares the engines with the reference on random cases: formula,
// graph, rank, type of the table, kernels, batch, engine, semantics and size of the
// scores are drawn. What disagrees is made small and kept in testdata/regress.
//
//	go test ./codegen/difftest -run TestDifferential -long -timeout 0
//	go test ./codegen/difftest -run TestDifferential -cases 50000 -seed 7 -v
func TestDifferential(t *testing.T) {
	want := ordinaryCases
	switch {
	case *cases > 0:
		want = *cases
	case *long:
		want = longCases
	case testing.Short():
		want = shortCases
	}
	qs, err := newQuestions()
	if err != nil {
		t.Fatal(err)
	}
	defer qs.model.Close()
	before := simd.Engine()
	defer func() {
		if err := simd.Use(before); err != nil {
			t.Error(err)
		}
	}()
	d := &differential{qs: qs, counts: map[string]map[string]int{}}
	start, disagreements := time.Now(), 0
	deadline, timed := t.Deadline()
	for first := uint64(0); d.total < want && disagreements < most; first += round {
		if timed && time.Until(deadline) < 30*time.Second {
			t.Errorf("out of time: give a longer -timeout, or fewer -cases")
			break
		}
		failed, err := d.round(first)
		if err != nil {
			t.Fatalf("seed %d: %v", *seed, err)
		}
		disagreements += len(failed)
		for _, c := range failed[:min(len(failed), most)] {
			d.report(t, c)
		}
		if d.total/100_000 > (d.total-d.last)/100_000 && testing.Verbose() {
			fmt.Printf("%d cases in %v\n", d.total, time.Since(start).Round(time.Second))
		}
	}
	d.summary(t)
	t.Logf("%d cases, %d disagreements, seed %d, %.0f cases a second", d.total, disagreements, *seed, float64(d.total)/time.Since(start).Seconds())
	if d.sharp < d.answers/2 {
		t.Errorf("only %d of %d answers were known to a part in a hundred", d.sharp, d.answers)
	}
}

// differential is the state of a run.
type differential struct {
	qs     *questions
	counts map[string]map[string]int // by dimension and value
	// total counts cases, last those of the last round.
	total, last int
	// answers counts what the reference computed, sharp where it is well conditioned.
	answers, sharp int
	refused        int
}

// A group is a template with settings and values, in a world.
type group struct {
	question *question
	testCase // without kernels and engine
	batch    []runtime.Bindings
	want     []*expected
	ranked   bool // the ranking is checked as well
}

// job is what one world is asked.
type job struct {
	world   world
	groups  []*group
	failed  []*testCase
	done    []*testCase // alone or as a batch: what is counted
	refused int
	err     error
}

// round draws some worlds, computes what they must answer and compares all engines. It
// returns the cases that disagree.
func (d *differential) round(first uint64) (failed []*testCase, err error) {
	jobs := make([]*job, round)
	inParallel(len(jobs), func(i int) {
		jobs[i] = &job{}
		jobs[i].err = jobs[i].draw(d.qs, rand.New(rand.NewPCG(*seed, first+uint64(i))))
	})
	d.last = 0
	for _, kernels := range simd.Engines() {
		if err := simd.Use(kernels); err != nil {
			return nil, err
		}
		inParallel(len(jobs), func(i int) {
			if jobs[i].err == nil {
				jobs[i].err = jobs[i].compare(kernels)
			}
		})
	}
	for _, j := range jobs {
		if j.err != nil {
			return nil, fmt.Errorf("world %+v: %w", j.world, j.err)
		}
		failed = append(failed, j.failed...)
		d.count(j)
	}
	return failed, nil
}

// draw draws a world and what it is asked.
func (j *job) draw(qs *questions, rng *rand.Rand) error {
	j.world = drawWorld(rng)
	m, err := j.world.model()
	if err != nil {
		return err
	}
	defer m.Close()
	for range 4 {
		text, keep := benchmarks[rng.IntN(len(benchmarks))], true
		if rng.IntN(2) == 0 {
			text, keep = drawTemplate(rng), false
		}
		semantics := fit.All[rng.IntN(len(fit.All))]
		q, err := qs.get(text, 0, semantics, keep)
		if err != nil {
			j.refused++ // such as too many messages
			continue
		}
		s := drawSettings(rng, j.world.Entities, q.depth(), semantics)
		if s.Layers != 0 {
			if q, err = qs.get(text, s.Layers, semantics, false); err != nil {
				j.refused++
				continue
			}
		}
		g := &group{question: q, ranked: rng.IntN(4) == 0}
		g.testCase = testCase{World: j.world, Query: text, Semantics: semantics, Settings: s}
		g.Bindings = drawBindings(rng, q.params, j.world, drawBatch(rng))
		for _, values := range g.Bindings {
			b := q.bind(values)
			x, err := q.expect(m, s, b, j.world.Seed)
			if err != nil {
				return err
			}
			g.batch, g.want = append(g.batch, b), append(g.want, x)
		}
		j.groups = append(j.groups, g)
	}
	return nil
}

// compare asks every group of all engines, alone and as a batch.
func (j *job) compare(kernels string) error {
	m, err := j.world.model()
	if err != nil {
		return err
	}
	defer m.Close()
	if j.world.Seed%2 == 0 {
		fit.RowsOf(m).SetBudget(0) // every query makes its own rows
	}
	for _, g := range j.groups {
		before := len(j.failed)
		for _, engine := range engines {
			plan := g.question.plans[engine]
			if plan == nil {
				continue
			}
			ask := func(lo, hi int) error {
				c := g.testCase
				c.Kernels, c.Engine, c.Bindings = kernels, engine, g.Bindings[lo:hi]
				got, err := answer(m, plan, g.batch[lo:hi], g.Settings)
				if err != nil {
					got = make([][][]float32, hi-lo)
				}
				for i := range got {
					what, failure := g.want[lo+i].compare(m, got[i])
					if failure != nil {
						return failure
					}
					if err != nil {
						what = err.Error()
					}
					if what == "" && hi-lo == 1 && g.ranked {
						what = top(m, plan, g.want[lo], 1+m.NumEntities()/2)
					}
					if what != "" && len(j.failed) == before { // one of a group is enough
						failed := c
						failed.Note = what
						j.failed = append(j.failed, &failed)
					}
				}
				j.done = append(j.done, &c)
				return nil
			}
			for i := range g.batch {
				if err := ask(i, i+1); err != nil {
					return err
				}
			}
			if len(g.batch) > 1 {
				if err := ask(0, len(g.batch)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// count counts what a world was asked. Each query of a batch is a case.
func (d *differential) count(j *job) {
	for _, c := range j.done {
		d.total += len(c.Bindings)
		d.last += len(c.Bindings)
		for dimension, value := range c.dimensions() {
			if d.counts[dimension] == nil {
				d.counts[dimension] = map[string]int{}
			}
			d.counts[dimension][value] += len(c.Bindings)
		}
	}
	for _, g := range j.groups {
		for _, x := range g.want {
			d.answers++
			if x.sharp() {
				d.sharp++
			}
		}
	}
	d.refused += j.refused
}

// dimensions says what kind of case it is.
func (c *testCase) dimensions() map[string]string {
	class := func(x int, bounds ...int) string {
		lo := 0
		for _, b := range bounds {
			if x <= b {
				return fmt.Sprintf("%03d to %03d", lo, b)
			}
			lo = b + 1
		}
		return fmt.Sprintf("%03d and more", lo)
	}
	formula := "random"
	if slices.Contains(benchmarks, c.Query) {
		formula = "benchmark"
	}
	odd := "even"
	if c.World.Rank%2 == 1 {
		odd = "odd"
	}
	largest := int(c.World.Scale*3 + max(c.World.Shift, -c.World.Shift))
	return map[string]string{
		"formula":   formula,
		"entities":  class(c.World.Entities, 12, 40, 80),
		"rank":      odd + " " + class(c.World.Rank, 8, 24),
		"table":     string(c.World.Table),
		"kernels":   c.Kernels,
		"engine":    string(c.Engine),
		"semantics": string(c.Semantics),
		"batch":     class(len(c.Bindings), 1, 3, 8),
		"scores":    "up to " + class(largest, 0, 10, 80, 200),
	}
}

// summary logs the counts.
func (d *differential) summary(t *testing.T) {
	for _, dimension := range slices.Sorted(maps.Keys(d.counts)) {
		var list []string
		for _, value := range slices.Sorted(maps.Keys(d.counts[dimension])) {
			list = append(list, fmt.Sprintf("%s %d", value, d.counts[dimension][value]))
		}
		t.Logf("%s: %s", dimension, strings.Join(list, ", "))
	}
	t.Logf("answers of the reference: %d, known to a part in a hundred: %d; formulas refused: %d", d.answers, d.sharp, d.refused)
}

// report makes a case that disagrees small and keeps it.
func (d *differential) report(t *testing.T, c *testCase) {
	t.Helper()
	note := c.Note
	fails := func(try *testCase) bool {
		what, err := try.onKernels(d.qs)
		if err == nil && what != "" {
			try.Note = what
		}
		return err == nil && what != ""
	}
	if !fails(c) {
		t.Errorf("%s; it does not fail alone: -seed %d -cases %d\n%+v", note, *seed, d.total, c)
		return
	}
	c = shrink(c, fails)
	path, err := c.keep()
	if err != nil {
		t.Error(err)
	}
	t.Errorf("%s\nkept as %s, replay it with -run TestRegress: %s, %s kernels, %s\n%s\n%+v\n%+v\n%v",
		note, path, c.Engine, c.Kernels, c.Note, c.Query, c.World, c.Settings, c.Bindings)
}

// inParallel calls do for the numbers below n on all processors.
func inParallel(n int, do func(i int)) {
	var next atomic.Int32
	var wg sync.WaitGroup
	for range goruntime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wg.Wait()
}
