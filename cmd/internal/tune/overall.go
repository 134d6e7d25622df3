package tune

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/runtime/model"
)

// Overall is the result of settings on all shapes of a query set together.
type Overall struct {
	Settings model.Settings
	// MRR is the mean over the shapes, of the mean over a shape's queries.
	MRR float64
	// Gain is the improvement over the model's own settings, GainError its standard error.
	Gain, GainError float64
}

// Certain is a lower bound of the gain: two standard errors below it, because the best of many
// looks good by chance.
func (o Overall) Certain() float64 { return o.Gain - 2*o.GainError }

// Best returns the one with the greatest certain gain, or the first if none has one.
func Best(list []Overall) Overall {
	found := list[0]
	for _, o := range list[1:] {
		if o.Certain() > max(0, found.Certain()) {
			found = o
		}
	}
	return found
}

// RunOverall asks the queries under the settings of a grid, as Run does, but returns the result
// of each choice shared by all shapes. The model's own settings come first. L, which depends on
// the shape, is not tuned. Nothing is changed.
func RunOverall(ctx context.Context, set *queryset.Set, c Config) ([]Overall, error) {
	c.Grid.Over, c.Grid.Cycles = nil, nil
	list, err := subjects(set, c)
	if err != nil {
		return nil, err
	}
	r := &run{Config: c}
	for _, s := range list {
		r.total += len(s.points) * s.queries()
	}
	for _, s := range list {
		if err := r.subject(ctx, s); err != nil {
			return nil, fmt.Errorf("queries %s: %w", s.name, err)
		}
	}
	own := c.base("") // of no shape
	all := traits{links: true, negated: true, alpha: true, leaf: true}
	free := c.Grid.free(c.Semantics)
	var found []Overall
	for _, point := range c.Grid.points(c.Semantics, own, all) {
		for _, value := range free.values(own) {
			free.Set(&point, value)
			found = append(found, overall(list, c, point))
		}
	}
	i := slices.IndexFunc(found, func(o Overall) bool { return o.Settings == own })
	found[0], found[i] = found[i], found[0]
	return found, nil
}

// overall sums up how settings do on every shape.
func overall(list []*subject, c Config, s model.Settings) Overall {
	o := Overall{Settings: s}
	variance := 0.0
	for _, x := range list {
		row, own := x.mrr[x.row(c.Grid, s)], x.mrr[x.own()]
		o.MRR += mean(row)
		gains := make([]float64, len(row))
		for q := range row {
			gains[q] = float64(row[q]) - float64(own[q])
		}
		e := estimated(gains)
		o.Gain += e.mean
		if !math.IsInf(e.err, 0) { // of a single query
			variance += e.err * e.err
		}
	}
	n := float64(len(list))
	o.MRR, o.Gain, o.GainError = o.MRR/n, o.Gain/n, math.Sqrt(variance)/n
	return o
}

// row returns the row of mrr of settings that all shapes share: what makes no difference
// for this one is as in its base.
func (s *subject) row(g Grid, x model.Settings) int {
	at := s.base
	for _, d := range g.costly(s.semantics, s.traits) {
		if s.traits.matters(d.Name) {
			d.Set(&at, d.Get(x))
		}
	}
	free := freeOf(s.semantics)
	free.Set(&at, free.Get(x))
	for k := range s.mrr {
		if s.settings(k) == at {
			return k
		}
	}
	panic(fmt.Sprintf("internal error: no point of shape %s has settings %+v", s.name, at))
}
