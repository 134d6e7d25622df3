package calibrate

import (
	"cmp"
	"context"
	"slices"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
)

const (
	// mostQueries and leastQueries bound the queries of a shape that settings are chosen by. In between,
	// queryWork limits them. The least are enough if some shapes have none.
	mostQueries, leastQueries = 60, 6
	// mostConfidence and leastConfidence bound the queries that confidence is fitted to in the same way.
	mostConfidence, leastConfidence = 100, 30
	// queryWork is the number of table entries, n·2d, that may be read for a shape: a minute of work for all
	// shapes on a few cores, for a graph of any size.
	queryWork = 2 << 30
	// leastChosen is the number of queries below which they choose neither settings nor semantics.
	leastChosen = 100
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
	// Text says in a line what was chosen, and how long it took.
	Text string

	late   bool // there was no time to choose
	shapes int  // of questions that confidence is fitted to
}

// choose chooses λ and α of message passing, and then g of the mixture with these messages,
// each by its certain gain over what the model has. Of the three semantics the one of the
// greatest MRR becomes the default; mixtures of weight 0 and 1 rank as message passing and
// truth degrees do. m is left as it was.
func choose(ctx context.Context, m *runtime.Model, set *queryset.Set, o Options) (*Choice, error) {
	own := m.Settings()
	defer func() { m.Bundle().Manifest.Settings = own }()
	c := &Choice{Settings: own, Semantics: m.Bundle().Manifest.Semantics}
	for _, g := range set.Groups {
		c.Queries += len(g.Queries)
	}
	if c.Queries < leastChosen {
		return c, nil
	}
	// grid returns values of a setting to choose from, none but the model's own if it is kept.
	grid := func(name string, values ...float64) []float64 {
		if slices.Contains(o.Keep, name) {
			return nil
		}
		return values
	}
	t := trials{m, set}
	messages, err := t.messages(ctx, grid("alpha", 10, 100, 1000, 10000), grid("lambda", 0.05, 0.1, 0.2, 0.3, 0.5), o.stage("settings"))
	if err != nil {
		return nil, err
	}
	c.Settings = best(messages).settings
	m.Bundle().Manifest.Settings = c.Settings
	weights := append(grid("mixture", 0.5, 0.6, 0.7, 0.8, 0.9), 0, 1) // 0 and 1 for the choice of semantics
	mixtures, err := t.mixtures(ctx, weights, o.stage("semantics"))
	if err != nil {
		return nil, err
	}
	mixed := best(slices.DeleteFunc(slices.Clone(mixtures), func(x trial) bool {
		g := x.settings.Degrees.Mixture
		return (g == 0 || g == 1) && x.settings != mixtures[0].settings
	}))
	if mixed.settings != mixtures[0].settings {
		c.Settings.Degrees = mixed.settings.Degrees
	}
	weighted := func(g float64) float64 {
		return mixtures[slices.IndexFunc(mixtures, func(x trial) bool { return x.settings.Degrees.Mixture == g })].mean()
	}
	c.MRR = map[model.Semantics]float64{model.NSMP: weighted(0), model.FIT: weighted(1), model.Mixed: mixed.mean()}
	c.Semantics = 0 // the default, if none is better
	for _, s := range model.AllSemantics {
		if c.MRR[s] > c.MRR[c.Semantics] {
			c.Semantics = s
		}
	}
	return c, nil
}
