package tune

import (
	"context"
	"fmt"
	"slices"

	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
)

// Config says what to tune and how.
type Config struct {
	Model *runtime.Model
	Grid  Grid
	// Folds is k, 2 or more.
	Folds int
	// State keeps what is done; nil keeps nothing.
	State *State
	// Progress, if not nil, is told of the queries done and to be done, each as
	// often as there are settings to run it with.
	Progress func(done, total int)
}

// batch is the number of queries that are asked at once.
const batch = 64

// subject is a shape that is tuned: the queries of all groups that have it.
type subject struct {
	// name is that of the first group, shape the same if it is that of the benchmark
	// shape, and empty otherwise, key the canonical text.
	name, shape, key string
	variables        int
	alpha            bool // makes a difference
	lambdas          []float64
	points           []runtime.Settings // without λ
	groups           []*queryset.Group
	// prepared holds the formula of each group, by the number of layers.
	prepared map[int][]*compiler.Prepared
	// mrr holds, for each point and then each λ, the MRR of each query with a hard
	// answer; nil where it is not run.
	mrr [][]float32
}

// queries counts those with a hard answer.
func (s *subject) queries() int {
	n := 0
	for _, g := range s.groups {
		n += len(g.Queries)
	}
	return n
}

// settings returns those of a row of mrr.
func (s *subject) settings(row int) runtime.Settings {
	x := s.points[row/len(s.lambdas)]
	x.Lambda = s.lambdas[row%len(s.lambdas)]
	return x
}

// base is the row of the model's own settings.
func (s *subject) base(lambda float64) int { return slices.Index(s.lambdas, lambda) }

// Run asks all queries under all settings and chooses. Queries without a hard
// answer are left out. The error for a formula is an *eval.PrepareError. Nothing
// but the state is changed; after an interrupt the error is that of the context.
func Run(ctx context.Context, set *queryset.Set, c Config) (*Report, error) {
	subjects, err := subjects(set, c)
	if err != nil {
		return nil, err
	}
	r := &run{Config: c}
	for i, s := range subjects {
		s.mrr = c.State.found(i, s)
		r.total += len(s.points) * s.queries()
	}
	for i, s := range subjects {
		if err := r.subject(ctx, i, s); err != nil {
			return nil, fmt.Errorf("queries %s: %w", s.name, err)
		}
	}
	return report(subjects, set, c), nil
}

// subjects sorts the queries by shape.
func subjects(set *queryset.Set, c Config) ([]*subject, error) {
	var list []*subject
	byKey := map[string]*subject{}
	base := c.Model.Manifest.Settings
	for _, g := range set.Groups {
		p, err := prepare(g, c.Model, base)
		if err != nil {
			return nil, err
		}
		g, err := withHard(g, p, c.Model)
		if err != nil {
			return nil, err
		}
		if len(g.Queries) == 0 {
			continue
		}
		s := byKey[p.Shape.Key]
		if s == nil {
			s = &subject{
				name: g.Name, key: p.Shape.Key,
				lambdas: with(c.Grid.Lambda, base.Lambda), prepared: map[int][]*compiler.Prepared{},
			}
			for _, pattern := range p.Query.Plan().Patterns {
				s.variables = max(s.variables, len(pattern.Variables))
				s.alpha = s.alpha || slices.ContainsFunc(pattern.Atoms, func(a runtime.PatternAtom) bool {
					return a.Negated && !a.Head.Constant && !a.Tail.Constant
				})
			}
			s.points = c.Grid.points(base, s.variables, s.alpha)
			if g.Name == compiler.ShapeName(s.key) {
				s.shape = g.Name
			}
			byKey[s.key] = s
			list = append(list, s)
		}
		s.groups = append(s.groups, g)
		if err := s.prepare(g, c.Model); err != nil {
			return nil, err
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no query has a hard answer: want validation queries, whose hard answers the graph of the model does not give")
	}
	return list, nil
}

// prepare compiles a group's formula so that one run serves all λ.
func prepare(g *queryset.Group, m *runtime.Model, s runtime.Settings) (*compiler.Prepared, error) {
	p, err := compiler.Prepare(m, g.Template, compiler.PrepareOptions{
		Readout: true, Settings: func(string) runtime.Settings { return s },
	})
	if err != nil {
		return nil, &eval.PrepareError{Group: g.Name, Err: err}
	}
	return p, nil
}

// prepare compiles a formula for every number of layers.
func (s *subject) prepare(g *queryset.Group, m *runtime.Model) error {
	done := map[int]bool{}
	for _, point := range s.points {
		if done[point.Layers] {
			continue
		}
		done[point.Layers] = true
		p, err := prepare(g, m, point)
		if err != nil {
			return err
		}
		s.prepared[point.Layers] = append(s.prepared[point.Layers], p)
	}
	return nil
}

// withHard returns a group with those queries that have a hard answer, after it
// has checked that they fit the model.
func withHard(g *queryset.Group, p *compiler.Prepared, m *runtime.Model) (*queryset.Group, error) {
	if err := eval.CheckGroup(g, p, m); err != nil {
		return nil, err
	}
	kept := *g
	kept.Queries = nil
	for _, q := range g.Queries {
		if len(q.Hard) > 0 {
			kept.Queries = append(kept.Queries, q)
		}
	}
	return &kept, nil
}

// run is one call of Run.
type run struct {
	Config
	done, total int
}

func (r *run) progress(n int) {
	if r.done += n; r.Progress != nil {
		r.Progress(r.done, r.total)
	}
}

// subject runs those points of a shape that are not done.
func (r *run) subject(ctx context.Context, index int, s *subject) error {
	defer func() { s.prepared = nil }() // its workspaces are large
	for i, point := range s.points {
		if s.mrr[i*len(s.lambdas)] != nil {
			r.progress(s.queries())
			continue
		}
		rows := make([][]float32, len(s.lambdas))
		for k, g := range s.groups {
			if err := r.point(ctx, g, s.prepared[point.Layers][k], point, s.lambdas, rows); err != nil {
				return err
			}
		}
		copy(s.mrr[i*len(s.lambdas):], rows)
		if err := r.State.append(record{Shape: index, Point: i, MRR: rows}); err != nil {
			return err
		}
	}
	return nil
}

// point asks the queries of a group and appends the MRR of each under each λ to the
// λ's row.
func (r *run) point(ctx context.Context, g *queryset.Group, p *compiler.Prepared, s runtime.Settings, lambdas []float64, rows [][]float32) error {
	readout := eval.NewReadout(p)
	for chunk := range slices.Chunk(g.Queries, batch) {
		bindings := make([]runtime.Bindings, len(chunk))
		for i, q := range chunk {
			var err error
			if bindings[i], err = p.BindingsByID(q.Args); err != nil {
				return err
			}
		}
		first := len(rows[0])
		for k := range rows {
			rows[k] = append(rows[k], make([]float32, len(chunk))...)
		}
		err := readout.Scores(ctx, bindings, s, lambdas, func(i, k int, scores runtime.Vector) error {
			ranks, err := eval.Ranks(scores, chunk[i].Hard, chunk[i].Easy)
			rows[k][first+i] = float32(eval.MRR(ranks))
			return err
		})
		if err != nil {
			return err
		}
		r.progress(len(chunk))
	}
	return nil
}
