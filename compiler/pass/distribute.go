package pass

import (
	"cmp"
	"slices"

	"github.com/efoc/efoc/compiler/ir"
)

// Distribute orders a plan for several machines that have part of the entities each. An op over all entities
// first processes its own part, then the machines exchange data, and an exchange takes about as long for a few
// numbers as for one. So values are computed level by level: a value that reads an exchanged one is on the next
// level, and each level ends with one exchange for all its ops:
//
//	v3 = softmax v1            v3 = softmax v1 ^1
//	v4 = normalize v3          v4 = softmax v2 ^1
//	v5 = softmax v2       ->   v5 = normalize v3 ^2
//	v6 = normalize v5          v6 = normalize v4 ^2
//	v7 = mul v4 v6             v7 = mul v5 v6
//	v8 = normalize v7          v8 = normalize v7 ^3
//
// The embeddings of constants come with the question, and sweeps that make rows of truth degrees do their own
// exchanges. Ops of truth degrees exchange data once per branch, one op after the other: the number of
// exchanges is known only at run time. Vectors of degrees are computed where they are first read. The pass runs
// after all others.
var Distribute = Pass{
	Name: "Distribute",
	Doc:  "orders values by the number of exchanges between machines that they wait for, so that each level makes one",
	Run: func(p *ir.Plan) bool {
		exchanges := func(v *ir.Value) bool { return v.Op.Info().Exchanges }
		levels := p.Levels(func(operand, _ *ir.Value) int {
			if exchanges(operand) {
				return 1
			}
			return 0
		})
		delay(p, levels)
		before := slices.Clone(p.Values)
		slices.SortStableFunc(p.Values, func(a, b *ir.Value) int {
			return cmp.Or(cmp.Compare(levels[a], levels[b]), cmp.Compare(place(a), place(b)))
		})
		changed := !slices.Equal(before, p.Values)
		number := 0
		level := -1
		for _, v := range p.Values {
			if !exchanges(v) {
				continue
			}
			if levels[v] != level {
				number++
				level = levels[v]
			}
			changed = changed || v.Exchange != number
			v.Exchange = number
		}
		return changed
	},
}

// delay moves vectors of degrees to the level that first reads them, or to the last one: degrees are kept
// anyway, and vectors take memory. A readout and a mixture come last, because they may be skipped.
func delay(p *ir.Plan, levels map[*ir.Value]int) {
	last := 0
	first := map[*ir.Value]int{}
	for _, v := range p.Values {
		last = max(last, levels[v])
		for _, a := range v.Args {
			if level, ok := first[a]; !ok || levels[v] < level {
				first[a] = levels[v]
			}
		}
	}
	for _, v := range p.Values {
		level, read := first[v]
		switch {
		case v.Op == ir.Dense && read:
			levels[v] = level
		case v.Op == ir.Dense || v.Op == ir.Mixture || v.Op.Info().WholeSweeps > 0:
			levels[v] = last
		}
	}
}

// place ranks the values of a level. Values with an exchange come at the end, except sums of rows, which stay
// with their sweep of the table. Among them, ops of truth degrees come last; their first exchange is the
// exchange of the level.
func place(v *ir.Value) int {
	info := v.Op.Info()
	switch {
	case v.Op == ir.Mixture:
		return 4
	case info.WholeSweeps > 0:
		return 3
	case !info.Exchanges || v.Sweep > 0:
		return 0
	case info.Degrees:
		return 2
	}
	return 1
}
