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

// Options configure a Sampler.
type Options struct {
	// Count is the number of queries per template.
	Count int
	// Pool is the number of distinct queries to draw; a random selection of Count of them is kept. A Pool below Count
	// means Count. A large pool contains each query once, which reduces the share of the queries that are drawn most
	// easily.
	Pool int
	// Seed seeds the random numbers.
	Seed uint64
	// Like is the protocol whose distribution to follow.
	Like Protocol
	// MaxAnswers bounds the answers of a query, easy and hard together, and MaxHard the hard ones; 0 means no bound.
	// MinHard is the minimum number of hard answers.
	MaxAnswers, MaxHard, MinHard int
	// MinMissing is the minimum number of links of a hard answer that the smaller graph lacks; AllMissing requires
	// all to be missing. Other hard answers count as easy.
	MinMissing int
	AllMissing bool
	// Split is the name of the split of the hard answers, stored with the queries.
	Split string
	// Reading is the meaning of negated branches.
	Reading exact.Reading
	// Budget bounds the work for the answers of a query, as in exact.Solver.
	Budget int
	// Attempts bounds the attempts for a template; 0 means 2,000 per query, and at least 200,000.
	Attempts int
}

// batch is the average number of attempts that a worker makes at a time.
const batch = 32

// Sampler draws queries from a pair of graphs.
type Sampler struct {
	small, full *graph.Graph
	index       *index
	options     Options
	// facts are BetaE's 1p queries, in the order of drawing.
	facts [][]int32
}

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
