package runtime_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/values"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/shards"
	"github.com/efoc/efoc/testdata/require"
)

const (
	mostRefutable = 0.95 // of known answers that may be refuted
	mostByLinks   = 0.04 // of answers that rest on predicted links
)

var (
	evenCurve  = model.Curve{X: []float64{-10, 1}, Y: []float64{0, mostByLinks}}
	steepCurve = model.Curve{X: []float64{-10, -3.2, -3, 1}, Y: []float64{0, 0.001, mostByLinks - 0.01, mostByLinks}}
)

// newUnknownGraph draws a model whose confidence of predicted links is small.
func newUnknownGraph(t *testing.T, rng *rand.Rand, n int, curve model.Curve) *valuedGraph {
	t.Helper()
	g := newValuedGraph(t, rng, n)
	m := g.Bundle()
	c := model.Claims{
		Applies: 1, Evidence: 0.5, Margin: 0.25, Offsets: make([]float64, m.NumRelations()), Unlinked: -1,
		Terms: model.LinkTerms{model.TermAtoms: -0.3}, Curve: curve, Low: [model.Forms]float64{-1.6, -1.6, -1.6}, High: [model.Forms]float64{1.6, 1.6, 1.6}, Refuted: model.Curve{X: []float64{0}, Y: []float64{1 - mostRefutable}},
	}
	m.Manifest.Confidence = model.Confidence{}
	for _, s := range model.AllSemantics {
		m.Manifest.Confidence[s.String()] = &model.Calibration{Ordinary: c, HeldOut: c, Lacking: c}
	}
	split, end, err := shards.Here(m, 1+rng.IntN(4), stages.Distributed, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, end()) })
	g.split = split
	return g
}

// chance returns the largest product of the chances that the unknown values of an assignment meet the filters, by stored
// facts alone.
func (g *valuedGraph) chance(t *testing.T, f ast.Formula, at map[string]int) float64 {
	t.Helper()
	most := 0.0
	switch f := f.(type) {
	case *ast.Exists:
		body := f.Body
		if len(f.Vars) > 1 {
			body = &ast.Exists{Vars: f.Vars[1:], Body: body}
		}
		for e := range g.n {
			at[f.Vars[0].Name] = e
			most = max(most, g.chance(t, body, at))
		}
		return most
	case *ast.Filter:
		if known, _ := g.meets(t, f.Condition, at[f.Subject.Name]); known || !f.Unknown {
			break
		}
		meet := 1.0
		all := 2.0
		for e := range g.n {
			if known, holds := g.meets(t, f.Condition, e); known {
				all++
				if holds {
					meet++
				}
			}
		}
		return meet / all
	case *ast.Or:
		for _, part := range ast.Parts(f) {
			most = max(most, g.chance(t, part, at))
		}
		return most
	case *ast.And:
		most = 1
		for _, part := range ast.Parts(f) {
			most *= g.chance(t, part, at)
		}
		return most
	}
	if g.holds(t, f, at, false) {
		most = 1
	}
	return most
}

// unknownQuestion draws the thresholds of the filters F of a pattern.
func unknownQuestion(t *testing.T, rng *rand.Rand, pattern string) *lang.Query {
	t.Helper()
	for _, v := range []string{"x", "y", "z"} {
		for strings.Contains(pattern, "F("+v+")") {
			filter := fmt.Sprintf("size(%s) %s? %v", v, []string{">", "<="}[rng.IntN(2)], float64(rng.IntN(9))/2)
			pattern = strings.Replace(pattern, "F("+v+")", filter, 1)
		}
	}
	q, err := lang.ParseFormula(pattern)
	require.NoError(t, err)
	return q
}

// askUnknown asks a question by a semantics.
func askUnknown(t *testing.T, m *runtime.Model, q *lang.Query, s model.Semantics, o runtime.Options) *runtime.Reply {
	t.Helper()
	p, err := compiler.Prepare(m, q, compiler.Options{Semantics: &s})
	require.NoError(t, err)
	r, err := p.Ask(t.Context(), nil, o)
	if err != nil || r.Uncalibrated != "" {
		t.Fatalf("%s, %s: %v, uncalibrated: %s", q, s, err, r.Uncalibrated)
	}
	return r
}

// countUnknown counts the answers of a question by a semantics.
func countUnknown(t *testing.T, m *runtime.Model, q *lang.Query, s model.Semantics) *runtime.Count {
	t.Helper()
	count := *q
	count.Wants = kind.Count
	p, err := compiler.Prepare(m, &count, compiler.Options{Semantics: &s})
	require.NoError(t, err)
	r, err := p.Ask(t.Context(), nil, runtime.Options{})
	require.NoError(t, err)
	return r.Count
}

// TestUnknownValues asks random models with values that are not known. The confidence of an answer that stored facts give
// if these meet the filters is the product of their chances, under all semantics.
func TestUnknownValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(54, 6))
	patterns := []string{
		`"0"("1", y) & F(y)`, `"0"(x0, y) & F(y) & F(y)`, `exists x. "0"("1", x) & "1"(x, y) & F(x)`,
		`exists x. "0"("1", x) & "1"(x, y) & F(x) & F(y)`, `"0"("1", y) & F(y) | "1"("2", y) & F(y)`,
		`exists x. "0"("1", x) & "1"(x, y) & !"0"(y, x) & F(x)`, `"0"("1", y) & (F(y) | size(y) < 1)`,
		`x, y: "0"(x, y) & F(x) & F(y)`, `y, x: "0"(x, y) & F(x)`, `x, y: exists z. "0"(x, z) & "1"(z, y) & F(z)`,
		`x, y: "0"(x, y) & F(x) | "1"(y, x) & F(y)`,
	}
	compared := 0
	for round := range 6 * len(patterns) {
		g := newUnknownGraph(t, rng, 8+rng.IntN(6), evenCurve)
		q := unknownQuestion(t, rng, strings.Replace(patterns[round%len(patterns)], "x0", `"0"`, 1))
		known := 1.0
		if strings.Contains(q.String(), `!"0"`) {
			known = mostRefutable
		}
		for _, s := range model.AllSemantics {
			r := askUnknown(t, g.Model, q, s, runtime.Options{K: g.n * g.n, Prefixes: g.n * g.n})
			if r.Kind == plan.Answers {
				sameConfidence(t, q.String()+", shards", askUnknown(t, g.split, q, s, runtime.Options{K: g.n}), r, 1)
			}
			for _, row := range r.Rows {
				at := map[string]int{}
				for _, v := range row.Values {
					at[v.Variable] = int(v.ID)
				}
				want := known * g.chance(t, q.Formula, at)
				switch {
				case want == 0 && row.Confidence > mostByLinks:
					t.Errorf("%s, %s: %v has confidence %v by predicted links", q, s, at, row.Confidence)
				case want > 0 && math.Abs(row.Confidence-want) > 1e-6:
					t.Errorf("%s, %s: %v has confidence %v, want %v", q, s, at, row.Confidence, want)
				case want > 0 && want < known:
					compared++
					if row.Status != runtime.Predicted {
						t.Errorf("%s, %s: %v is %s", q, s, at, row.Status)
					}
				}
			}
		}
	}
	if compared < 300 {
		t.Errorf("only %d answers owe themselves to unknown values", compared)
	}
}

// sameConfidence compares the confidence of answers with that of others, times a factor.
func sameConfidence(t *testing.T, what string, r, other *runtime.Reply, factor float64) {
	t.Helper()
	want := map[graph.EntityID]float64{}
	for _, row := range other.Rows {
		want[row.Values[0].ID] = factor * row.Confidence
	}
	for _, row := range r.Rows {
		if e := row.Values[0].ID; math.Abs(row.Confidence-want[e]) > 1e-4 {
			t.Errorf("%s, %s: %d has confidence %v, want %v", what, r.Semantics, e, row.Confidence, want[e])
		}
	}
	if len(r.Rows) != len(want) {
		t.Errorf("%s, %s: %d answers, want %d", what, r.Semantics, len(r.Rows), len(want))
	}
}

// TestNoValues asks for values that no entity has: the filter halves all confidences, those of predicted links too.
func TestNoValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(54, 9))
	for range 10 {
		g := newUnknownGraph(t, rng, 30, evenCurve)
		m, err := g.Bundle().WithValues([]values.AttributeValues{{Name: "size", Kind: values.NumberKind}})
		require.NoError(t, err)
		none := runtime.NewModel(m)
		for _, formula := range []string{`"0"("1", y)`, `exists x. "0"("1", x) & "1"(x, y)`} {
			for _, filter := range []string{"size(y) >? 1", "size(x) >? 1"} {
				filtered := strings.ReplaceAll(formula, `y)`, "y) & "+filter)
				if strings.Contains(filter, "(x)") && !strings.Contains(formula, "exists") {
					continue
				}
				plain, err := lang.ParseFormula(formula)
				require.NoError(t, err)
				q, err := lang.ParseFormula(filtered)
				require.NoError(t, err)
				for _, s := range model.AllSemantics {
					o := runtime.Options{K: g.n}
					sameConfidence(t, filtered, askUnknown(t, none, q, s, o), askUnknown(t, none, plain, s, o), 0.5)
					all := countUnknown(t, none, plain, s)
					half := countUnknown(t, none, q, s)
					if want := (all.Missing + float64(all.Known)) / 2; math.Abs(half.Missing-want) > 0.05*want {
						t.Errorf("%s, %s: %v answers are missing, want %v", filtered, s, half.Missing, want)
					}
				}
			}
		}
		require.NoError(t, none.Close())
	}
}

// TestUnknownValueVerdicts is TestUnknownValues for sentences.
func TestUnknownValueVerdicts(t *testing.T) {
	rng := rand.New(rand.NewPCG(54, 7))
	compared := 0
	for round := range 80 {
		g := newUnknownGraph(t, rng, 8+rng.IntN(6), evenCurve)
		q := unknownQuestion(t, rng, []string{
			`exists x. "0"("1", x) & F(x)`, `exists x, y. "0"("1", x) & "1"(x, y) & F(x) & F(y)`,
			`(exists x. "0"("1", x) & F(x)) & (exists z. "1"("2", z) & F(z))`, `exists x, y. "0"("1", x) & "0"(x, y) & F(y)`,
		}[round%4])
		want := g.chance(t, q.Formula, map[string]int{})
		if want <= mostByLinks {
			continue
		}
		if want < 1 {
			compared++
		}
		for _, s := range model.AllSemantics {
			v := askUnknown(t, g.Model, q, s, runtime.Options{}).Verdict
			if math.Abs(v.Confidence-want) > 1e-6 || (v.Status == runtime.Known) != (want == 1) {
				t.Errorf("%s, %s: %s, confidence %v, want %v", q, s, v.Status, v.Confidence, want)
			}
		}
	}
	if compared < 10 {
		t.Errorf("only %d sentences owe themselves to unknown values", compared)
	}
}

// TestUnknownValueFilter compares answers of some confidence at least with those of all answers, whose confidences add up
// to the count.
func TestUnknownValueFilter(t *testing.T) {
	rng := rand.New(rand.NewPCG(54, 8))
	patterns := []string{
		`"0"("1", y) & F(y)`, `exists x. "0"("1", x) & "1"(x, y) & F(x)`, `exists x. "0"("1", x) & "1"(x, y) & F(x) & F(y)`,
		`"0"("1", y) & F(y) | "1"("2", y) & F(y)`, `exists x. "0"(y, x) & F(x)`,
	}
	for round := range 8 * len(patterns) {
		g := newUnknownGraph(t, rng, 10, steepCurve)
		q := unknownQuestion(t, rng, patterns[round%len(patterns)])
		for _, s := range model.AllSemantics {
			all := askUnknown(t, g.Model, q, s, runtime.Options{K: g.n})
			for i, least := range all.Rows {
				o := runtime.AnswerFilter{MinConfidence: least.Confidence * (1 - 1e-6)}
				if i%2 == 0 {
					o.Statuses = runtime.Predicted
				}
				var want []string
				for _, row := range all.Rows {
					if row.Confidence >= o.MinConfidence && (o.Statuses == 0 || row.Status == o.Statuses) {
						want = append(want, fmt.Sprint(row.Values[0].ID, strconv.FormatFloat(row.Confidence, 'g', 6, 64)))
					}
				}
				var got []string
				for _, row := range askUnknown(t, g.Model, q, s, runtime.Options{K: g.n, Filter: o}).Rows {
					got = append(got, fmt.Sprint(row.Values[0].ID, strconv.FormatFloat(row.Confidence, 'g', 6, 64)))
				}
				if strings.Join(got, " ") != strings.Join(want, " ") {
					t.Errorf("%s, %s, %+v: answers %v, want %v", q, s, o, got, want)
				}
			}

			n := countUnknown(t, g.Model, q, s)
			sum := 0.0
			for _, row := range all.Rows {
				if row.Status != runtime.Known {
					sum += row.Confidence
				}
			}
			if math.Abs(n.Missing-sum) > 1e-6 {
				t.Errorf("%s, %s: %v answers are missing, want %v", q, s, n.Missing, sum)
			}
		}
	}
}
