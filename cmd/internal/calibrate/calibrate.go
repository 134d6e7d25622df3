// Package calibrate fits a model to validation facts: the temperatures of its relations, the
// settings, the default semantics, and confidence. efoc calibrate, train and import share it. It
// knows models and facts, but neither files nor the command line.
package calibrate

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
)

// Options configure a calibration. The zero Options are good defaults.
type Options struct {
	// KeepTemperatures keeps the score terms and temperatures of relations, Keep the settings of these names.
	KeepTemperatures bool
	Keep             []string
	// NoConfidence does not fit confidence; ConfidenceOnly fits nothing else.
	NoConfidence, ConfidenceOnly bool
	// ConfidenceQueries is the number of queries per benchmark shape to fit confidence to; 0
	// means 100, or on large graphs as many as take about a minute.
	ConfidenceQueries int
	// Share is the part of the queries to ask, in [0,1], unless their number is given; 0 means
	// all. There are minimum numbers. Measure predicts the time of a share.
	Share float64
	// Until, unless it is zero, is when to end. Settings and semantics that are not chosen in half of the
	// time until then stay as they are, and confidence is fitted without the shapes that are left over;
	// single atoms are always asked. Degrees of predicted links are fitted to fewer facts.
	Until time.Time
	// PutBack says that the validation facts will be added to the graph: then confidence takes half as many
	// to be missing.
	PutBack bool
	// Missing has shares of facts that the graph lacks: of single relations, by name, and of all facts by the name "".
	Missing map[string]float64
	// Plans are generated plans, which answer faster.
	Plans []*plan.Plan
	// Queries is the number of queries per shape to choose settings by; 0 means as many as take
	// about a minute.
	Queries int
	// Seed picks the validation queries.
	Seed uint64
	// Progress, if not nil, receives the work done in a stage and the total.
	Progress func(stage string, done, total int)
}

// Run sets the score terms and temperatures of relations in the manifest of m, its settings and its
// default semantics, on facts that the observed graph lacks and that no evaluation uses: the facts of a
// validation split. It draws queries from these facts; the same seed gives the same ones. The
// model must not have answered queries before, because its cached rows would have other
// temperatures.
//
// Then it fits confidence to evidence under these settings: see model.Calibration. It draws
// queries of the benchmark shapes, with the distribution of the published ones, and takes the
// best answers of each that do not follow from the observed graph. The validation facts decide
// which of them are true; weights, offsets and curves are fitted to that. There are questions of
// held-out facts, which a validation fact answers, and ordinary ones, for random facts of both the
// observed graph and the validation facts. Each kind has a curve. Ordinary questions, and links of entities
// all of whose facts of the relation are held out, have weights of their own, near those fitted to all. Questions for
// facts of each relation count only towards weights and offsets for all; questions about random entities without facts,
// only towards factors of the chance that a relation applies.
func Run(ctx context.Context, m *model.Model, valid []graph.Triple, o Options) (*Choice, error) {
	start := time.Now()
	if err := Assume(m, o.Missing); err != nil {
		return nil, err
	}
	relations := m.Manifest.Missing.Relations // which the owner knows; of no use for facts that are held out
	share, err := Share(m.Graph, valid)
	if err != nil {
		return nil, err
	}
	m.Manifest.Missing = model.Missing{HeldOut: digits(share), Assumed: digits(share), HeldBack: mark(m, valid)}
	if o.PutBack {
		m.Manifest.Missing.Assumed = digits(share / 2)
	}
	m.Manifest.Regularities = m.Graph.Regularities()
	if !o.KeepTemperatures && !o.ConfidenceOnly {
		if err := fitLinks(ctx, m, valid, o); err != nil {
			return nil, err
		}
	}
	c, err := chosen(ctx, m, valid, o)
	if err != nil {
		return nil, err
	}
	m.Manifest.Settings, m.Manifest.Semantics = c.Settings, c.Semantics
	m.Manifest.Confidence = nil // it was fitted under other settings
	if len(valid) >= model.LeastValidation && !o.NoConfidence {
		m.Manifest.Confidence, c.shapes, err = confidence(ctx, m, valid, o)
		if err != nil {
			return nil, err
		}
	}
	m.Manifest.Missing.Relations = relations
	if share, given := o.Missing[""]; given {
		m.Manifest.Missing.Assumed = share
	}
	c.Text = c.text(&m.Manifest, len(valid), o, start)
	return c, nil
}

// linkShare is the part of the time left that fitting the degrees of predicted links may take.
const linkShare = 0.25

// fitLinks fits the degrees of predicted links to the facts, or to as many of them as there is time for,
// spread over all.
func fitLinks(ctx context.Context, m *model.Model, valid []graph.Triple, o Options) error {
	if o.Until.IsZero() || len(valid) <= measuredFacts {
		return fitLinksTo(ctx, m, valid, o)
	}
	before := m.Manifest
	start := time.Now()
	if err := fitLinksTo(ctx, m, spread(valid, measuredFacts), o); err != nil {
		return err
	}
	each := time.Since(start).Seconds() / measuredFacts
	more := min(float64(len(valid)), linkShare*time.Until(o.Until).Seconds()/each)
	if more < 2*measuredFacts {
		return nil
	}
	m.Manifest = before
	return fitLinksTo(ctx, m, spread(valid, int(more)), o)
}

// spread returns count facts at even distances.
func spread(facts []graph.Triple, count int) []graph.Triple {
	list := make([]graph.Triple, count)
	for i := range list {
		list[i] = facts[i*len(facts)/count]
	}
	return list
}

// fitLinksTo fits score terms, unless the settings leave them out, and temperatures.
func fitLinksTo(ctx context.Context, m *model.Model, valid []graph.Triple, o Options) (err error) {
	m.Manifest.ScoreTerms = model.ScoreTerms{}
	if m.Manifest.Settings.Degrees.OrDefault().Regularities {
		m.Manifest.ScoreTerms, err = fit.FitScoreTerms(ctx, m, valid)
		if err != nil {
			return err
		}
	}
	m.Manifest.Temperatures, err = fit.Calibrate(ctx, m, valid, o.stage("temperatures"))
	return err
}

// chosen chooses settings and semantics if there are facts enough, and time.
func chosen(ctx context.Context, m *model.Model, valid []graph.Triple, o Options) (*Choice, error) {
	kept := &Choice{Settings: m.Manifest.Settings, Semantics: m.Manifest.Semantics}
	if len(valid) < model.LeastValidation || o.ConfidenceOnly {
		return kept, nil
	}
	if o.Until.IsZero() {
		return drawAndChoose(ctx, m, valid, o)
	}
	limited, cancel := context.WithTimeout(ctx, time.Until(o.Until)/2)
	defer cancel()
	c, err := drawAndChoose(limited, m, valid, o)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		kept.late = true
		return kept, nil
	}
	return c, err
}

// drawAndChoose chooses settings and semantics by queries that it draws.
func drawAndChoose(ctx context.Context, m *model.Model, valid []graph.Triple, o Options) (*Choice, error) {
	set, err := draw(ctx, m, valid, cmp.Or(o.Queries, queriesFor(m, o)), o.Seed, o.stage("sample"))
	if err != nil {
		return nil, err
	}
	return choose(ctx, runtime.NewModel(m), set, o)
}

// stage returns the progress of a stage.
func (o Options) stage(name string) func(done, total int) {
	return func(done, total int) {
		if o.Progress != nil {
			o.Progress(name, done, total)
		}
	}
}

// Share returns the share of all facts that a graph lacks, given those that it lacks. Where a fact is the only one of an
// entity, the graph cannot lack it and have the entity, so that such facts do not count.
func Share(g *graph.Graph, lacking []graph.Triple) (float64, error) {
	full, _, _, err := g.With(lacking, nil)
	if err != nil {
		return 0, err
	}
	spare := full.Spare()
	all := 0
	lost := 0
	for r := range graph.RelationID(full.NumRelations()) { // from either end
		heads, tails := full.Edges(r)
		for i, h := range heads {
			if !spare(h, tails[i]) {
				continue
			}
			all++
			if !g.Has(graph.EntityID(h), r, graph.EntityID(tails[i])) {
				lost++
			}
		}
	}
	return float64(lost) / float64(max(1, all)), nil
}

// Assume sets shares of facts that the graph of a model lacks: see Options.Missing.
func Assume(m *model.Model, shares map[string]float64) error {
	missing := &m.Manifest.Missing
	for _, name := range slices.Sorted(maps.Keys(shares)) {
		if name == "" {
			missing.Assumed = shares[name]
			continue
		}
		r, err := m.Relation(name)
		if err != nil {
			return fmt.Errorf("--missing: %w", err)
		}
		if missing.Relations == nil {
			missing.Relations = map[string]float64{}
		}
		missing.Relations[m.RelationName(r.ID()&^1)] = shares[name]
	}
	return nil
}
