package training

import (
	"errors"
	"math"
	"testing"

	"github.com/efoc/efoc/runtime/model/train"
)

// machine fakes trainings: so many operations a second, and a curve of learning for each choice.
type machine struct {
	speed float64
	size  train.Size
	best  func(o train.Options) float64 // the MRR after many epochs
	tried []train.Options
}

// mrr rises with the epochs, and has nine tenths after five.
func (m *machine) mrr(o train.Options, epochs float64) float64 {
	return m.best(o) * (1 - math.Pow(10, -epochs/5))
}

func (m *machine) try(o train.Options, seconds float64) (Trial, error) {
	m.tried = append(m.tried, o)
	t := Trial{Options: o, Step: o.Work(m.size) / m.speed}
	epoch := o.Steps(m.size)
	steps := max(1, min(mostEpochs*epoch, max(int(seconds/t.Step), min(epoch, int(stretch*seconds/t.Step)))))
	t.Took = float64(steps) * t.Step
	for _, part := range []int{8, 4, 2, 1} {
		if n := steps / part; n > 0 {
			t.Curve = append(t.Curve, TrialPoint{n, m.mrr(o, float64(n)/float64(epoch))})
		}
	}
	return t, nil
}

// gain grows with the rank, and with the negatives.
func gain(o train.Options) float64 {
	negatives := float64(o.Negatives)
	if o.Negatives == 0 {
		negatives = 40_000
	}
	return 0.3 + 0.015*math.Log2(float64(o.Rank)/16) + 0.005*math.Log2(negatives/1000)
}

// TestSearch checks what trials choose in a time: the choice reaches about the best MRR that any
// choice reaches, and trials take a part of the time.
func TestSearch(t *testing.T) {
	for _, c := range []struct {
		name            string
		entities, facts int
		seconds, speed  float64
	}{
		{"a gazetteer in a minute", 18_000, 38_000, 42, 1e11},
		{"a gazetteer in ten minutes", 18_000, 38_000, 420, 1e11},
		{"FB15k-237 in ten minutes", 14_505, 272_115, 420, 3e11},
		{"packages in ten minutes", 129_000, 750_000, 420, 1e11},
		{"packages in an hour", 129_000, 750_000, 2500, 3e11},
	} {
		usual, _ := Defaults(c.entities, c.facts)
		size := train.Size{Entities: c.entities, Relations: 22, Facts: c.facts, Ranked: true}
		m := &machine{speed: c.speed, size: size, best: gain}
		s := &Search{Size: size, Seconds: c.seconds, Try: m.try}
		choices := ChoicesFor(c.entities, usual)
		got, err := s.Choose(usual, choices)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if s.spent > (searchShare+stretch*trialShare)*c.seconds {
			t.Errorf("%s: trials took %.1f of %.1f s", c.name, s.spent, c.seconds)
		}
		reached := func(o train.Options) float64 {
			epochs := (c.seconds - s.spent) / (float64(o.Steps(size)) * o.Work(size) / c.speed)
			return m.mrr(o, epochs)
		}
		most := 0.0
		var at train.Options
		for _, rank := range choices.Ranks {
			for _, negatives := range choices.Negatives {
				o := usual
				o.Rank, o.Negatives = rank, negatives
				if x := reached(o); x > most {
					most, at = x, o
				}
			}
		}
		t.Logf("%s: rank %d, %d negatives: %.3f by %d trials; best %d, %d: %.3f", c.name, got.Options.Rank, got.Options.Negatives, reached(got.Options), len(m.tried), at.Rank, at.Negatives, most)
		if x := reached(got.Options); x < 0.94*most {
			t.Errorf("%s: chose rank %d and %d negatives, which reach %.3f; rank %d and %d negatives reach %.3f",
				c.name, got.Options.Rank, got.Options.Negatives, x, at.Rank, at.Negatives, most)
		}
	}
}

// TestSearchKept checks that what is not to choose stays, and that nothing beyond the memory is tried.
func TestSearchKept(t *testing.T) {
	usual, _ := Defaults(100_000, 300_000)
	usual.Rank, usual.Negatives = 100, 7
	size := train.Size{Entities: 100_000, Relations: 22, Facts: 300_000}
	m := &machine{speed: 1e12, size: size, best: gain}
	s := &Search{Size: size, Seconds: 1000, Try: m.try}
	got, err := s.Choose(usual, Choices{})
	if err != nil || got.Options != usual || len(m.tried) != 1 {
		t.Errorf("chose %+v of %d, %v", got.Options, len(m.tried), err)
	}

	usual, _ = Defaults(100_000, 300_000)
	choices := ChoicesFor(100_000, usual)
	low := usual
	low.Rank, low.Negatives = 32, startNegatives
	s.Memory = low.Memory(size, 0)
	m.tried = nil
	got, err = s.Choose(usual, choices)
	if err != nil || got.Options.Rank > 32 {
		t.Errorf("with memory for rank 32 it is %d, %v", got.Options.Rank, err)
	}
	for _, o := range m.tried {
		if o.Memory(size, 0) > s.Memory {
			t.Errorf("a trial of rank %d with %d negatives takes too much memory", o.Rank, o.Negatives)
		}
	}
	s.Memory = 1 << 20
	if _, err = s.Choose(usual, choices); !errors.Is(err, ErrMemory) {
		t.Errorf("without memory: %v", err)
	}
	broken := errors.New("broken")
	s.Memory = 0
	s.Try = func(train.Options, float64) (Trial, error) { return Trial{}, broken }
	if _, err = s.Choose(usual, choices); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

// TestSearchNothing checks that the least work is chosen where no trial shows anything.
func TestSearchNothing(t *testing.T) {
	usual, _ := Defaults(1_000_000, 10_000_000)
	size := train.Size{Entities: 1_000_000, Relations: 22, Facts: 10_000_000}
	m := &machine{speed: 1e12, size: size, best: func(train.Options) float64 { return 0 }}
	s := &Search{Size: size, Seconds: 60, Try: m.try}
	got, err := s.Choose(usual, ChoicesFor(size.Entities, usual))
	if err != nil || got.Options.Rank >= startRank || got.Options.Negatives != 1000 || got.Options.Relations != 0 {
		t.Errorf("chose %+v, %v", got.Options, err)
	}
}

// TestBetterNothing compares trials in a time after which neither knows anything: the one whose steps are
// faster promises more, although the other has begun to rise.
func TestBetterNothing(t *testing.T) {
	s := &Search{Size: train.Size{Entities: 70_000, Relations: 32, Facts: 230_000}, Seconds: 80}
	slow := Trial{Options: train.Options{Batch: 1000}, Step: 0.103, Curve: []TrialPoint{{27, 0.001}, {55, 0.007}}}
	fast := Trial{Options: train.Options{Batch: 1000}, Step: 0.082, Curve: []TrialPoint{{37, 0.001}, {74, 0.004}, {149, 0.074}}}
	if !s.better(fast, slow) || s.better(slow, fast) {
		t.Error("steps that are slower and know nothing promise more")
	}
}
