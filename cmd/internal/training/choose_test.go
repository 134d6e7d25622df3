package training

import (
	"errors"
	"testing"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/train"
	"github.com/efoc/efoc/testdata/require"
)

// machine fakes measurements: so many operations a second, and fewer for what is above a rank.
type machine struct {
	speed    float64
	slowFrom int
	size     train.Size
	measured []train.Options
	// busy makes the first measurement take 30 times as long.
	busy bool
}

func (m *machine) measure(o train.Options) (Timing, error) {
	m.measured = append(m.measured, o)
	t := Timing{Options: o, Step: o.Work(m.size) / m.speed}
	if m.slowFrom > 0 && o.Rank >= m.slowFrom {
		t.Step *= 10
	}
	if m.busy && len(m.measured) == 1 {
		t.Step *= 30
	}
	return t, nil
}

// TestChooseBusy checks that a machine that is busy during the first measurement gets the same choice.
func TestChooseBusy(t *testing.T) {
	for _, c := range []struct{ entities, facts int }{{2_200, 6_000}, {5_000, 30_000}, {14_505, 272_115}, {129_000, 750_000}} {
		for _, seconds := range []float64{10, 100, 400, 2500, 40_000} {
			usual, _ := Defaults(c.entities, c.facts)
			size := train.Size{Entities: c.entities, Relations: 22, Facts: c.facts, Ranked: true}
			choices, err := newChoices(size, usual, &Given{}, 0, 1)
			require.NoError(t, err)
			var chosen [2]train.Options
			for i, busy := range []bool{false, true} {
				m := &machine{speed: 2e11, size: size, busy: busy}
				got, err := choices.Choose(m.measure, seconds)
				require.NoError(t, err)
				chosen[i] = got.Options
				if len(m.measured) > 4 {
					t.Errorf("%+v, %v s: %d measurements", c, seconds, len(m.measured))
				}
			}
			if chosen[1] != chosen[0] {
				t.Errorf("%+v, %v s: chose rank %d with %d negatives, and %d with %d at rest", c, seconds, chosen[1].Rank, chosen[1].Negatives, chosen[0].Rank, chosen[0].Negatives)
			}
		}
	}
}

// TestChoose checks that the choice gets enough epochs, and that no higher rank does, nor that rank with more negatives,
// on machines of several speeds: also where a measurement at a low rank promises too much of a high one.
func TestChoose(t *testing.T) {
	for _, c := range []struct{ entities, facts int }{{2_200, 6_000}, {5_000, 30_000}, {14_505, 272_115}, {129_000, 750_000}, {10_000_000, 40_000_000}} {
		for _, seconds := range []float64{10, 400, 2500, 40_000} {
			for _, slowFrom := range []int{0, 128} {
				usual, _ := Defaults(c.entities, c.facts)
				size := train.Size{Entities: c.entities, Relations: 22, Facts: c.facts, Ranked: true}
				choices, err := newChoices(size, usual, &Given{}, 0, 1)
				require.NoError(t, err)
				m := &machine{speed: 2e11, slowFrom: slowFrom, size: size}
				got, err := choices.Choose(m.measure, seconds)
				require.NoError(t, err)
				fits := func(o train.Options) bool {
					takes, _ := m.measure(o)
					return 20*takes.Epoch(size) <= seconds
				}
				last := choices.list[len(choices.list)-1]
				if !fits(got.Options) && got.Options != last {
					t.Errorf("%+v, %v s: chose rank %d and %d negatives, which is too slow", c, seconds, got.Options.Rank, got.Options.Negatives)
				}
				if slowFrom > 0 {
					continue // a measurement misleads
				}
				for rank := choices.list[0].Rank; rank >= got.Options.Rank; rank /= 2 {
					for _, negatives := range []int{usual.Negatives, 4000, 1000} {
						o := usual
						o.Rank, o.Negatives, o.Relations = rank, negatives, weightOfRelations(rank, c.entities, 11, c.facts)
						more := rank > got.Options.Rank || o.Candidates(c.entities) > got.Options.Candidates(c.entities)
						if more && 3*negatives <= c.entities && fits(o) {
							t.Errorf("%+v, %v s: chose rank %d with %d negatives, although rank %d with %d is fast enough", c, seconds, got.Options.Rank, got.Options.Negatives, rank, negatives)
						}
					}
				}
			}
		}
	}
}

// TestChoicesKept checks that what is given stays, and that nothing exceeds the memory.
func TestChoicesKept(t *testing.T) {
	usual, _ := Defaults(100_000, 300_000)
	size := train.Size{Entities: 100_000, Relations: 22, Facts: 300_000}
	usual.Rank, usual.Negatives = 100, 7
	choices, err := newChoices(size, usual, &Given{Rank: &usual.Rank, Negatives: &usual.Negatives, Relations: &usual.Relations}, 0, 1)
	require.NoError(t, err)
	if len(choices.list) != 1 || choices.list[0] != usual {
		t.Errorf("what is given becomes %+v", choices.list)
	}

	usual, _ = Defaults(100_000, 300_000)
	low := usual
	low.Rank, low.Negatives = 32, 1000
	choices, err = newChoices(size, usual, &Given{}, low.Memory(size, 1), 1)
	require.NoError(t, err)
	for _, o := range choices.list {
		if o.Memory(size, 1) > low.Memory(size, 1) {
			t.Errorf("rank %d with %d negatives needs too much memory", o.Rank, o.Negatives)
		}
	}
	if _, err = newChoices(size, usual, &Given{}, 1<<20, 1); !errors.Is(err, errMemory) {
		t.Errorf("without memory: %v", err)
	}
	small, _ := Defaults(4, 3)
	few, err := newChoices(train.Size{Entities: 4, Relations: 4, Facts: 3}, small, &Given{}, 0, 1)
	require.NoError(t, err)
	if few.list[0].Rank != small.Rank {
		t.Errorf("a graph of three facts gets rank %d", few.list[0].Rank)
	}
	for facts, want := range map[int]int{30_000: 256, 300_000: 512} {
		c, err := newChoices(train.Size{Entities: 5_000, Relations: 22, Facts: facts}, usual, &Given{}, 0, 1)
		require.NoError(t, err)
		if c.list[0].Rank != want {
			t.Errorf("a graph of %d facts gets rank %d, want %d", facts, c.list[0].Rank, want)
		}
	}
	broken := errors.New("broken")
	if _, err = choices.Choose(func(train.Options) (Timing, error) { return Timing{}, broken }, 1); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

// TestMeasure measures on a small graph.
func TestMeasure(t *testing.T) {
	g := ring(t)
	o := train.DefaultOptions()
	o.Rank, o.Batch = 4, 20
	w := &Stopwatch{Graph: g, Test: train.NewTest([]graph.Triple{{Head: 1, Tail: 2}, {Head: 3, Tail: 4}}, g), Threads: 1}
	for _, seconds := range []float64{0, 1e6} {
		got, err := w.Measure(t.Context(), o, seconds)
		if err != nil || got.Step <= 0 || got.Rank <= 0 {
			t.Errorf("%v seconds: %+v, %v", seconds, got, err)
		}
	}
	o.Rate = 1e30
	if _, err := w.Measure(t.Context(), o, 1e6); err == nil {
		t.Error("steps that diverge are no error")
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
