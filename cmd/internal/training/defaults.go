package training

import "github.com/efoc/efoc/runtime/model/train"

const (
	// smallGraph is the number of facts below which a graph is small: it is trained for more epochs, at a constant
	// rate, which works better.
	smallGraph = 20_000
	// fullSoftmax is the number of entities up to which a step's softmax includes all, and negativesLarge the sample
	// size for more.
	fullSoftmax    = 40_000
	negativesLarge = 12_000
	// manyRelations is the number of relations from which predicting the relation between head and tail helps.
	manyRelations = 20
	// mediumGraph is the number of facts below which that helps at any rank, with weight 1. On larger graphs it helps
	// from relationsRank on, with relationsWeight, if the softmax includes all entities.
	mediumGraph     = 100_000
	relationsRank   = 512
	relationsWeight = 4
)

// Defaults returns settings for a graph with the given numbers of entities, relations and facts, without a time
// limit. They were tuned on FB15k-237 (hundreds of thousands of facts, all entities in the softmax), NELL995 (tens of
// thousands of entities, a sample in the softmax) and graphs of thousands of facts.
func Defaults(entities, relations, facts int) (train.Options, train.Schedule) {
	o := train.DefaultOptions()
	o.Members = 1
	s := train.Schedule{Epochs: 22, Every: 1, Patience: 10}
	if facts < smallGraph {
		o.Rank, o.Batch = 64, 256
		s.Epochs = 120
	}
	if entities > fullSoftmax {
		o.Negatives = negativesLarge
	}
	o.Relations = RelationsWeight(o.Rank, entities, relations, facts)
	return o, s
}

// RelationsWeight returns the weight of predicting relations for a rank and a graph of the given size.
func RelationsWeight(rank, entities, relations, facts int) float64 {
	switch {
	case relations < manyRelations:
		return 0
	case facts < mediumGraph:
		return 1
	case rank >= relationsRank && entities <= fullSoftmax:
		return relationsWeight
	}
	return 0
}

// Decay returns the number of final epochs in which the rate decays.
func Decay(epochs, facts int) int {
	if facts < smallGraph {
		return 0
	}
	return epochs / 5
}
