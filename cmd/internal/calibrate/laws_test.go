package calibrate

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// drawnAnswers draws answers of all kinds, with links of all ends.
func drawnAnswers(rng *rand.Rand, relations, count int) (list []observation) {
	for i := range count {
		a := observation{
			question: i / 4, kind: kind(rng.IntN(int(lacking) + 1)), evidence: 2*rng.Float64() - 1, relation: graph.RelationID(rng.IntN(relations+1) - 1), stands: 1,
		}
		if a.relation >= 0 {
			a.ends = [2]end{end(rng.IntN(3)), end(rng.IntN(3))}
			a.applies = 0.05 + 0.5*rng.Float64()
			a.terms[model.TermKnown] = rng.Float64()
		}
		a.isTrue = rng.Float64() < 0.3
		list = append(list, a)
	}
	return list
}

// TestApply fits how often relations apply to ends without facts: as many answers at such ends are expected as are true, four
// of each added, and no other answers count. Without answers the factors are 1.
func TestApply(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.Of(t), 63))
	const relations = 4
	claims := model.Claims{Evidence: 1, Terms: model.LinkTerms{model.TermKnown: 0.5}, Unlinked: 7, Curve: model.Curve{X: []float64{-5, 5}, Y: []float64{0.05, 0.85}}}
	for range relations {
		claims.Offsets = append(claims.Offsets, 2*rng.NormFloat64())
	}
	odds := func(p float64) float64 { return p / (1 - p) }
	chance := func(odds float64) float64 { return odds / (1 + odds) }
	confirmed := func(a *observation) float64 { // by the claims
		offset := claims.Unlinked
		if a.relation >= 0 {
			offset = claims.Offsets[a.relation]
		}
		z := min(5, max(-5, a.evidence+offset+0.5*a.terms[model.TermKnown]))
		return 0.45 + 0.08*z
	}
	o := &observed{answers: drawnAnswers(rng, relations, 4000)}
	c := model.Calibration{Ordinary: claims, HeldOut: claims, Lacking: claims}
	o.apply(&c)
	var expected, found [2]float64
	for i := range o.answers {
		a := &o.answers[i]
		is := 0.0
		if a.isTrue {
			is = 1
		}
		want := confirmed(a)
		switch {
		case a.kind != heldOut && a.ends[0] != linked:
			want *= chance(odds(a.applies) * c.Lacking.Applies)
		case a.kind == ordinary && a.ends[1] != linked:
			p := chance(odds(want) * a.applies * c.Ordinary.Applies)
			want = p / (1 + p) // of as many other facts, half are validation facts
		}
		if got := likely(&c, a); math.Abs(got-want) > 1e-9 {
			t.Fatalf("%+v is confirmed with chance %v, want %v", a, got, want)
		}
		switch {
		case a.kind == lacking && a.ends[0] != linked:
			expected[0] += want
			found[0] += is
		case a.kind == ordinary && a.ends[0] == linked && a.ends[1] != linked:
			expected[1] += want
			found[1] += is
		}
	}
	for i, by := range []float64{c.Lacking.Applies, c.Ordinary.Applies} {
		if by > 99 || by < 0.02 || math.Abs((expected[i]+4*by)/(found[i]+4)-1) > 1e-3 {
			t.Errorf("end %d: by a factor of %v, %v answers are expected, and %v are true", i, by, expected[i], found[i])
		}
	}
	none := model.Calibration{}
	new(observed).apply(&none)
	if none.Lacking.Applies != 1 || none.Ordinary.Applies != 1 {
		t.Errorf("without answers the factors are %v and %v", none.Lacking.Applies, none.Ordinary.Applies)
	}
}

// TestFitKinds draws answers of all kinds. Each kind has claims from its own answers: ordinary ones from links whose ends have
// the relation. Answers without a link, which are more often true, have the largest offset. Without held-out questions,
// their claims are those of ordinary ones.
func TestFitKinds(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.Of(t), 64))
	const relations = 4
	o := &observed{relations: relations, answers: drawnAnswers(rng, relations, 8000), hard: map[int]float64{}}
	var want [3]int // of ordinary, held-out and lacking claims
	for i := range o.answers {
		a := &o.answers[i]
		a.isTrue = a.isTrue || a.relation < 0 && rng.Float64() < 0.5
		if a.kind < extra && a.ends[0] == lost {
			want[2]++
		}
		switch {
		case a.kind == heldOut:
			want[1]++
		case a.kind == ordinary && a.ends[0] != unsure && a.ends[1] != unsure:
			want[0]++
		}
	}
	c, err := o.fit()
	require.NoError(t, err)
	if got := [3]int{c.Ordinary.Answers, c.HeldOut.Answers, c.Lacking.Answers}; got != want {
		t.Errorf("claims are fitted to %v answers, want %v", got, want)
	}
	if c.HeldOut.Unlinked <= slices.Max(c.HeldOut.Offsets)+0.3 {
		t.Errorf("the offset without a link is %v, those of links are %v", c.HeldOut.Unlinked, c.HeldOut.Offsets)
	}
	o.answers = slices.DeleteFunc(o.answers, func(a observation) bool { return a.kind == heldOut })
	c, err = o.fit()
	require.NoError(t, err)
	if !reflect.DeepEqual(c.HeldOut.Offsets, c.Ordinary.Offsets) || !reflect.DeepEqual(c.HeldOut.Curve, c.Ordinary.Curve) {
		t.Errorf("without held-out questions their claims are %+v, want %+v", c.HeldOut, c.Ordinary)
	}
}

// TestBoundsCertain counts answers that are certainly false: the bounds are numbers.
func TestBoundsCertain(t *testing.T) {
	o := &observed{hard: map[int]float64{}}
	for i := range 200 {
		o.answers = append(o.answers, observation{question: i, kind: ordinary, relation: -1, stands: 1})
	}
	c := model.Calibration{Ordinary: model.Claims{Curve: model.Curve{X: []float64{0}, Y: []float64{0}}}}
	o.bounds(&c, ordinary)
	for form, low := range c.Ordinary.Low {
		if high := c.Ordinary.High[form]; !(low <= high && math.Abs(low)+math.Abs(high) < 1e6) {
			t.Errorf("the bounds are %v and %v", low, high)
		}
	}
}

// TestIsotonicMany fits a curve to far more levels than it has points.
func TestIsotonicMany(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.Of(t), 65))
	var points []point
	for i := range 3000 {
		p := point{x: float64(i), weight: 1000}
		p.hits = p.weight * (float64(i) + rng.Float64()) / 3000
		points = append(points, p)
	}
	c := isotonic(points, 0)
	if len(c.X) != maxLevels || !slices.IsSorted(c.Y) {
		t.Errorf("the curve is %+v", c)
	}
	for i := range 3000 {
		if want := float64(i) / 3000; math.Abs(c.At(float64(i))-want) > 0.02 {
			t.Fatalf("at %d the curve has %v, want %v", i, c.At(float64(i)), want)
		}
	}
}

// TestQuestions finds the answers to random questions in random graphs: by the observed graph, by all facts alone, by
// each half of them, and those that all facts refute.
func TestQuestions(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed.Of(t), 66))
	const n = 15
	var facts []graph.Triple
	for range 120 {
		facts = append(facts, graph.Triple{Head: graph.EntityID(rng.IntN(n)), Relation: int32(rng.IntN(2)), Tail: graph.EntityID(rng.IntN(n))})
	}
	kept := [][]graph.Triple{facts[:60], facts, facts[:90], slices.Concat(facts[:60], facts[90:])}
	var graphs []*graph.Graph
	for _, list := range kept {
		g, err := graph.New(n, 2, list)
		require.NoError(t, err)
		graphs = append(graphs, g)
	}
	o := &observer{model: runtime.NewModel(modeltest.New(t, modeltest.Spec{Entities: n, Relations: 2, Facts: kept[0]})), full: graphs[1], halves: graphs[2:]}
	shape, err := benchmark.Query("2in")
	require.NoError(t, err)
	p, err := compiler.Prepare(o.model, shape, compiler.Options{})
	require.NoError(t, err)
	var asked []asking
	for range 60 {
		q := asking{}
		for _, param := range shape.Params {
			limit := n
			if param.Name[0] == 'r' {
				limit = 4
			}
			q.Args = append(q.Args, rng.Int32N(int32(limit)))
		}
		asked = append(asked, q)
	}
	questions, err := o.questions(t.Context(), p, asked)
	require.NoError(t, err)
	refuted := 0
	for i, q := range questions {
		at := map[string]int32{}
		for k, param := range shape.Params {
			at[param.Name] = asked[i].Args[k]
		}
		var answers [4][]int32
		for k, g := range graphs {
			for e := range graph.EntityID(n) {
				if g.Has(graph.EntityID(at["s1"]), graph.RelationID(at["r1"]), e) && !g.Has(graph.EntityID(at["s2"]), graph.RelationID(at["r2"]), e) {
					answers[k] = append(answers[k], int32(e))
				}
			}
		}
		without := func(list, others []int32) []int32 {
			return slices.DeleteFunc(slices.Clone(list), func(e int32) bool { return slices.Contains(others, e) })
		}
		wrong := without(answers[0], answers[1])
		refuted += len(wrong)
		for what, lists := range map[string][2][]int32{
			"easy": {q.easy, answers[0]}, "hard": {q.hard, without(answers[1], answers[0])}, "wrong": {q.wrong, wrong},
			"of a half": {q.halves[0], answers[2]}, "of the other half": {q.halves[1], answers[3]},
		} {
			if !slices.Equal(lists[0], lists[1]) {
				t.Errorf("question %v: answers %s are %v, want %v", at, what, lists[0], lists[1])
			}
		}
	}
	if len(questions) != len(asked) || refuted == 0 {
		t.Errorf("%d questions of %d have answers, %d refuted ones", len(questions), len(asked), refuted)
	}
}

// TestMissing sets the shares that the owner knows, and keeps the others.
func TestMissing(t *testing.T) {
	m := modeltest.New(t, modeltest.Spec{Entities: 40, Relations: 2})
	m.Manifest.Missing = model.Missing{HeldOut: 0.25, Assumed: 0.125}
	require.NoError(t, Assume(m, map[string]float64{m.RelationName(2): 0.5}))
	want := model.Missing{HeldOut: 0.25, Assumed: 0.125, Relations: map[string]float64{m.RelationName(2): 0.5}}
	if got := m.Manifest.Missing; !reflect.DeepEqual(got, want) {
		t.Errorf("by a share of a relation: %+v, want %+v", got, want)
	}
	require.NoError(t, Assume(m, map[string]float64{"": 0.3, m.RelationName(0): 0}))
	want.Assumed = 0.3
	want.Relations[m.RelationName(0)] = 0
	if got := m.Manifest.Missing; !reflect.DeepEqual(got, want) {
		t.Errorf("by shares of all and of a relation: %+v, want %+v", got, want)
	}
}
