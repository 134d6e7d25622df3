package compare

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// label is the text beside a point.
func (p *point) label(candidates int) string {
	var parts []string
	if candidates > 0 {
		parts = append(parts, strconv.Itoa(candidates))
	}
	if p.Stopped > 0 {
		parts = append(parts, fmt.Sprintf("(%d stopped)", p.Stopped))
	}
	return strings.Join(parts, " ")
}

// Labels nearer to another than this share of the panel cannot be read.
const overlap = 0.07

// thin empties labels of a series that would be written over others, the first and the
// last being kept rather than those between; width is the natural logarithm of the
// panel's range of times, height its range of MRR.
func thin(at plotter.XYs, labels []string, width, height float64) {
	order := []int{0, len(at) - 1}
	for i := 1; i < len(at)-1; i++ {
		order = append(order, i)
	}
	for n, i := range order {
		for _, j := range order[:n] {
			if i != j && labels[j] != "" && math.Abs(math.Log(at[i].X/at[j].X)) < overlap*width && math.Abs(at[i].Y-at[j].Y) < overlap*height {
				labels[i] = ""
			}
		}
	}
}

// timeTicks are those of a logarithmic scale of milliseconds.
type timeTicks struct{}

// Ticks labels the powers of 10, of which low and high are two.
func (timeTicks) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	first, last := int(math.Round(math.Log10(low))), int(math.Round(math.Log10(high)))
	for k := first; k <= last; k++ {
		label := fmt.Sprintf("%g ms", math.Pow10(k))
		if k >= 3 {
			label = fmt.Sprintf("%g s", math.Pow10(k-3))
		}
		ticks = append(ticks, plot.Tick{Value: math.Pow10(k), Label: label})
		for i := 2; i < 10 && k < last; i++ {
			ticks = append(ticks, plot.Tick{Value: float64(i) * math.Pow10(k)})
		}
	}
	return ticks
}
