package judge

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// spread bounds how many answers there are. The answers that rest on links of one question r(h, y) share the chance that
// it has facts at all: without these, none of them is true. Otherwise they are taken to be independent.
type spread struct {
	groups    map[question]*group
	mixed     []*group // those that differ most by whether their question has facts
	low, high float64  // the bounds of a normal distribution that nine of ten numbers lie between, in standard deviations
	known     float64  // the number of known answers
	missing   float64  // the expected number of others
	refuted   float64  // the expected number of known ones that missing facts refute, and its variance
	variance  float64
	rest      group // all answers that are not in mixed
}

// group is the answers that rest on one question.
type group struct {
	applies  float64 // the chance that it has facts
	mean     float64 // of their number if it has
	variance float64
}

// between returns the variance of the number of answers by whether their question has facts.
func (g *group) between() float64 { return g.applies * (1 - g.applies) * g.mean * g.mean }

// addKnown counts a known answer that holds with a chance.
func (x *spread) addKnown(holds float64) {
	x.refuted += 1 - holds
	x.variance += holds * (1 - holds)
}

// add counts an answer with a confidence that rests on a question.
func (x *spread) add(q question, applies, confidence float64) {
	x.missing += confidence
	g := x.groups[q]
	if g == nil {
		if x.groups == nil {
			x.groups = map[question]*group{}
		}
		g = &group{applies: applies}
		x.groups[q] = g
	}
	p := min(1, confidence/applies)
	g.mean += p
	g.variance += p * (1 - p)
}

// mostMixed bounds the groups of which each has facts or has none.
const mostMixed = 6

// mix divides the groups: the number of answers in most of them is nearly normal.
func (x *spread) mix() {
	x.mixed = slices.SortedFunc(maps.Values(x.groups), func(a, b *group) int {
		return cmp.Or(cmp.Compare(b.between(), a.between()), cmp.Compare(b.mean, a.mean), cmp.Compare(b.variance, a.variance))
	})
	most := min(mostMixed, len(x.mixed))
	for i, g := range x.mixed {
		if g.between() == 0 {
			most = min(most, i)
		}
	}
	x.rest = group{}
	for _, g := range x.mixed[most:] {
		x.rest.mean += g.applies * g.mean
		x.rest.variance += g.applies*g.variance + g.between()
	}
	x.mixed = x.mixed[:most]
}

// outside is the share of numbers below the low bound, and above the high one.
const outside = 0.05

// bounds returns bounds of the number of all answers.
func (x *spread) bounds() (low, high float64) {
	x.mix()
	low = x.known + x.quantile(outside, x.low)
	if x.refuted > 0 {
		low = max(0, low-x.refuted+min(0, x.low)*math.Sqrt(x.variance))
	}
	return low, x.known + x.quantile(1-outside, x.high)
}

// quantile returns the number of answers that are not known below which it lies with a chance. The number is a mixture of
// normal distributions, one for each choice of the questions that have facts; a single one has the quantile at some
// deviations.
func (x *spread) quantile(chance, deviations float64) float64 {
	scale := deviations / normalQuantile(chance)
	if scale <= 0 {
		return x.missing
	}
	least := 0.0
	most := x.rest.mean + 10*scale*math.Sqrt(x.rest.variance)
	for _, g := range x.mixed {
		most += g.mean + 10*scale*math.Sqrt(g.variance)
	}
	for range 60 {
		middle := (least + most) / 2
		if x.below(middle, scale, x.mixed, x.rest.mean, x.rest.variance) < chance {
			least = middle
		} else {
			most = middle
		}
	}
	return most
}

// below returns the chance that the number of answers is below n, given the mean and the variance of the questions that
// are not in groups; deviations are scaled.
func (x *spread) below(n, scale float64, groups []*group, mean, variance float64) float64 {
	if len(groups) == 0 {
		sd := scale * math.Sqrt(variance)
		if sd == 0 {
			if mean <= n {
				return 1
			}
			return 0
		}
		return math.Erfc((mean-n)/sd/math.Sqrt2) / 2
	}
	g := groups[0]
	has := x.below(n, scale, groups[1:], mean+g.mean, variance+g.variance)
	return g.applies*has + (1-g.applies)*x.below(n, scale, groups[1:], mean, variance)
}

// normalQuantile returns the quantile of the standard normal distribution.
func normalQuantile(chance float64) float64 { return math.Sqrt2 * math.Erfinv(2*chance-1) }
