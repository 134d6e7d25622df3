package calibrate

import (
	"cmp"
	"context"
	"slices"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/cmd/internal/tune"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
)

const (
	// mostQueries and leastQueries bound the queries of a shape that settings are chosen
	// by. In between it is so many that queryWork is not exceeded.
	// The least are enough if some shapes have none.
	mostQueries, leastQueries = 60, 6
	// mostConfidence and leastConfidence bound those that confidence is fitted to in the same way.
	mostConfidence, leastConfidence = 100, 30
	// queryWork is the number of table entries, n·2d, that may be read for a shape: a minute
	// of work for all shapes on a few cores, whatever the size of the graph.
	queryWork = 2 << 30
	// enough is the number of validation facts below which temperatures alone are set, and of
	// queries made of them below which settings and semantics are not.
	enough = 100
)

// queriesFor returns the number of queries of a shape for a model.
func queriesFor(m *model.Model, o Options) int { return o.queries(m, leastQueries, mostQueries) }

// confidenceQueriesFor returns the number of queries of a shape that confidence is fitted to.
func confidenceQueriesFor(m *model.Model, o Options) int {
	return o.queries(m, leastConfidence, mostConfidence)
}

func (o Options) queries(m *model.Model, least, most int) int {
	work := queryWork / (m.NumEntities() * 2 * m.Predictor.Rank)
	return max(least, int(cmp.Or(o.Share, 1)*float64(min(most, work))))
}

// Choice is the result of validation queries.
type Choice struct {
	// Queries counts the queries. It is 0 if the facts are too few to make any; nothing is
	// chosen then.
	Queries int
	// Settings are the new settings of the model, and Semantics its new default.
	Settings  model.Settings
	Semantics model.Semantics
	// MRR is the mean over the shapes for each semantics; nil if nothing was chosen.
	MRR map[model.Semantics]float64
}

// settingsGrid returns the values to choose from for all shapes together; what is kept has
// none but the model's own.
func settingsGrid(o Options) tune.Grid {
	g := tune.Grid{Values: map[string][]float64{
		"lambda":  {0.05, 0.1, 0.2, 0.3, 0.5},
		"alpha":   {10, 100, 1000, 10000},
		"mixture": {0, 0.5, 0.6, 0.7, 0.8, 0.9, 1},
	}}
	for _, name := range o.Keep {
		delete(g.Values, name)
	}
	if slices.Contains(o.Keep, "mixture") {
		g.Values["mixture"] = []float64{0, 1} // for the choice of semantics
	}
	return g
}

// choose chooses λ and α of message passing, and then g of the mixture with these messages,
// each by its certain gain over what the model has. Of the three semantics the one of the
// greatest MRR becomes the default; mixtures of weight 0 and 1 rank as message passing and
// truth degrees do. m is left as it was.
func choose(ctx context.Context, m *query.Model, set *queryset.Set, o Options) (*Choice, error) {
	own := m.Manifest.Settings
	defer func() { m.Manifest.Settings = own }()
	c := &Choice{Settings: own, Semantics: m.Manifest.Semantics}
	for _, g := range set.Groups {
		c.Queries += len(g.Queries)
	}
	if c.Queries < enough {
		return c, nil
	}
	config := tune.Config{Model: m, Semantics: model.NSMP, Grid: settingsGrid(o), Progress: o.stage("settings")}
	messages, err := tune.RunOverall(ctx, set, config)
	if err != nil {
		return nil, err
	}
	c.Settings = tune.Best(messages).Settings
	m.Manifest.Settings = c.Settings
	config.Semantics, config.Progress = model.Mixed, o.stage("semantics")
	mixtures, err := tune.RunOverall(ctx, set, config)
	if err != nil {
		return nil, err
	}
	mixed := tune.Best(slices.DeleteFunc(slices.Clone(mixtures), func(x tune.Overall) bool {
		g := x.Settings.Degrees.Mixture
		return (g == 0 || g == 1) && x.Settings != mixtures[0].Settings
	}))
	if mixed.Settings != mixtures[0].Settings {
		c.Settings.Degrees = mixed.Settings.Degrees
	}
	weighted := func(g float64) float64 {
		return mixtures[slices.IndexFunc(mixtures, func(x tune.Overall) bool { return x.Settings.Degrees.Mixture == g })].MRR
	}
	c.MRR = map[model.Semantics]float64{model.NSMP: weighted(0), model.FIT: weighted(1), model.Mixed: mixed.MRR}
	c.Semantics = 0 // the default, if none is better
	for _, s := range model.AllSemantics {
		if c.MRR[s] > c.MRR[c.Semantics] {
			c.Semantics = s
		}
	}
	return c, nil
}
