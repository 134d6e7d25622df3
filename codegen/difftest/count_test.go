package difftest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// count counts what a world was asked. Each query of a batch is a case.
func (d *differential) count(j *job) {
	for _, c := range j.done {
		d.total += len(c.Bindings)
		d.last += len(c.Bindings)
		for dimension, value := range c.dimensions() {
			if d.counts[dimension] == nil {
				d.counts[dimension] = map[string]int{}
			}
			d.counts[dimension][value] += len(c.Bindings)
		}
	}
	for _, g := range j.groups {
		for _, x := range g.want {
			d.answers++
			if x.Sharp() {
				d.sharp++
			}
		}
	}
	d.refused += j.refused
}

// dimensions says what kind of case it is.
func (c *testCase) dimensions() map[string]string {
	// Padded with blanks, labels sort as their numbers do.
	class := func(x int, bounds ...int) string {
		for _, b := range bounds {
			if x <= b {
				return fmt.Sprintf("≤ %3d", b)
			}
		}
		return fmt.Sprintf("> %d", bounds[len(bounds)-1])
	}
	formula := "random"
	if slices.Contains(benchmarks, c.Query) {
		formula = "benchmark"
	}
	odd := "even"
	if c.World.Rank%2 == 1 {
		odd = "odd"
	}
	largest := int(c.World.Scale*3 + max(c.World.Shift, -c.World.Shift))
	return map[string]string{
		"formula":   formula,
		"entities":  class(c.World.Entities, 12, 40, 80),
		"rank":      odd + " " + class(c.World.Rank, 8, 24),
		"table":     string(c.World.Table),
		"kernels":   c.Kernels,
		"engine":    string(c.Engine),
		"semantics": c.Semantics.String(),
		"batch":     class(len(c.Bindings), 1, 3, 8),
		"scores":    class(largest, 1, 10, 80, 200),
	}
}

// summary logs the counts.
func (d *differential) summary(t *testing.T) {
	for _, dimension := range slices.Sorted(maps.Keys(d.counts)) {
		var list []string
		for _, value := range slices.Sorted(maps.Keys(d.counts[dimension])) {
			list = append(list, fmt.Sprintf("%s: %d", strings.Join(strings.Fields(value), " "), d.counts[dimension][value]))
		}
		t.Logf("by %s: %s", dimension, strings.Join(list, ", "))
	}
	t.Logf("answers of the reference: %d, known to a part in a hundred: %d; formulas refused: %d", d.answers, d.sharp, d.refused)
}
