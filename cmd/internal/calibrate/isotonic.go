package calibrate

import (
	"cmp"
	"math"
	"slices"

	"github.com/efoc/efoc/runtime/model"
)

// point is an answer, or a level of some: of expected true ones there were true at x.
type point struct{ x, true, expected float64 }

// isotonic returns the curve that does not descend and fits best how often answers were
// true at x, as a factor of what was expected: pool adjacent violators. Levels of less than
// least expected answers are joined with a neighbour, so that chance does not draw steps.
// The curve runs through the middle of each level, over log x, and is at most 1.
func isotonic(points []point, least float64) model.Curve {
	slices.SortFunc(points, func(a, b point) int { return cmp.Compare(a.x, b.x) })
	var levels []point
	for i, p := range points {
		if i > 0 && points[i-1].x == p.x {
			levels[len(levels)-1].add(p)
		} else {
			levels = append(levels, p)
		}
	}
	var pooled []point
	for i, l := range levels {
		pooled = append(pooled, l)
		last := i == len(levels)-1
		for n := len(pooled); n > 1; n = len(pooled) {
			a, b := &pooled[n-2], &pooled[n-1]
			if a.expected >= least && (b.expected >= least || !last) && a.rate() < b.rate() {
				break
			}
			a.add(*b)
			pooled = pooled[:n-1]
		}
	}
	return curve(pooled)
}

// curve draws a curve through levels whose rates ascend. Its numbers have five digits: the
// order in which threads add up changes later ones.
func curve(levels []point) model.Curve {
	if len(levels) > maxLevels { // join neighbours: the rates ascend still
		joined := make([]point, 0, maxLevels)
		for i, l := range levels {
			if at := i * maxLevels / len(levels); at < len(joined) {
				joined[at].add(l)
			} else {
				joined = append(joined, l)
			}
		}
		levels = joined
	}
	var c model.Curve
	for _, l := range levels {
		x, y := digits(l.x), digits(min(1, l.rate()))
		if n := len(c.X); n > 0 && x <= c.X[n-1] {
			continue // rounding
		}
		c.X, c.Y = append(c.X, x), append(c.Y, y)
	}
	return c
}

// digits rounds a number that is not negative to five digits.
func digits(x float64) float64 {
	if x == 0 {
		return 0
	}
	scale := math.Pow(10, 4-math.Floor(math.Log10(x)))
	return math.Round(x*scale) / scale
}

// maxLevels bounds the points of a curve.
const maxLevels = 100

// add joins a level with the next: its middle is that of both, over log x.
func (p *point) add(o point) {
	if total := p.expected + o.expected; total > 0 {
		p.x = math.Exp((p.expected*math.Log(p.x) + o.expected*math.Log(o.x)) / total)
	}
	p.true += o.true
	p.expected += o.expected
}

func (p *point) rate() float64 {
	if p.expected <= 0 {
		return 0
	}
	return p.true / p.expected
}
