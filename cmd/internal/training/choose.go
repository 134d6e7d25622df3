package training

import (
	"errors"
	"fmt"

	"github.com/efoc/efoc/runtime/model/train"
)

const (
	// enoughEpochs is the number of epochs in which a training learns most of what it can, and enoughSmall that
	// number for a small graph.
	enoughEpochs = 20
	enoughSmall  = 60
	// startRank is the rank below which fewer negatives are better than a lower rank, and LeastRank the lowest rank
	// to choose.
	startRank = 64
	LeastRank = 16
	// mostRank is the highest rank to choose.
	mostRank = 512
)

// Choices are the options that fit into a memory, in descending order of quality.
type Choices struct {
	Size train.Size
	list []train.Options
}

// ErrMemory reports options that do not fit into memory.
var ErrMemory = errors.New("too little memory")

// NewChoices returns the options that need at most the given bytes of memory; 0 means no limit. They have at most the
// usual number of negatives, and keep the given settings. A graph with too few facts to validate by gets no more than
// the usual rank.
func NewChoices(s train.Size, usual train.Options, given *Given, memory int64, threads int) (Choices, error) {
	c := Choices{Size: s}
	add := func(rank, negatives int) {
		o := usual
		o.Rank = rank
		o.Negatives = negatives
		if given.Relations == nil {
			o.Relations = RelationsWeight(rank, s.Entities, s.Relations/2, s.Facts)
		}
		if memory == 0 || o.Memory(s, threads) <= memory {
			c.list = append(c.list, o)
		}
	}
	negatives := []int{usual.Negatives}
	for _, fewer := range []int{4_000, 1_000} {
		if given.Negatives == nil && fewer < usual.Candidates(s.Entities) && 2*fewer <= s.Entities {
			negatives = append(negatives, fewer)
		}
	}
	least := negatives[len(negatives)-1]
	rank := usual.Rank
	if given.Rank == nil && s.Facts >= LeastFacts {
		for rank = mostRank; rank > startRank; rank /= 2 {
			add(rank, usual.Negatives)
		}
	}
	for _, n := range negatives {
		add(rank, n)
	}
	if given.Rank == nil {
		for rank /= 2; rank >= LeastRank; rank /= 2 {
			add(rank, least)
		}
	}
	if len(c.list) == 0 {
		o := usual
		o.Rank, o.Negatives = rank, least
		return c, fmt.Errorf("%w: training at rank %d takes at least %d MB", ErrMemory, o.Rank, o.Memory(s, threads)>>20)
	}
	return c, nil
}

// enough is the number of epochs that suffices for a graph of the given size.
func enough(s train.Size) float64 {
	if s.Facts < SmallGraph {
		return enoughSmall
	}
	return enoughEpochs
}

// For returns the first options that allow enough epochs in the given seconds, extrapolated from a timing, or the
// last ones.
func (c Choices) For(t Timing, seconds float64) train.Options {
	for _, o := range c.list {
		if enough(c.Size)*t.With(o, c.Size).Epoch(c.Size) <= seconds {
			return o
		}
	}
	return c.list[len(c.list)-1]
}

// membersFor returns the largest number of members, up to that of the options, of which each has enough epochs in the
// given seconds.
func membersFor(t Timing, s train.Size, seconds float64) int {
	return max(1, min(t.Options.Members, int(seconds/(enough(s)*t.Epoch(s)))))
}

// Choose measures and returns the timing of the first options that allow enough epochs in the given seconds. It also
// measures the chosen options, and chooses again if they take longer than estimated.
func (c Choices) Choose(measure func(o train.Options) (Timing, error), seconds float64) (Timing, error) {
	start := c.list[len(c.list)-1]
	for _, o := range c.list {
		if o.Rank <= startRank {
			start = o
			break
		}
	}
	t, err := measure(start)
	for err == nil {
		o := c.For(t, seconds)
		if o == t.Options {
			return t, nil
		}
		more := o.Work(c.Size) > t.Options.Work(c.Size)
		t, err = measure(o)
		if !more {
			break
		}
	}
	return t, err
}
