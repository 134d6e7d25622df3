package training

import (
	"testing"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/train"
	"github.com/efoc/efoc/testdata/require"
)

// TestCourse checks that epochs and validations fill the time.
func TestCourse(t *testing.T) {
	o, s := Defaults(1_000_000, 1, 300_000)
	size := train.Size{Entities: 1_000_000, Relations: 2, Facts: 300_000}
	c := &Course{Size: size, ValidRanks: 1000}
	// An epoch takes 60 seconds, and a validation 10.
	timing := Timing{Options: o, Step: 60.0 / float64(o.Steps(size)), Rank: 0.01}
	for _, x := range []struct {
		seconds              float64
		epochs, every, steps int
	}{{900, 12, 1, 0}, {30, 1, 1, 300}, {-5, 1, 1, 1}, {9000, 128, 1, 0}} {
		got := c.Plan(timing, s, x.seconds)
		if got.Epochs != x.epochs || got.Every != x.every || got.Steps != x.steps {
			t.Errorf("%v seconds: %+v", x.seconds, got)
		}
		if takes := c.Seconds(timing, got); x.seconds > 0 && (takes > x.seconds || takes < x.seconds-70) {
			t.Errorf("%v seconds: it takes %v", x.seconds, takes)
		}
	}
	// A validation that takes longer than an epoch comes seldom.
	timing.Rank = 0.1
	if got := c.Plan(timing, s, 1000); got.Every != 7 || got.Epochs != 13 {
		t.Errorf("with slow ranks: %+v", got)
	}
	c.Most = 5
	if got := c.Plan(timing, s, 1000); got.Every != 5 || got.Epochs != 5 {
		t.Errorf("with at most five epochs: %+v", got)
	}
	c.EpochsGiven = true
	if got := c.Plan(timing, s, 1); got.Epochs != s.Epochs {
		t.Errorf("the given %d epochs become %+v", s.Epochs, got)
	}
}

// ring is a small graph.
func ring(t *testing.T) *graph.Graph {
	t.Helper()
	const n = 50
	var list []graph.Triple
	for i := range n {
		list = append(list, graph.Triple{Head: graph.EntityID(i), Tail: graph.EntityID((i + 1) % n)})
	}
	g, err := graph.New(n, 1, list)
	require.NoError(t, err)
	return g
}

// TestPace checks that a run gets as many epochs as there is time for, and that the rate falls in the
// last ones, from an epoch on that is not over yet.
func TestPace(t *testing.T) {
	o := train.DefaultOptions()
	o.Rank, o.Batch = 4, 20
	for _, c := range []struct {
		name           string
		left           float64 // all the time
		falls          bool
		epochs, decay  int // planned
		want, wantFall int
	}{
		{"much time", 1e9, true, 10, 2, 1001, 200},
		{"much time, constant rate", 1e9, false, 10, 0, 1001, 0},
		{"no time", 0, true, 10, 2, 1, 0},
	} {
		run, err := train.NewRun(ring(t), o, train.Schedule{Epochs: c.epochs, Every: 1}, nil, 1)
		require.NoError(t, err)
		run.End(c.epochs, c.decay)
		p := Pace{Falls: c.falls, Left: func() float64 { return c.left }}
		adapted := false
		err = run.Do(t.Context(), train.Checkpoints{}, train.Hooks{Epoch: func(train.Point) {
			if !adapted {
				adapted = true
				p.Adapt(run)
				if got := run.Trainer.Options(); run.Schedule.Epochs != c.want || got.Decay != c.wantFall {
					t.Errorf("%s: %d epochs, falling in %d; want %d, %d", c.name, run.Schedule.Epochs, got.Decay, c.want, c.wantFall)
				}
				run.End(3, 0)
			}
		}})
		require.NoError(t, err)
	}
}

// TestPaceSteps checks that a run goes on as long as there is time, whether or not it was planned to end within its
// first epoch.
func TestPaceSteps(t *testing.T) {
	o := train.DefaultOptions()
	o.Rank, o.Batch = 4, 20 // five steps in an epoch
	for _, c := range []struct {
		planned       train.Schedule
		left          float64 // all the time
		epochs, steps int     // done
	}{
		{train.Schedule{Epochs: 1, Every: 1, Steps: 1}, 1e9, 3, 0}, {train.Schedule{Epochs: 1, Every: 1, Steps: 1}, 0, 0, 2},
		{train.Schedule{Epochs: 2, Every: 1}, 1e9, 3, 0}, {train.Schedule{Epochs: 2, Every: 1}, 0, 0, 2},
	} {
		run, err := train.NewRun(ring(t), o, c.planned, nil, 1)
		require.NoError(t, err)
		p := Pace{Left: func() float64 { return c.left }}
		err = run.Do(t.Context(), train.Checkpoints{}, train.Hooks{
			Step: func() { p.adaptSteps(run) },
			Epoch: func(train.Point) {
				p.Adapt(run)
				run.End(min(run.Schedule.Epochs, 3), 0)
			},
		})
		require.NoError(t, err)
		if done, _ := run.Trainer.Steps(); len(run.Curve) != c.epochs || done != c.steps || run.Schedule.Steps != c.steps {
			t.Errorf("%+v with %v s left ends after %d epochs and %d steps, want %d and %d", c.planned, c.left, len(run.Curve), done, c.epochs, c.steps)
		}
	}
}

// TestPaceStops checks that the rate falls once validation does not improve.
func TestPaceStops(t *testing.T) {
	g := ring(t)
	o := train.DefaultOptions()
	o.Rank, o.Batch, o.Rate = 4, 20, 1e-9 // which learns nothing
	facts := []graph.Triple{{Head: 1, Tail: 5}}
	known, _, _, err := g.With(facts, nil)
	require.NoError(t, err)
	run, err := train.NewRun(g, o, train.Schedule{Epochs: 200, Every: 1, Patience: 10}, train.NewTest(facts, known), 1)
	require.NoError(t, err)
	run.End(200, 40)
	p := Pace{Falls: true, Left: func() float64 { return 1e9 }}
	require.NoError(t, run.Do(t.Context(), train.Checkpoints{}, train.Hooks{Epoch: func(train.Point) { p.Adapt(run) }}))
	if got := run.Trainer.Options(); run.Schedule.Epochs != 9 || got.Decay != 1 && got.Decay != 2 {
		t.Errorf("%d epochs, falling in %d", run.Schedule.Epochs, got.Decay)
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
