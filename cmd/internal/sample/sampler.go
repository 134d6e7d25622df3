package sample

import (
	"fmt"
	"slices"
	"strings"

	"github.com/efoc/efoc/cmd/internal/queryset"
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
	// Budget bounds the work for the answers of a query, as in exact.Solver.
	Budget int
	// Attempts bounds the attempts for a template; 0 means 2,000 per query, and at least 200,000.
	Attempts int
}

// Sampler draws queries from a pair of graphs.
type Sampler struct {
	small, full *graph.Graph
	index       *index
	options     Options
	// facts are BetaE's 1p queries, in the order of drawing.
	facts [][]int32
}

// Check reports why queries of a template cannot be drawn.
func (s *Sampler) Check(t *Template) error {
	like := s.options.Like
	if shapes := like.Shapes(); like != Own && !slices.Contains(shapes, t.Name) {
		return fmt.Errorf("%s has no queries of shape %s; there are those of %s", like, t.Name, strings.Join(shapes, ", "))
	}
	if links := t.Links(); s.options.MinMissing > links {
		return fmt.Errorf("%s: no answer can need %d links: an atom is a link, and %d of them suffice", t.Name, s.options.MinMissing, links)
	}
	return nil
}

// protocol returns the protocol for drawing a template.
func (s *Sampler) protocol(t *Template) Protocol {
	if s.options.Like == FIT && t.Name != "pni" && slices.Contains(BetaE.Shapes(), t.Name) {
		return BetaE
	}
	return s.options.Like
}

// reading returns the reading of a template's negated branches: universal for BetaE.
func (s *Sampler) reading(t *Template) exact.Reading {
	if s.protocol(t) == BetaE {
		return exact.Universal
	}
	return exact.Existential
}

// Group returns an empty group for the template's queries, with a name that determines their reading.
func (s *Sampler) Group(t *Template) *queryset.Group {
	return queryset.NewGroup(t.Name, t.Query, s.reading(t) == exact.Universal)
}
