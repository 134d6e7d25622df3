package runtime_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// calibrated opens the world with a calibration of round numbers.
func calibrated(t *testing.T) *runtime.Model {
	t.Helper()
	m, err := world.Open()
	require.NoError(t, err)
	t.Cleanup(func() { m.Close() })
	calibrate(m)
	return m
}

// calibrate gives a model a made-up calibration.
func calibrate(m *runtime.Model) {
	c := model.Claims{
		Applies: 1, Evidence: 0.5, Margin: 0.25, Offsets: make([]float64, m.NumRelations()), Unlinked: -1,
		Terms: model.LinkTerms{model.TermSecond: 0.1, model.TermLoop: 0.2, model.TermShare: 0.05, model.TermAtoms: -0.3},
		Curve: model.Curve{X: []float64{-10, 1}, Y: []float64{0, 0.9}}, Refuted: model.Curve{X: []float64{-10, 0}, Y: []float64{0.01, 0.6}},
	}
	m.Bundle().Manifest.Missing = model.Missing{HeldOut: 0.1, Assumed: 0.05}
	for r := range c.Offsets {
		c.Offsets[r] = float64(r%7)/7 - 0.5
	}
	lacking := c
	lacking.Curve = model.Curve{X: []float64{-10, 1}, Y: []float64{0, 0.8}}
	lacking.Applies = 1.5
	c.Applies = 0.8
	c.PerKnown = 3
	m.Bundle().Manifest.Confidence = model.Confidence{}
	for _, s := range model.AllSemantics {
		m.Bundle().Manifest.Confidence[s.String()] = &model.Calibration{Ordinary: c, HeldOut: c, Lacking: lacking}
	}
}

// unrefuted returns the chance that no missing fact refutes a known answer of a truth degree: the odds that one does are those
// of the curve, which assumes that a tenth of the facts is missing, times 9/19 for a twentieth.
func unrefuted(m *runtime.Model, s model.Semantics, degree float64) float64 {
	c := m.Bundle().Manifest.Confidence[s.String()].Ordinary.Refuted
	share := m.Bundle().Manifest.Missing
	p := c.At(math.Log(1 - degree))
	odds := p / (1 - p) * share.Assumed / (1 - share.Assumed) * (1 - share.HeldOut) / share.HeldOut
	return 1 / (1 + odds)
}

var formulas = []string{
	`borders("France", y)`,
	`borders("Brazil", y) & official_language(y, "Spanish")`,
	`exists x. borders("France", x) & official_language(x, y) & !official_language("France", y)`,
	`official_language(y, "Portuguese") | also_spoken(y, "Portuguese")`,
	`exists x. borders("France", x) & official_language(x, y) & also_spoken(x, y)`,
}

// ask prepares a formula and answers it.
func ask(t *testing.T, m *runtime.Model, formula string, s model.Semantics, e compiler.Engine, o runtime.Options) (*compiler.Prepared, *runtime.Reply) {
	t.Helper()
	p, err := compiler.Prepare(m, formula, compiler.Options{Semantics: new(s), Engine: e})
	require.NoError(t, err)
	r, err := p.Ask(t.Context(), nil, o)
	if err != nil || r.Uncalibrated != "" {
		t.Fatalf("%s, %s: %v, uncalibrated: %s", formula, s, err, r.Uncalibrated)
	}
	return p, r
}

// TestConfidence checks for all semantics and engines what confidence is made of: the evidence
// against the probabilities of message passing and the truth degrees, each asked for alone; the
// margin against the best answer that is not known; the relation against the witness.
func TestConfidence(t *testing.T) {
	m := calibrated(t)
	for _, formula := range formulas {
		alone := map[model.Semantics]map[graph.EntityID]float64{}
		for _, s := range []model.Semantics{model.NSMP, model.FIT} {
			alone[s] = map[graph.EntityID]float64{}
			_, r := ask(t, m, formula, s, compiler.EngineInterpreted, runtime.Options{K: m.NumEntities()})
			for _, a := range r.Rows {
				alone[s][a.Values[0].ID] = float64(a.Score)
			}
		}
		g := m.Bundle().Manifest.Settings.Degrees.OrDefault().Mixture
		for _, semantics := range model.AllSemantics {
			for _, engine := range []compiler.Engine{compiler.EngineInterpreted, compiler.EngineLayers} {
				what := formula + ", " + semantics.String() + ", " + string(engine)
				p, r := ask(t, m, formula, semantics, engine, runtime.Options{K: 60})
				b, err := p.Args(nil)
				require.NoError(t, err)
				why, err := p.Why(t.Context(), b, runtime.Options{K: 60, Settings: &p.Settings})
				require.NoError(t, err)
				best := math.NaN()
				for i, a := range r.Rows {
					if a.Status == runtime.Known {
						want := 1.0
						if strings.Contains(formula, "!") {
							want = unrefuted(m, semantics, alone[model.FIT][a.Values[0].ID])
						}
						if math.Abs(a.Confidence-want) > 1e-3 || a.Basis != nil {
							t.Errorf("%s: %s is known with confidence %v, want %v", what, a.Values[0].Name, a.Confidence, want)
						}
						continue
					}
					u := math.Log(alone[model.FIT][a.Values[0].ID] + 1e-6)
					if semantics != model.FIT {
						u = g*u + (1-g)*math.Log(alone[model.NSMP][a.Values[0].ID]+1e-12)
					}
					if math.IsNaN(best) {
						best = u
					}
					relation, offset := weakest(m, formula, &why[i])
					b := a.Basis
					if math.Abs(b.Evidence-u) > 0.01 || math.Abs(b.Margin-(u-best)) > 0.01 || b.Relation != relation || b.Offset != offset {
						t.Errorf("%s: %s has %+v, want evidence %v, margin %v, relation %s with offset %v", what, a.Values[0].Name, *b, u, u-best, relation, offset)
					}
					c := m.Bundle().Manifest.Confidence[semantics.String()].Ordinary
					p := c.Curve.At(c.Sum(b.Evidence, b.Margin, b.Offset+b.Graph))
					if a.Confidence > max(1e-6, p/(1-p)) { // TestEnds says what it is
						t.Errorf("%s: %s has confidence %v, where the curve has %v", what, a.Values[0].Name, a.Confidence, p)
					}
				}
			}
		}
	}
}

// TestEnds checks the confidence of links asked for from either end. If the end that is asked about has no fact of the
// relation, there are claims for such links, and the chance that it has some multiplies the confidence; if the answer has
// none, its chance multiplies the odds. Behind the ten best answers, and more if many are known, the chance falls with
// the number of answers before it.
func TestEnds(t *testing.T) {
	m := calibrated(t)
	g := m.Bundle().Graph
	missing := m.Bundle().Manifest.Missing
	calibration := m.Bundle().Manifest.Confidence[m.Bundle().Manifest.Semantics.String()]
	rng := rand.New(rand.NewPCG(3, 4))
	var asked [2][2]int // by whether the ends have facts
	behind := 0
	for range 1000 {
		r := graph.RelationID(rng.IntN(m.NumRelations()))
		heads, tails := g.Edges(r)
		ends := [2]graph.EntityID{graph.EntityID(heads[rng.IntN(len(heads))]), graph.EntityID(tails[rng.IntN(len(tails))])}
		for i := range ends {
			if rng.IntN(2) == 0 {
				ends[i] = graph.EntityID(rng.IntN(m.NumEntities()))
			}
		}
		if g.Has(ends[0], r, ends[1]) {
			continue
		}
		q := runtime.LinkQuestion{Head: ends[0], Relation: r, Tails: ends[1:]}
		replies, err := m.Links(t.Context(), []runtime.LinkQuestion{q}, runtime.LinkOptions{})
		require.NoError(t, err)
		row := &replies[0].Rows[0]
		if row.Basis.Relation == "" { // its degree is too small for a link
			continue
		}
		c := &calibration.Ordinary
		applies := 1.0
		var none [2]int
		if len(g.Tails(ends[0], r)) == 0 {
			c = &calibration.Lacking
			applies = model.Shifted(m.Bundle().Applies(ends[0], r, missing.Assumed), 1.5)
			none[0] = 1
		}
		p := c.Curve.At(c.Sum(row.Basis.Evidence, row.Basis.Margin, row.Basis.Offset+row.Basis.Graph))
		want := p
		switch {
		case len(g.Tails(ends[1], r.Inverse())) == 0:
			none[1] = 1
			if none[0] == 0 {
				want = model.Shifted(p, 0.8*m.Bundle().Applies(ends[1], r.Inverse(), missing.Assumed))
			}
		case none[0] == 0:
			want = model.AmongMissing(p, missing.Odds(missing.Assumed))
		}
		asked[none[0]][none[1]]++
		replies, err = m.Links(t.Context(), []runtime.LinkQuestion{{Head: ends[0], Relation: r}}, runtime.LinkOptions{Options: runtime.Options{K: m.NumEntities(), NoStatus: true}})
		require.NoError(t, err)
		place := slices.IndexFunc(replies[0].Rows, func(row runtime.Row) bool { return row.Values[0].ID == ends[1] })
		known := len(g.Tails(ends[0], r))
		if best, before := 10+3*float64(known), float64(place-known); before+1 > best {
			behind++
			want *= best / (before + 1)
		}
		want = max(1e-6, applies*want)
		if row.Basis.Applies != applies || math.Abs(row.Confidence-want) > 1e-12 {
			t.Errorf("the link of relation %d between %v has confidence %v by a chance of %v, want %v by %v", r, ends, row.Confidence, row.Basis.Applies, want, applies)
		}
	}
	if asked[0][1] < 50 || asked[1][0] < 50 || asked[1][1] == 0 || behind < 50 {
		t.Errorf("the ends without facts are %v, and %d answers are behind the best", asked, behind)
	}
}

// TestShare checks how confidence depends on the share of missing facts. If the head of the link has no fact of its relation,
// the share enters by the chance that it has one, which is a factor. Otherwise, if the tail has none, its chance is a factor
// of the odds. If both have facts, confidence is proportional to the odds of the share.
func TestShare(t *testing.T) {
	m := calibrated(t)
	odds := func(p float64) float64 { return p / (1 - p) }
	var lost []string // questions all of whose facts are held back
	relation, err := m.Relation("currency")
	require.NoError(t, err)
	r := relation.ID()
	for e := range graph.EntityID(m.NumEntities()) {
		if len(m.Bundle().Graph.Tails(e, r)) == 0 && len(m.Bundle().Heldout.Tails(e, r)) > 0 {
			lost = append(lost, fmt.Sprintf("currency(%q, y)", m.Bundle().EntityName(e)))
		}
	}
	for _, formula := range slices.Concat(lost[:3], []string{`borders("France", y)`, `exists x. borders("France", x) & official_language(x, y)`}) {
		var all [2]*runtime.Reply
		shares := []float64{0.02, 0.06}
		for i, share := range shares {
			m.Bundle().Manifest.Missing.Assumed = share
			_, all[i] = ask(t, m, formula, model.Mixed, compiler.EngineInterpreted, runtime.Options{K: 20})
		}
		for i, a := range all[0].Rows {
			b := all[1].Rows[i]
			if a.Status == runtime.Known || b.Confidence < 1e-4 || a.Basis.Relation == "" {
				continue
			}
			got := b.Confidence / b.Basis.Applies / (a.Confidence / a.Basis.Applies)
			want := odds(shares[1]) / odds(shares[0])
			by, err := m.Relation(a.Basis.Relation)
			require.NoError(t, err)
			end := a.Values[0].ID
			of := by.ID().Inverse()
			switch {
			case a.Basis.Applies < 1:
				want = 1
			case len(m.Bundle().Graph.Tails(end, of)) == 0:
				got = odds(b.Confidence) / odds(a.Confidence)
				want = m.Bundle().Applies(end, of, shares[1]) / m.Bundle().Applies(end, of, shares[0])
			case b.Confidence > 0.97: // near its bound
				continue
			}
			if math.Abs(got/want-1) > 1e-9 || slices.Contains(lost, formula) == (a.Basis.Applies == 1) {
				t.Errorf("%s: with three times the share, the chance of %s grows by %v, want %v", formula, a.Values[0].Name, got, want)
			}
		}
	}
}

// weakest returns the relation of a witness's weakest predicted link, read from the constant if the
// atom has one, and its offset; of equal links it is the first.
func weakest(m *runtime.Model, formula string, w *runtime.Witness) (string, float64) {
	c, name, least := &m.Bundle().Manifest.Confidence.Of(model.FIT).Ordinary, "", float32(1)
	offset := c.Unlinked
	for _, a := range w.Atoms {
		if a.Negated || a.Observed || a.Degree >= least {
			continue
		}
		x, _ := m.Relation(a.Relation)
		r := x.ID()
		if strings.Contains(formula, `(y, "`+a.Tail.Name) {
			r = r.Inverse()
		}
		name, least, offset = m.RelationName(r), a.Degree, c.Offsets[r]
	}
	return name, offset
}

// TestConfidencePaged checks that an answer has one confidence, on any page, by any filter, and with
// any number of questions asked together.
func TestConfidencePaged(t *testing.T) {
	m := calibrated(t)
	of := func(r *runtime.Reply) map[graph.EntityID]float64 {
		all := map[graph.EntityID]float64{}
		for _, a := range r.Rows {
			all[a.Values[0].ID] = a.Confidence
		}
		return all
	}
	for _, formula := range formulas {
		for _, s := range model.AllSemantics {
			p, whole := ask(t, m, formula, s, compiler.EngineInterpreted, runtime.Options{K: 200})
			want := of(whole)
			b, err := p.Args(nil)
			require.NoError(t, err)
			batch, err := p.AskAll(t.Context(), []runtime.Args{b, b, b}, runtime.Options{K: 20})
			require.NoError(t, err)
			results := map[string]*runtime.Reply{"in a batch": batch[1]}
			for what, o := range map[string]runtime.Options{
				"on a page":  {K: 10, Offset: 37},
				"predicted":  {K: 10, Filter: runtime.AnswerFilter{Statuses: runtime.Predicted}},
				"of a range": {K: 10, Offset: 5, Filter: runtime.AnswerFilter{InRange: true}},
				"likely":     {K: 10, Offset: 3, Filter: runtime.AnswerFilter{MinConfidence: 0.01}},
			} {
				_, results[what] = ask(t, m, formula, s, compiler.EngineInterpreted, o)
			}
			for what, r := range results {
				for e, c := range of(r) {
					if w, ok := want[e]; ok && math.Abs(c-w) > 1e-3*w {
						t.Errorf("%s, %s: %s entity %d has confidence %v, want %v", formula, s, what, e, c, w)
					}
				}
			}
		}
	}
}

// TestImpossible checks that shares of nothing are seen to be that: four countries have no
// capital in common.
func TestImpossible(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	for _, s := range model.AllSemantics {
		_, r := ask(t, m, `capital("France", y) & capital("Japan", y) & capital("Brazil", y) & capital("Kenya", y)`, s, compiler.EngineInterpreted, runtime.Options{})
		for _, a := range r.Rows {
			if a.Confidence > 0.05 {
				t.Errorf("%s: %s is the capital of four countries with confidence %v", s, a.Values[0].Name, a.Confidence)
			}
		}
	}
}

// TestMinConfidence compares the filter with all answers, filtered by hand.
func TestMinConfidence(t *testing.T) {
	m := calibrated(t)
	for _, formula := range formulas {
		p, err := compiler.Prepare(m, formula, compiler.Options{})
		require.NoError(t, err)
		all, err := p.Ask(t.Context(), nil, runtime.Options{K: m.NumEntities()})
		require.NoError(t, err)
		for _, least := range []float64{0.05, 0.3, 0.92, 1} {
			got, err := p.Ask(t.Context(), nil, runtime.Options{K: m.NumEntities(), Filter: runtime.AnswerFilter{MinConfidence: least}})
			require.NoError(t, err)
			want := slices.DeleteFunc(slices.Clone(all.Rows), func(a runtime.Row) bool { return a.Confidence < least })
			if !slices.Equal(entities(got.Rows), entities(want)) {
				t.Errorf("%s: with confidence %v there are %d answers, want %d", formula, least, len(got.Rows), len(want))
			}
		}
	}
}

// TestUncalibrated checks that it is said why answers have no confidence.
func TestUncalibrated(t *testing.T) {
	m := calibrated(t)
	p, err := compiler.Prepare(m, formulas[0], compiler.Options{})
	require.NoError(t, err)
	other := p.Settings
	other.Lambda = 0.7
	scores, err := compiler.Prepare(m, formulas[0], compiler.Options{Engine: compiler.EngineReference, Semantics: new(model.Mixed)})
	require.NoError(t, err)
	part := &scores.Spec().Parts[0]
	alone := *part.Plan
	alone.Degrees = nil
	part.Plan = &alone
	part.Explain = nil
	scores.Question, err = m.Bind(scores.Spec())
	require.NoError(t, err)
	bare, err := world.Open()
	require.NoError(t, err)
	defer bare.Close()
	bare.Bundle().Manifest.Confidence = nil
	none, err := compiler.Prepare(bare, formulas[0], compiler.Options{})
	require.NoError(t, err)
	for _, c := range []struct {
		p    *compiler.Prepared
		s    model.Settings
		want string
	}{
		{p, other, "calibrated with other settings"},
		{scores, scores.Settings, "leaves no evidence"},
		{none, none.Settings, "not calibrated for semantics mixed: that takes at least 100 facts that its graph lacks, and it holds back 712"},
	} {
		r, err := c.p.Ask(t.Context(), nil, runtime.Options{K: 3, Settings: &c.s})
		if err != nil || !strings.Contains(r.Uncalibrated, c.want) || r.Rows[0].Confidence != 0 {
			t.Errorf("uncalibrated %q (%v), want %q", r.Uncalibrated, err, c.want)
		}
		_, err = c.p.Ask(t.Context(), nil, runtime.Options{Settings: &c.s, Filter: runtime.AnswerFilter{MinConfidence: 0.5}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("a filter by confidence says %v, want %q", err, c.want)
		}
	}
	if _, err := p.Ask(t.Context(), nil, runtime.Options{Filter: runtime.AnswerFilter{MinConfidence: 2}}); err == nil || !strings.Contains(err.Error(), "MinConfidence: want a number from 0 to 1, not 2") {
		t.Errorf("a confidence of 2 says %v", err)
	}
	b, err := scores.Args(nil)
	require.NoError(t, err)
	if _, err := scores.Why(t.Context(), b, runtime.Options{}, 1); err == nil || !strings.Contains(err.Error(), "leaves no truth degrees") {
		t.Errorf("witnesses of scores alone say %v", err)
	}
}
