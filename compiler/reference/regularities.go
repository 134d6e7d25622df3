package reference

import (
	"math"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
)

// regularity returns the statistics of a directed relation, which are computed once.
func (mc *machine) regularity(r graph.RelationID) *regularity {
	if x := mc.counted[r]; x != nil {
		return x
	}
	if mc.counted == nil {
		mc.counted = map[graph.RelationID]*regularity{}
	}
	x := mc.count(r)
	mc.counted[r] = x
	return x
}

// count computes the statistics of a directed relation. All weights are 0 if regularities are off.
func (mc *machine) count(r graph.RelationID) *regularity {
	terms := mc.model.Manifest.ScoreTerms
	if !mc.truth().Regularities {
		terms = model.ScoreTerms{}
	}
	x := &regularity{heads: make([]float64, mc.n()), terms: terms}
	facts := 0.0
	loops := 0.0
	one := 0.0
	several := 0.0
	for h := range mc.n() {
		tails := mc.model.Graph.Tails(graph.EntityID(h), r)
		for _, t := range tails {
			facts++
			x.heads[t]++
			if int(t) == h {
				loops++
			}
		}
		switch len(tails) {
		case 0:
		case 1:
			one++
		default:
			several++
		}
	}
	x.loops = (loops + 0.01) / (facts + 1)
	x.second = math.Pow(math.Min(1, (several+0.5)/(one+0.5)), terms.Second)
	return x
}

// score returns the term added to the link predictor's score of a link.
func (x *regularity) score(h, t int) float64 {
	sum := x.terms.Frequency * math.Log(x.heads[t]+0.1)
	if h == t {
		sum += x.terms.Loop * math.Log(x.loops)
	}
	return sum
}
