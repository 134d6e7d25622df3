package runtime

import (
	"math"
	"slices"

	"github.com/efoc/efoc/kernels"
	"github.com/efoc/efoc/kernels/simd"
)

// Tolerances of Correct: entries whose residual is below are left out. Together
// they weigh less than the rounding of the state itself.
const (
	relativeResidual = 1e-5
	totalResidual    = 1e-7
)

// Correct turns dst = Σ_e g[e]·E_e, which a sweep summed for a guess g, into
// Σ_e x[e]·E_e for the state x. For any κ
//
//	Σ_e x[e]·E_e = κ·Σ_e g[e]·E_e + Σ_e (x[e] − κ·g[e])·E_e,
//
// so only the rows are read where x is not κ·g. κ is the median of x/g over a
// sample, which is exact for a state that differs from its guess on fewer than
// half of the entities. Should most rows differ, the sum is taken anew.
func (w *Workspace) Correct(dst Embedding, x, g Vector) {
	p := &w.model.Predictor
	kappa := scaleOf(x, g)
	floor := totalResidual / float32(len(x))
	rows := w.rows[:0]
	for e, s := range x {
		d := s - kappa*g[e]
		if max(d, -d) > max(relativeResidual*s, floor) {
			if len(rows) == cap(rows) {
				kernels.WeightedSum(dst, p.EntityTable, x, w.scratch)
				return
			}
			rows = append(rows, int32(e))
		}
	}
	simd.Scale(dst, dst, kappa)
	for _, e := range rows {
		w.scratch[0] = x[e] - kappa*g[e]
		simd.AxpyRows(dst, p.Entity(EntityID(e)), w.scratch[:1])
	}
}

// scaleOf returns the median of x/g over a sample of entities, 0 if there are
// none to take it of.
func scaleOf(x, g Vector) float32 {
	const samples = 65
	var ratios [samples]float32
	found := 0
	for i := range samples {
		e := i * len(x) / samples
		if g[e] > 1e-30 && x[e] > 0 {
			ratios[found] = x[e] / g[e]
			found++
		}
	}
	if found == 0 {
		return 0
	}
	slices.Sort(ratios[:found])
	if k := ratios[found/2]; !math.IsInf(float64(k), 0) {
		return k
	}
	return 0
}
