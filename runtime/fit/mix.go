package fit

import (
	"math"
	"sync/atomic"

	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/internal/part"
	"github.com/efoc/efoc/runtime/internal/pool"
)

// mixChunk is how many entities are mixed at a time. Sums are taken in chunks, so that they do not
// depend on the number of threads.
const mixChunk = 4096

// mixer mixes the answers of message passing with truth degrees: a job for a pool of workers.
type mixer struct {
	dst, x, y []float32
	g         float64
	sums      []float64 // of chunks
	next      atomic.Int64
	task      pool.Task
}

// mix computes the mixture of probabilities x and degrees y, and returns the sum that it was
// divided by, that of all parts if p is one. It takes the terms relative to that of 0 and 0, so
// that small ones are exact.
func (m *mixer) mix(dst, x, y []float32, g float64, workers *pool.Pool, p *part.Part) float64 {
	m.dst, m.x, m.y, m.g = dst, x, y, g
	m.sums = reuse.Slice(m.sums, (len(x)+mixChunk-1)/mixChunk)
	m.next.Store(0)
	workers.Run(m, &m.task)
	m.dst, m.x, m.y = nil, nil, nil
	sum := 0.0
	for _, s := range m.sums {
		sum += s
	}
	if p != nil {
		all := [1]float64{sum}
		p.Sum(all[:])
		sum = all[0]
	}
	simd.Scale(dst, dst, float32(1/max(sum, leastTotal)))
	return sum * power(floorNSMP, 1-g) * power(floorFIT, g)
}

// Work mixes chunks until none are left.
func (m *mixer) Work() {
	for c := int(m.next.Add(1)) - 1; c < len(m.sums); c = int(m.next.Add(1)) - 1 {
		lo, hi := c*mixChunk, min((c+1)*mixChunk, len(m.x))
		m.sums[c] = mixTerms(m.dst[lo:hi], m.x[lo:hi], m.y[lo:hi], m.g)
	}
}

// mixTerms sets dst[i] to (1+x[i]/a)^(1−g)·(1+y[i]/b)^g − 1, and returns the sum.
func mixTerms(dst, x, y []float32, g float64) (sum float64) {
	y = y[:len(x)]
	for i, p := range x {
		u, v := float64(p)*(1/floorNSMP), float64(y[i])*(1/floorFIT)
		f := 0.0
		switch {
		case u == 0 && v == 0:
		case u+v >= 1e-6 && u+v <= 2/floorNSMP:
			f = exp2((1-g)*log2(1+u)+g*log2(1+v)) - 1
		default: // so small that 1 + u would lose it, or not a number
			f = math.Expm1((1-g)*math.Log1p(u) + g*math.Log1p(v))
		}
		dst[i] = float32(f)
		sum += f
	}
	return sum
}

// tableSteps is the number of steps between powers of two in the tables of log2 and exp2.
const tableSteps = 128

// log2Steps has 1/c and the logarithm of c for c = 1 + i/tableSteps, and exp2Steps has 2^(i/tableSteps).
var (
	log2Steps [tableSteps]struct{ inverse, log float64 }
	exp2Steps [tableSteps]float64
)

func init() {
	for i := range tableSteps {
		c := 1 + float64(i)/tableSteps
		log2Steps[i].inverse, log2Steps[i].log = 1/c, math.Log2(c)
		exp2Steps[i] = math.Exp2(float64(i) / tableSteps)
	}
}

// log2 returns the logarithm of a normal number x ≥ 1 to base 2, up to 10⁻¹³; that of 1 is 0. It
// and exp2 take a fifth of the time of package math.
func log2(x float64) float64 {
	bits := math.Float64bits(x)
	step := &log2Steps[bits>>45%tableSteps]
	r := math.Float64frombits(bits&(1<<52-1)|1023<<52)*step.inverse - 1 // below 1/tableSteps
	series := r * (1 - r*(1./2-r*(1./3-r*(1./4-r*(1./5)))))
	return float64(int(bits>>52)-1023) + step.log + series*math.Log2E
}

// exp2 returns 2^x for 0 ≤ x < 1000, relatively up to 10⁻¹³; 2^0 is 1.
func exp2(x float64) float64 {
	k := int(x * tableSteps)
	r := (x - float64(k)*(1./tableSteps)) * math.Ln2
	series := 1 + r*(1+r*(1./2+r*(1./6+r*(1./24))))
	return series * exp2Steps[k%tableSteps] * math.Float64frombits(uint64(1023+k/tableSteps)<<52)
}

// power is math.Pow for a positive number, faster.
func power(x, g float64) float64 {
	switch g {
	case 0:
		return 1
	case 0.5:
		return math.Sqrt(x)
	case 1:
		return x
	}
	return math.Exp(g * math.Log(x))
}
