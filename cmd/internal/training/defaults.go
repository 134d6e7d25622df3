package training

import "github.com/efoc/efoc/runtime/model/train"

const (
	// smallGraph is the number of facts below which a graph is small: it is trained in smaller batches, at a constant
	// rate, and without a budget for more epochs at a lower rank.
	smallGraph = 20_000
	// fullSoftmax is the number of entities up to which a step's softmax includes all, and negativesLarge the sample
	// size for more.
	fullSoftmax    = 40_000
	negativesLarge = 12_000
	// Predicting the relation between head and tail helps in graphs with manyRelations and manyFacts whose softmax
	// includes all entities, from relationsRank on, with relationsWeight.
	manyRelations   = 20
	manyFacts       = 100_000
	relationsRank   = 512
	relationsWeight = 4
)

// Defaults returns settings for a graph with the given numbers of entities and facts, without a time
// limit. They were tuned on FB15k-237 (hundreds of thousands of facts, all entities in the softmax), NELL995 (tens of
// thousands of entities, a sample in the softmax) and graphs of thousands of facts.
func Defaults(entities, facts int) (train.Options, train.Schedule) {
	o := train.DefaultOptions()
	o.Members = 1
	s := train.Schedule{Epochs: 22, Every: 1, Patience: 10}
	if facts < smallGraph {
		o.Rank = 64
		o.Batch = 256
		o.Decay = 0
		s.Epochs = 120
	}
	if entities > fullSoftmax {
		o.Negatives = negativesLarge
	}
	return o, s
}

// weightOfRelations returns the weight of predicting relations for a rank and a graph of the given size.
func weightOfRelations(rank, entities, relations, facts int) float64 {
	if rank >= relationsRank && relations >= manyRelations && facts >= manyFacts && entities <= fullSoftmax {
		return relationsWeight
	}
	return 0
}
