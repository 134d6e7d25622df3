package training

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/train"
	"github.com/efoc/efoc/testdata/require"
)

// TestGivenRelations checks that relations are predicted from rank 512 on in graphs like FB15k-237, not in those like
// NELL995 nor in smaller ones, and as is given in all.
func TestGivenRelations(t *testing.T) {
	for _, c := range []struct {
		entities, relations, facts, rank int
		given                            *float64
		want                             float64
	}{
		{14_505, 237, 272_115, 256, nil, 0}, {14_505, 237, 272_115, 512, nil, 4}, {14_505, 237, 272_115, 1000, new(0.0), 0},
		{63_361, 200, 114_213, 1000, nil, 0}, {63_361, 200, 114_213, 1000, new(2.0), 2}, {10_700, 31, 48_000, 512, nil, 0}, {5_000, 3, 11_000, 64, nil, 0},
	} {
		given := &Given{Rank: &c.rank, Relations: c.given}
		if o, _ := given.options(c.entities, c.relations, c.facts); o.Relations != c.want || o.Rank != c.rank {
			t.Errorf("%+v: weight %v at rank %d", c, o.Relations, o.Rank)
		}
	}
}

// TestMeaning expects the line that says what a model is worth, and what to do about one that is no
// better than counting.
func TestMeaning(t *testing.T) {
	r := &Report{Valid: &train.Metrics{MRR: 0.5, Hits10: 0.612}, Counting: &train.Metrics{MRR: 0.2, Hits10: 0.318}}
	if got, want := r.Meaning(), "good: a missing fact is among the ten best answers in 61% of cases (counting: 32%)\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if text := r.Weak(); text != "" {
		t.Errorf("a good model is weak: %s", text)
	}
	r.Counting.MRR = math.Nextafter(r.Valid.MRR, 1)
	if got := r.Meaning(); !strings.HasPrefix(got, "poor: ") {
		t.Errorf("a model below counting is %q", got)
	}
	if got := (&Report{}).Meaning(); got != "" {
		t.Errorf("without validation facts: %q", got)
	}
}

// TestWeak expects a model below counting to come with the flags to try next.
func TestWeak(t *testing.T) {
	curve := make([]train.Point, 5)
	o := train.DefaultOptions()
	for _, c := range []struct {
		report Report
		want   string
	}{
		{Report{Best: 5, budget: 10 * time.Minute, epoch: 20}, "train longer: --budget 30m"},
		{Report{Best: 5, budget: time.Minute, epoch: 300}, "train longer: --budget 150m"},
		{Report{Best: 5, budget: 2 * time.Hour}, "train longer: --budget 360m"},
		{Report{Best: 5, budget: time.Nanosecond}, "train longer: --budget 1m"},
		{Report{Best: 5}, "train longer: --epochs 20"},
		{Report{Best: 2, budget: time.Hour}, "try --rank 64 --trainer n3=0.2, or give it more facts"},
	} {
		r := c.report
		r.Curve = curve
		r.Options = o
		r.Valid = &train.Metrics{MRR: 0.1}
		r.Counting = &train.Metrics{MRR: 0.2}
		if got := r.Weak(); !strings.Contains(got, c.want) {
			t.Errorf("%+v: got %q, want %q", c.report, got, c.want)
		}
	}
}

// TestCalibratedUntil expects calibration to end with the budget, of which it has a tenth all the same.
func TestCalibratedUntil(t *testing.T) {
	start := time.Unix(1000, 0)
	j := &Job{Config: Config{Started: start, Budget: 100 * time.Second}}
	for _, c := range []struct{ now, want time.Duration }{{60, 97}, {95, 105}, {130, 140}} {
		if got := j.calibratedUntil(start.Add(c.now * time.Second)).Sub(start); got != c.want*time.Second {
			t.Errorf("from %v s on it ends after %v, want %v s", int(c.now), got, int(c.want))
		}
	}
}

// TestForTraining expects training to get what calibration and final figures leave of a budget, and half of the rest
// if that is little.
func TestForTraining(t *testing.T) {
	for _, c := range []struct{ gone, finally, want float64 }{{100, 20, 650}, {700, 20, 135}, {960, 20, 5}} { // hours
		j := &Job{Config: Config{Budget: 1000 * time.Hour, Started: time.Now().Add(-time.Duration(c.gone * float64(time.Hour)))}, unmeasured: true}
		j.cost.Fixed = 200 * 3600
		if got := j.forTraining(c.finally*3600) / 3600; math.Abs(got-c.want) > 1 {
			t.Errorf("%v h after the start, training gets %v h, want %v", c.gone, got, c.want)
		}
	}
}

// TestBoundTests expects the final figures to take a tenth of the budget, but to be of some facts.
func TestBoundTests(t *testing.T) {
	const n = 500
	var facts []graph.Triple
	for i := range n {
		facts = append(facts, graph.Triple{Head: graph.EntityID(i), Tail: graph.EntityID((i + 1) % n)})
	}
	g, err := graph.New(n, 1, facts)
	require.NoError(t, err)
	for _, c := range []struct {
		budget      time.Duration
		valid, test int
	}{{time.Hour, 500, 400}, {100 * time.Second, 277, 222}, {time.Second, fewestFacts, fewestFacts}} {
		said := 0
		j := &Job{
			Config: Config{Budget: c.budget, Out: Output{Note: func(string, ...any) { said++ }}},
			tests:  tests{valid: train.NewTest(facts, g), test: train.NewTest(facts[:400], g), graph: g},
		}
		j.boundTests(0.01) // 1,800 ranks take 18 s
		if v, w := j.tests.valid.Facts(), j.tests.test.Facts(); v != c.valid || w != c.test || (said == 0) != (v == n) {
			t.Errorf("in %s it ranks %d and %d facts, want %d and %d; %d notes", c.budget, v, w, c.valid, c.test, said)
		}
	}
}

// TestGrade grades by what counting does not find.
func TestGrade(t *testing.T) {
	for _, c := range []struct {
		mrr, hits, counting float64
		want                string
	}{{0.5, 0.61, 0.32, "good"}, {0.35, 0.54, 0.4, "fair"}, {0.12, 0.33, 0.32, "poor"}, {0.1, 0.9, 0.32, "poor"}} {
		if got := Grade(train.Metrics{MRR: c.mrr, Hits10: c.hits}, train.Metrics{MRR: 0.11, Hits10: c.counting}); got != c.want {
			t.Errorf("%+v is %s", c, got)
		}
	}
}

// TestLimit expects epochs and validations to fill the time, of which members get equal parts.
func TestLimit(t *testing.T) {
	for _, c := range []struct {
		name                       string
		seconds, epoch, validation float64
		epochs, members            int // given
		every                      int
		limit, takes, fit          float64
	}{
		{"epochs fill the time", 900, 60, 10, 1000, 1, 1, 890, 890, 890.0 / 70},
		{"a part of an epoch", 30, 60, 10, 1000, 1, 1, 20, 20, 20.0 / 70},
		{"no time", -5, 60, 10, 1000, 1, 1, leastSeconds, leastSeconds, leastSeconds / 70},
		{"few epochs", 900, 60, 10, 5, 1, 1, 890, 350, 890.0 / 70},
		{"slow validations", 1000, 60, 100, 1000, 1, 7, 900, 900, 900 / (60 + 100.0/7)},
		{"slow validations, few epochs", 1000, 60, 100, 5, 1, 5, 900, 400, 900.0 / 80},
		{"members", 900, 60, 10, 5, 2, 1, 880, 700, 440.0 / 70},
		{"no validation", 900, 60, 0, 1000, 1, 1, 900, 900, 15},
	} {
		p := planned{options: train.Options{Members: c.members}, schedule: train.Schedule{Epochs: c.epochs, Every: 1}}
		takes := p.limit(c.seconds, c.epoch, c.validation)
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }
		if s := p.schedule; s.Every != c.every || !near(s.Seconds, c.limit) || !near(takes, c.takes) || !near(p.epochs, c.fit) {
			t.Errorf("%s: %+v takes %v s, and %v epochs fit", c.name, s, takes, p.epochs)
		}
	}
}
