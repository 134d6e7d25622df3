package calibrate

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/efoc/efoc/runtime/model"
)

// point is an answer, or a level of several: of weight answers at x, hits were true.
type point struct{ x, hits, weight float64 }

// isotonic returns the non-descending curve that best fits how often answers at x were true, by
// pooling adjacent violators. Levels of less than least answers are joined with a
// neighbour, so that chance does not draw steps. The curve runs through the middle of each
// level.
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
			a := &pooled[n-2]
			b := &pooled[n-1]
			if a.weight >= least && (b.weight >= least || !last) && a.rate() < b.rate() {
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
		x := digits(l.x)
		y := digits(min(1, l.rate()))
		if n := len(c.X); n > 0 && x <= c.X[n-1] {
			continue // rounding
		}
		c.X, c.Y = append(c.X, x), append(c.Y, y)
	}
	return c
}

// digits rounds a number to five digits.
func digits(x float64) float64 {
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 5, 64), 64)
	return x
}

// maxLevels bounds the points of a curve.
const maxLevels = 100

// add joins a level with the next: the middle is the weighted mean of both.
func (p *point) add(o point) {
	p.x = (p.weight*p.x + o.weight*o.x) / (p.weight + o.weight)
	p.hits += o.hits
	p.weight += o.weight
}

func (p *point) rate() float64 { return p.hits / p.weight }
