package training

import "github.com/efoc/efoc/runtime/model/train"

const (
	// SmallGraph is the number of facts below which a graph is small: it is trained for more
	// epochs, at a constant rate, which is better there.
	SmallGraph = 20_000
	// fullSoftmax is the number of entities up to which a step may have all of them in its softmax,
	// and negativesLarge the number that it draws of more.
	fullSoftmax    = 40_000
	negativesLarge = 12_000
	// relationsRank is the rank from which on relations are predicted too, with relationsWeight, where
	// all entities are in the softmax.
	relationsRank   = 512
	relationsWeight = 4
)

// Defaults returns settings for a graph of that size. They were found by trying on FB15k-237
// (hundreds of thousands of facts, all entities in the softmax), NELL995 (tens of thousands of
// entities, a sample of them) and the built-in world (thousands of facts). They suit a training
// that may take long; Search adapts them to a time.
func Defaults(entities, facts int) (train.Options, train.Schedule) {
	o := train.DefaultOptions()
	s := train.Schedule{Epochs: 22, Every: 1, Patience: 10}
	if facts < SmallGraph {
		o.Rank, o.Batch, o.Relations = 64, 256, 1
		s.Epochs = 120
	}
	if entities > fullSoftmax {
		o.Negatives = negativesLarge
	}
	return o, s
}

// RelationsWeight returns the weight of predicting relations for a graph of that size, given a
// rank and the weight of Defaults.
func RelationsWeight(usual float64, rank, entities, facts int) float64 {
	if rank >= relationsRank && facts >= SmallGraph && entities <= fullSoftmax {
		return relationsWeight
	}
	return usual
}

// Decay is the number of the last epochs in which the rate falls.
func Decay(epochs, facts int) int {
	if facts < SmallGraph {
		return 0
	}
	return epochs / 5
}
