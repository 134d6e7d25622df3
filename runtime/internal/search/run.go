package search

import (
	"context"

	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/scq"
)

// Found are the best rows, best first.
type Found struct {
	Rows     []Row
	Proved   bool // no omitted row comes before one of them
	Searched int  // the number of prefixes tried
	Known    bool // all rows are known
	Cut      bool // the search was interrupted: known rows may be missing, or ctx has ended
}

// Row is an entity for each answer variable.
type Row struct {
	Values []graph.EntityID
	Score  float32
}

// Run finds the best rows. If ctx ends, it returns the rows found so far, with the error.
func (s *Search) Run(ctx context.Context) (*Found, error) {
	err := s.run(ctx)
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	found := &Found{Rows: make([]Row, len(s.rows.list)), Proved: s.proved, Searched: s.searched, Known: !s.Others, Cut: s.cut || err != nil}
	for i, p := range s.rows.list {
		found.Rows[i] = Row{p.values, p.score}
	}
	return found, err
}

// Score returns the score of a row.
func (s *Search) Score(ctx context.Context, values []graph.EntityID) (float32, error) {
	if err := s.begin(ctx); err != nil {
		return 0, err
	}
	rows, err := s.graded(ctx, []*prefix{{values: values}})
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	return rows[0].score, nil
}

// begin computes what all rows share.
func (s *Search) begin(ctx context.Context) error {
	s.n = s.Model().NumEntities()
	s.scorer = fit.NewScorer(s.Settings.Degrees.OrDefault().Mixture)
	for _, parts := range s.Rest {
		s.negates = append(s.negates, scq.Negates(parts[0].Plan.Disjuncts))
	}
	return s.marginalize(ctx)
}

func (s *Search) run(ctx context.Context) error {
	s.rows.keep = s.Keep
	if err := s.begin(ctx); err != nil {
		return err
	}
	if !s.Others {
		err := s.onlyKnown(ctx)
		if err != nil || !s.cut || !s.Doubtful {
			return err
		}
		s.Others = true
		s.cut = false
		s.rows = shortlist{keep: s.Keep}
	}
	switch {
	case !s.wantsKnown():
		return s.search(ctx)
	}

	known, complete, err := s.known(ctx)
	if err != nil {
		s.rows.list = known
		return err
	}
	if complete && len(known) == s.rows.keep {
		s.rows.list = known
		s.proved = true
		return nil
	}
	err = s.search(ctx)
	s.precede(known)
	s.proved = s.proved && complete
	return err
}
