package query

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/efoc/efoc/runtime/collective"
)

// in is buffer i.
func in(i int) place { return place{buffer: int32(i)} }

// TestSteps runs random programs on a few buffers, whose ops exchange something none to three
// times, as steps and in order: they leave the same numbers, however the buffers are used again. What
// is read up to a factor on the way is, as some ops double a number.
func TestSteps(t *testing.T) {
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 7))
		const buffers, ops = 5, 12
		type op struct {
			dst, x, y, exchanges int
			late, scales         bool
		}
		program := make([]op, ops)
		for i := range program {
			program[i] = op{dst: rng.IntN(buffers), x: rng.IntN(buffers), y: rng.IntN(buffers), exchanges: rng.IntN(4)}
			program[i].late = program[i].exchanges == 1 && rng.IntN(2) == 0
			if rng.IntN(4) == 0 {
				program[i].x, program[i].y, program[i].late, program[i].scales = program[i].dst, program[i].dst, false, true
			}
		}
		start := make([][]float32, buffers)
		for i := range start {
			start[i] = []float32{float32(i + 1)}
		}
		run := func(v [][]float32, o op, exchange func()) {
			if o.scales {
				for range o.exchanges {
					exchange()
				}
				v[o.dst][0] *= 2
				return
			}
			sum := 0.5*v[o.x][0] + 0.25*v[o.y][0]
			for range o.exchanges {
				exchange()
				if !o.late { // reads behind an exchange
					sum += 0.125 * v[o.x][0]
				}
			}
			v[o.dst][0] = sum
		}
		clone := func() [][]float32 {
			v := slices.Clone(start)
			for i := range v {
				v[i] = slices.Clone(v[i])
			}
			return v
		}
		want, half := clone(), float32(0)
		for i, o := range program {
			if run(want, o, func() {}); i == ops/2 {
				half = want[2][0]
			}
		}
		got, meetings, most := clone(), 0, 0
		s := &deferredOps{}
		s.meet = func(list []*collective.Exchange) {
			if meetings++; len(list) == 0 {
				t.Fatal("a meeting of none")
			}
			most = max(most, len(list))
		}
		total := 0
		for i, o := range program {
			total += o.exchanges
			s.add(func() { run(got, o, func() { s.exchange(&collective.Exchange{}) }) }, in(o.dst), in(o.x), in(o.y))
			x := s.list[len(s.list)-1]
			if x.late, x.scales = o.late, o.scales; i == ops/2 {
				s.ready([]place{in(0)}, []place{in(2)}, []place{in(1)})
				if part, _ := math.Frexp(float64(half / got[2][0])); part != 0.5 {
					t.Fatalf("seed %d: a buffer has %v, want a power of two of %v", seed, got[2][0], half)
				}
			}
		}
		s.finish()
		for i := range want {
			if got[i][0] != want[i][0] {
				t.Fatalf("seed %d: buffer %d has %v, want %v", seed, i, got[i][0], want[i][0])
			}
		}
		if meetings > total || meetings == total && most > 1 {
			t.Fatalf("seed %d: %d meetings for %d exchanges", seed, meetings, total)
		}
	}
}

// TestStepsTogether counts the meetings of two independent ops of two exchanges each, before one
// that reads what both make: three, not five.
func TestStepsTogether(t *testing.T) {
	meetings := 0
	s := &deferredOps{meet: func([]*collective.Exchange) { meetings++ }}
	twice := func() { s.exchange(&collective.Exchange{}); s.exchange(&collective.Exchange{}) }
	s.add(twice, in(0), in(0))
	s.add(twice, in(1), in(1))
	s.add(func() { s.exchange(&collective.Exchange{}) }, in(2), in(0), in(1))
	if s.finish(); meetings != 3 {
		t.Errorf("%d meetings, want 3", meetings)
	}
}

// TestStepsEnd leaves steps in the middle of an exchange: they end.
func TestStepsEnd(t *testing.T) {
	ended := false
	s := &deferredOps{meet: func([]*collective.Exchange) { panic("no ranks") }}
	s.add(func() {
		defer func() { ended = true }()
		s.exchange(&collective.Exchange{})
		t.Error("it went on")
	}, in(0), in(0))
	func() {
		defer func() { _ = recover() }()
		s.finish()
	}()
	if s.end(); !ended || len(s.list) > 0 {
		t.Errorf("ended: %v, %d steps left", ended, len(s.list))
	}
}
