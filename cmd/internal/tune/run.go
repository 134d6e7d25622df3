package tune

import (
	"context"
	"fmt"
	"slices"

	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/runtime/scq"
)

// Config configures a search.
type Config struct {
	Model *query.Model
	// Semantics selects the settings to tune. For model.Mixed, message passing keeps the
	// model's settings for the shape.
	Semantics model.Semantics
	Grid      Grid
	// Folds is k, 2 or more.
	Folds int
	// Progress, if not nil, receives the queries done and the total, each counted once per
	// setting.
	Progress func(done, total int)
}

// batch is the number of queries that are asked at once.
const batch = 64

// subject is a shape that is tuned: the queries of all groups that have it.
type subject struct {
	// name is that of the first group, shape the same if it is that of the benchmark
	// shape, and empty otherwise, key the canonical text.
	name, shape, key string
	semantics        model.Semantics
	base             model.Settings
	traits           traits
	// free are the values of the setting that costs nothing: λ, or g of a mixture.
	free   []float64
	points []model.Settings // without the free one, the base first
	groups []*queryset.Group
	// askers and bindings are of the groups.
	askers   []asker
	bindings [][]scq.Bindings
	// mrr holds, for each point and then each free value, the MRR of each query with
	// a hard answer.
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
func (s *subject) settings(row int) model.Settings {
	x := s.points[row/len(s.free)]
	freeOf(s.semantics).Set(&x, s.free[row%len(s.free)])
	return x
}

// freeOf returns the setting that costs nothing.
func freeOf(semantics model.Semantics) *model.Setting {
	if semantics == model.NSMP {
		return model.SettingNamed("lambda")
	}
	return model.SettingNamed("mixture")
}

// own is the row of the base.
func (s *subject) own() int { return slices.Index(s.free, freeOf(s.semantics).Get(s.base)) }

// Run asks all queries under all settings and chooses. Queries without a hard answer are left
// out. The error for a formula is an *eval.PrepareError.
func Run(ctx context.Context, set *queryset.Set, c Config) (*Report, error) {
	subjects, err := subjects(set, c)
	if err != nil {
		return nil, err
	}
	r := &run{Config: c}
	for _, s := range subjects {
		r.total += len(s.points) * s.queries()
	}
	for _, s := range subjects {
		if err := r.subject(ctx, s); err != nil {
			return nil, fmt.Errorf("queries %s: %w", s.name, err)
		}
	}
	return report(subjects, set, c), nil
}

// subjects sorts the queries by shape.
func subjects(set *queryset.Set, c Config) ([]*subject, error) {
	var list []*subject
	byKey := map[string]*subject{}
	for _, g := range set.Groups {
		p, err := prepare(g, c.Model, c.Model.Manifest.Settings, model.FIT)
		if err != nil {
			return nil, err
		}
		g, bindings, err := withHard(g, p, c.Model)
		if err != nil {
			return nil, err
		}
		if len(g.Queries) == 0 {
			continue
		}
		s := byKey[p.Shape.Key]
		if s == nil {
			s = newSubject(g, p, c)
			byKey[s.key] = s
			list = append(list, s)
		}
		a, err := s.newAsker(g, c)
		if err != nil {
			return nil, err
		}
		s.groups, s.askers, s.bindings = append(s.groups, g), append(s.askers, a), append(s.bindings, bindings)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no query has a hard answer: want validation queries, whose hard answers the graph of the model does not give")
	}
	return list, nil
}

// newSubject returns the shape of a group, whose formula p is.
func newSubject(g *queryset.Group, p *compiler.Prepared, c Config) *subject {
	s := &subject{name: g.Name, key: p.Shape.Key, semantics: c.Semantics, base: c.base(p.Shape.Key)}
	if g.Name == compiler.ShapeName(s.key) {
		s.shape = g.Name
	}
	s.traits = traitsOf(p.Query.Plan())
	s.free = c.Grid.free(c.Semantics).values(s.base)
	s.points = c.Grid.points(c.Semantics, s.base, s.traits)
	s.mrr = make([][]float32, len(s.points)*len(s.free))
	return s
}

// base returns the settings that others have to be better than: the model's own. In
// a mixture message passing has those of the shape.
func (c Config) base(key string) model.Settings {
	own := c.Model.Manifest.Settings
	if c.Semantics == model.NSMP {
		return own
	}
	s := c.Model.Manifest.SettingsFor(key)
	s.Degrees = own.Degrees.OrDefault()
	return s
}

// withHard returns a group with those queries that have a hard answer, and their bindings,
// after it has checked that they fit the model.
func withHard(g *queryset.Group, p *compiler.Prepared, m *query.Model) (*queryset.Group, []scq.Bindings, error) {
	if err := eval.CheckGroup(g, p, m); err != nil {
		return nil, nil, err
	}
	kept := *g
	kept.Queries = slices.DeleteFunc(slices.Clone(g.Queries), func(q queryset.Query) bool { return len(q.Hard) == 0 })
	bindings := make([]scq.Bindings, len(kept.Queries))
	for i, q := range kept.Queries {
		var err error
		if bindings[i], err = p.BindingsByID(q.Args); err != nil {
			return nil, nil, err
		}
	}
	return &kept, bindings, nil
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

// subject runs the points of a shape.
func (r *run) subject(ctx context.Context, s *subject) error {
	defer func() { s.askers, s.bindings = nil, nil }() // their workspaces are large
	for i, point := range s.points {
		rows := make([][]float32, len(s.free))
		for k := range s.groups {
			if err := r.point(ctx, s, k, point, rows); err != nil {
				return err
			}
		}
		copy(s.mrr[i*len(s.free):], rows)
	}
	return nil
}

// point asks the queries of a group and appends the MRR of each under each free value
// to the value's row.
func (r *run) point(ctx context.Context, s *subject, group int, point model.Settings, rows [][]float32) error {
	queries := s.groups[group].Queries
	for lo := 0; lo < len(queries); lo += batch {
		hi, first := min(lo+batch, len(queries)), len(rows[0])
		for k := range rows {
			rows[k] = append(rows[k], make([]float32, hi-lo)...)
		}
		err := s.askers[group](ctx, lo/batch, s.bindings[group][lo:hi], point, s.free, func(i, k int, scores query.Vector) error {
			ranks, err := eval.Ranks(scores, queries[lo+i].Hard, queries[lo+i].Easy)
			rows[k][first+i] = float32(eval.MRR(ranks))
			return err
		})
		if err != nil {
			return err
		}
		r.progress(hi - lo)
	}
	return nil
}
