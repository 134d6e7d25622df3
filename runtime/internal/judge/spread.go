package judge

import (
	"cmp"
	"math"
	"slices"

	"github.com/efoc/efoc/runtime/model"
)

// spread bounds how many answers there are. The answers that rest on links of one question r(h, y) share the chance that
// it has facts at all: without these, none of them is true. Otherwise they are taken to be independent.
type spread struct {
	groups    []*group
	low, high float64 // the bounds of a normal distribution that nine of ten numbers lie between, in standard deviations
	known     float64 // the number of known answers
	refuted   float64 // the expected number of those that missing facts refute, and its variance
	variance  float64
	typical   *group // the one in the middle, by the chance that its question has facts; nil while groups are added
}

// group is the answers that rest on one question.
type group struct {
	question
	applies  float64 // the chance that it has facts
	mean     float64 // of their number if it has
	variance float64
}

// add counts an answer, given the chance that it is true if its question has facts.
func (g *group) add(p float64) {
	g.mean += p
	g.variance += p * (1 - p)
}

// addKnown counts a known answer that holds with a chance.
func (x *spread) addKnown(holds float64) {
	x.refuted += 1 - holds
	x.variance += holds * (1 - holds)
}

// mostGroups bounds the groups: those of the likeliest answers come first.
const mostGroups = model.Judged

// add counts an answer that rests on a question. An answer of a further group counts in the typical one.
func (x *spread) add(q question, applies, p float64) {
	i := slices.IndexFunc(x.groups, func(g *group) bool { return g.question == q })
	switch {
	case i >= 0:
		x.groups[i].add(p)
	case len(x.groups) < mostGroups:
		g := &group{question: q, applies: applies}
		g.add(p)
		x.groups = append(x.groups, g)
	default:
		if x.typical == nil {
			groups := slices.SortedFunc(slices.Values(x.groups), func(a, b *group) int { return cmp.Compare(a.applies, b.applies) })
			x.typical = groups[(len(groups)-1)/2]
		}
		x.typical.add(min(1, p*applies/x.typical.applies))
	}
}

// expected returns the expected number of answers that are not known.
func (x *spread) expected() (n float64) {
	for _, g := range x.groups {
		n += g.applies * g.mean
	}
	return n
}

// outside is the share of numbers below the low bound, and above the high one.
const outside = 0.05

// bounds returns bounds of the number of all answers. The expected number lies between them: where few questions have
// facts, it is above most numbers, and where nearly all have, below.
func (x *spread) bounds() (low, high float64) {
	expected := x.expected()
	low = x.known + min(expected, x.quantile(outside, x.low))
	if x.refuted > 0 {
		low = max(0, low-x.refuted+min(0, x.low)*math.Sqrt(x.variance))
	}
	return low, x.known + max(expected, x.quantile(1-outside, x.high))
}

// quantile returns the number of answers that are not known below which it lies with a chance. The number is a mixture of
// normal distributions, one for each choice of the questions that have facts; a single one has the quantile at some
// deviations.
func (x *spread) quantile(chance, deviations float64) float64 {
	scale := deviations / normalQuantile(chance)
	if scale <= 0 {
		return max(0, x.expected())
	}
	least := 0.0
	most := 0.0
	for _, g := range x.groups {
		most += g.mean + 10*scale*math.Sqrt(g.variance)
	}
	for range 60 {
		middle := (least + most) / 2
		if x.below(middle, scale, x.groups, 0, 0) < chance {
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
	if g.applies >= 1 {
		return has
	}
	return g.applies*has + (1-g.applies)*x.below(n, scale, groups[1:], mean, variance)
}

// normalQuantile returns the quantile of the standard normal distribution.
func normalQuantile(chance float64) float64 { return math.Sqrt2 * math.Erfinv(2*chance-1) }
