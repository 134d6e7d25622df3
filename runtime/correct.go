package runtime

import (
	"math"

	"github.com/efoc/efoc/kernels/simd"
)

// Tolerances of Correct: entries whose residual is below are left out. Together
// they weigh less than the rounding of the state itself.
const (
	relativeResidual = 2e-6
	totalResidual    = 1e-7
	// leftResidual bounds all of them together, relative to the sum of the rows.
	leftResidual = 3e-6
	// largestGuess bounds the guess, relative to the state.
	largestGuess = 4
)

// Correct turns dst = Σ_e g[e]·E_e, which a sweep summed for a guess g, into
// Σ_e x[e]·E_e for the state x. For any κ
//
//	Σ_e x[e]·E_e = κ·Σ_e g[e]·E_e + Σ_e (x[e] − κ·g[e])·E_e,
//
// so only the rows are read where x is not κ·g. κ is fitted on a sample. Should
// most rows differ, the sum is taken anew.
func (w *Workspace) Correct(dst Embedding, x, g Vector) {
	k := fitOne(x, g)
	rows, left, ok := w.residuals(x, func(e int) (sum, size float32) {
		sum = k * g[e]
		return sum, max(sum, -sum)
	})
	if !ok {
		w.embed(dst, x)
		return
	}
	simd.Scale(dst, dst, k)
	for _, e := range rows {
		w.addRow(dst, e, x[e]-k*g[e])
	}
	w.check(dst, x, left)
}

// Correct2 does with two guesses, g and h, what Correct does with one: it turns
// dst and with, the sums for them, into Σ_e x[e]·E_e in dst.
func (w *Workspace) Correct2(dst Embedding, x, g Vector, with Embedding, h Vector) {
	k, l := fitTwo(x, g, h)
	rows, left, ok := w.residuals(x, func(e int) (sum, size float32) {
		a, b := k*g[e], l*h[e]
		return a + b, max(a, -a) + max(b, -b)
	})
	if !ok {
		w.embed(dst, x)
		return
	}
	simd.Scale(dst, dst, k)
	simd.ScaleAdd(dst, dst, l, with)
	for _, e := range rows {
		w.addRow(dst, e, x[e]-(k*g[e]+l*h[e]))
	}
	w.check(dst, x, left)
}

// residuals returns the entities where x differs from a guess, and a bound on the
// length of what differences too small to matter would add. It reports false if
// there are too many of them to be added one by one, or if the guess, or each of
// the two that it is the sum of, is so much larger than x that it would have to
// cancel: the digits of x would be lost.
func (w *Workspace) residuals(x Vector, guess func(e int) (sum, size float32)) (rows []int32, left float64, ok bool) {
	floor := totalResidual / float32(len(x))
	norms := w.model.Predictor.EntityNorms
	rows = w.rows[:0]
	state, guesses := 0.0, 0.0
	for e, s := range x {
		sum, size := guess(e)
		state += float64(s * norms[e])
		guesses += float64(size * norms[e])
		d := s - sum
		d = max(d, -d)
		if d <= max(relativeResidual*s, floor) {
			left += float64(d * norms[e])
			continue
		}
		if len(rows) == cap(rows) {
			return nil, 0, false
		}
		rows = append(rows, int32(e))
	}
	return rows, left, guesses <= largestGuess*state
}

// check takes the sum anew where what was left out, at most left, may show in
// dst: where the rows cancel, or those of the largest entries are zero.
func (w *Workspace) check(dst Embedding, x Vector, left float64) {
	size := 0.0
	for _, v := range dst {
		size += float64(v) * float64(v)
	}
	if left > leftResidual*math.Sqrt(size) {
		w.embed(dst, x)
	}
}

// embed computes Σ_e x[e]·E_e from the rows where x is not 0, if they are few,
// and otherwise in a pass over the table, whose error the next pass returns too.
func (w *Workspace) embed(dst Embedding, x Vector) {
	rows := w.rows[:0]
	for e, s := range x {
		if s != 0 {
			if len(rows) == cap(rows) {
				sweep := w.Sweep()
				sweep.Embed(dst, x)
				sweep.Run()
				return
			}
			rows = append(rows, int32(e))
		}
	}
	clear(dst)
	for _, e := range rows {
		w.addRow(dst, e, x[e])
	}
}

// addRow adds weight·E_e to dst.
func (w *Workspace) addRow(dst Embedding, e int32, weight float32) {
	w.scratch[0] = weight
	w.model.Predictor.EntityTable.AxpyRows(dst, int(e), int(e)+1, w.scratch[:1])
}

// samples is how many entities a fit looks at.
const samples = 64

// sample is one of them.
type sample struct{ x, g, h float64 }

// take picks samples at even distances; entities without a state or a guess tell
// nothing. h may be nil.
func take(into *[samples]sample, x, g, h Vector) []sample {
	found := into[:0]
	for i := range samples {
		e := i * len(x) / samples
		s := sample{x: float64(x[e]), g: float64(g[e])}
		if h != nil {
			s.h = float64(h[e])
		}
		if s.x > 0 && s.g+s.h > 1e-30 {
			found = append(found, s)
		}
	}
	return found
}

// agree returns how many samples k·g + l·h explains.
func agree(list []sample, k, l float64) int {
	n := 0
	for _, s := range list {
		if math.Abs(s.x-k*s.g-l*s.h) <= relativeResidual*s.x {
			n++
		}
	}
	return n
}

// fitOne returns the κ with which κ·g explains most samples, 0 if there are none.
func fitOne(x, g Vector) float32 {
	var room [samples]sample
	list := take(&room, x, g, nil)
	best, bestAgree := 0.0, -1
	for _, s := range list {
		if n := agree(list, s.x/s.g, 0); n > bestAgree {
			best, bestAgree = s.x/s.g, n
		}
	}
	return finite(best)
}

// fitTwo returns the κ and λ with which κ·g + λ·h explains most samples. Each
// pair of samples, far apart in g/h where possible, proposes one.
func fitTwo(x, g, h Vector) (k, l float32) {
	var room [samples]sample
	list := take(&room, x, g, h)
	bestK, bestL, bestAgree := 0.0, 0.0, -1
	for i, s := range list {
		for _, step := range []int{1, 7, 23} {
			t := list[(i+step)%len(list)]
			det := s.g*t.h - t.g*s.h
			if math.Abs(det) <= 1e-3*math.Abs(s.g*t.h) {
				continue
			}
			a, b := (s.x*t.h-t.x*s.h)/det, (s.g*t.x-t.g*s.x)/det
			if n := agree(list, a, b); n > bestAgree {
				bestK, bestL, bestAgree = a, b, n
			}
		}
	}
	return finite(bestK), finite(bestL)
}

// finite returns k as a float32, 0 if it is not finite as one.
func finite(k float64) float32 {
	if f := float32(k); !math.IsInf(float64(f), 0) && f == f {
		return f
	}
	return 0
}
