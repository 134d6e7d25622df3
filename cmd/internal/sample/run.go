package sample

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"math/rand/v2"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/model/graph"
)

// batch is the average number of attempts that a worker makes at a time.
const batch = 32

// New returns a sampler. Answers in full that do not follow from small are hard; small is part of full, or nil if
// empty.
func New(small, full *graph.Graph, o Options) *Sampler {
	if o.Attempts == 0 {
		o.Attempts = max(200_000, 2_000*max(o.Count, o.Pool))
	}
	s := &Sampler{small: small, full: full, index: newIndex(full), options: o}
	if t, err := NewShape("1p"); err == nil && o.Like != Own {
		s.facts = newFacts(small, full, t, o.Seed)
	}
	return s
}

// Drawn is the result of drawing a template.
type Drawn struct {
	Queries []queryset.Case
	// Attempts counts all attempts, OverBudget those rejected because the answers took too much work.
	Attempts, OverBudget int
}

// Draw draws queries of a template with the given number of workers, until there are enough or the attempts are
// exhausted. progress, if not nil, receives the number drawn and the target after every batch of attempts. The error
// comes from the context.
func (s *Sampler) Draw(ctx context.Context, t *Template, workers int, progress func(found, of int)) (d Drawn, err error) {
	attempts := s.options.Attempts
	pooled := max(s.options.Count, s.options.Pool)
	if t.Name == "1p" && s.options.Like != Own {
		attempts = len(s.facts)
		pooled = s.options.Count // they are in random order
	}
	pool := model.NewPool(workers)
	defer pool.Close()
	solvers := make([]exact.Solver, pool.Size())
	for i := range solvers {
		solvers[i] = exact.Solver{Budget: s.options.Budget, Reading: s.reading(t)}
	}
	seen := map[string]bool{}
	outcomes := make([]outcome, batch*pool.Size())
	full := func() bool { return len(d.Queries) >= pooled || d.Attempts >= attempts }
	for !full() {
		pool.Each(len(outcomes), func(worker, i int) {
			if ctx.Err() == nil {
				outcomes[i] = s.attempt(t, &solvers[worker], s.random(t, d.Attempts+i), d.Attempts+i)
			}
		})
		if err := ctx.Err(); err != nil {
			return d, err
		}
		for _, o := range outcomes {
			if full() {
				break
			}
			d.Attempts++
			if o.overBudget {
				d.OverBudget++
			}
			if o.query != nil && !seen[o.key] {
				seen[o.key] = true
				d.Queries = append(d.Queries, *o.query)
			}
		}
		if progress != nil {
			progress(len(d.Queries), pooled)
		}
	}
	if surplus := len(d.Queries) - s.options.Count; surplus > 0 {
		shuffle(s.random(t, -1), d.Queries)
		d.Queries = d.Queries[:s.options.Count]
	}
	return d, nil
}

// random returns the random numbers of an attempt.
func (s *Sampler) random(t *Template, attempt int) *rand.Rand {
	h := fnv.New128a()
	h.Write([]byte(t.Name))
	h.Write(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, s.options.Seed), uint64(attempt)))
	sum := h.Sum(nil)
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum), binary.LittleEndian.Uint64(sum[8:])))
}
