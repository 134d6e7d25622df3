package difftest

import (
	"fmt"
	"math/rand/v2"
	goruntime "runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model"
)

// tooMany is part of the error for a template that is too large.
const tooMany = "messages: use fewer"

// A group is a template with settings and values, in a world.
type group struct {
	question *question
	testCase // without kernels and engine
	want     []*wanted
	ranked   bool // whether the ranking is checked too
}

// job is a world and its queries.
type job struct {
	world    world
	groups   []*group
	rows     []*rowsCase
	failed   []*testCase
	compared int // answers, to single queries or in batches
	refused  int
	err      error
}

// round draws several worlds, computes the expected results and compares all engines. It returns the differing
// cases.
func (d *differential) round(first uint64) (failed []*testCase, err error) {
	jobs := make([]*job, round)
	inParallel(len(jobs), func(i int) {
		jobs[i] = &job{}
		jobs[i].err = jobs[i].draw(d.qs, rand.New(rand.NewPCG(d.seed, first+uint64(i))))
	})
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

// draw draws a world and its queries.
func (j *job) draw(qs *questions, rng *rand.Rand) error {
	j.world = drawWorld(rng)
	m, err := j.world.model()
	if err != nil {
		return err
	}
	defer m.Close()
	for range 4 {
		text, keep := fixedTemplates[rng.IntN(len(fixedTemplates))], true
		if rng.IntN(2) == 0 {
			text, keep = drawTemplate(rng), false
		}
		semantics := model.AllSemantics[rng.IntN(len(model.AllSemantics))]
		q, err := qs.get(text, 0, semantics, keep)
		var s model.Settings
		if err == nil {
			if s = drawSettings(rng, j.world.Entities, q.depth(), semantics); s.Layers != 0 {
				q, err = qs.get(text, s.Layers, semantics, false)
			}
		}
		if err != nil && strings.Contains(err.Error(), tooMany) {
			j.refused++
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
		g := &group{question: q, ranked: rng.IntN(4) == 0}
		g.testCase = testCase{World: j.world, Query: text, Semantics: semantics, Settings: s}
		g.Bindings = drawBindings(rng, q.params, j.world, drawBatch(rng))
		for _, values := range g.Bindings {
			x, err := q.expect(m, s, q.bind(m, values), j.world.Seed)
			if err != nil {
				return err
			}
			g.want = append(g.want, x)
		}
		j.groups = append(j.groups, g)
	}
	for range 4 {
		rows, err := drawRows(rng)
		if err != nil {
			return err
		}
		j.rows = append(j.rows, rows)
	}
	return nil
}

// compareRows asks all engines for the rows of a case.
func (j *job) compareRows(c *rowsCase, kernels string) error {
	before := len(j.failed)
	for _, engine := range rowEngines {
		what, err := c.compare(engine)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Query, err)
		}
		j.compared++
		if what != "" && len(j.failed) == before {
			failed := c.testCase
			failed.Kernels = kernels
			failed.Engine = engine
			failed.Note = what
			j.failed = append(j.failed, &failed)
		}
	}
	return nil
}

// compare asks all engines every group, as single queries and as a batch.
func (j *job) compare(kernels string) error {
	for _, c := range j.rows {
		if err := j.compareRows(c, kernels); err != nil {
			return err
		}
	}
	m, err := j.world.model()
	if err != nil {
		return err
	}
	defer m.Close()
	if j.world.Seed%2 == 0 {
		m.DegreeCache().SetBudget(0) // every query computes its own rows
	}
	for _, g := range j.groups {
		before := len(j.failed)
		for _, engine := range engines {
			asked, err := g.question.ask(m, engine)
			if err != nil {
				return err
			}
			if asked == nil {
				continue
			}
			ask := func(lo, hi int) error {
				c := g.testCase
				c.Kernels, c.Engine, c.Bindings = kernels, engine, g.Bindings[lo:hi]
				what, err := differences(asked, m, g.want[lo:hi], g.ranked)
				if err != nil {
					return err
				}
				for _, what := range what {
					if what != "" && len(j.failed) == before { // report one query of a group
						failed := c
						failed.Note = what
						j.failed = append(j.failed, &failed)
					}
				}
				j.compared += hi - lo
				return nil
			}
			for i := range g.want {
				if err := ask(i, i+1); err != nil {
					return err
				}
			}
			if len(g.want) > 1 {
				if err := ask(0, len(g.want)); err != nil {
					return err
				}
			}
		}
	}
	return nil
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
