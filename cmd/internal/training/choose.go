package training

import (
	"errors"
	"fmt"
	"slices"

	"github.com/efoc/efoc/runtime/model/train"
)

const (
	// enoughEpochs is the number of epochs in which a training learns most of what it can.
	enoughEpochs = 20
	// leastRank and mostRank are the lowest and the highest rank to choose; fewer than manyFacts facts overfit mostRank,
	// and have at most fewFactsRank. startRank is one to measure first.
	leastRank    = 16
	startRank    = 64
	fewFactsRank = 256
	mostRank     = 512
	// LeastFacts is the size of a graph below which all facts are needed for training.
	LeastFacts = 2000
)

// Choices are the options that fit into a memory, in descending order of quality.
type Choices struct {
	Size train.Size
	list []train.Options
}

// errMemory reports options that do not fit into memory.
var errMemory = errors.New("too little memory")

// newChoices returns the options that need at most the given bytes of memory; 0 means no limit. They have at most the
// usual number of negatives, and keep the given settings. In equal time, a higher rank with fewer negatives learns more
// than a lower rank with all. A graph with too few facts to validate by gets no more than the usual rank.
func newChoices(s train.Size, usual train.Options, given *Given, memory int64, threads int) (Choices, error) {
	c := Choices{Size: s}
	add := func(rank, negatives int) {
		o := usual
		o.Rank = rank
		o.Negatives = negatives
		if given.Relations == nil {
			o.Relations = weightOfRelations(rank, s.Entities, s.Relations/2, s.Facts)
		}
		if memory == 0 || o.Memory(s, threads) <= memory {
			c.list = append(c.list, o)
		}
	}
	ranks := []int{usual.Rank}
	if given.Rank == nil {
		highest := mostRank
		switch {
		case s.Facts < LeastFacts:
			highest = usual.Rank
		case s.Facts < manyFacts:
			highest = fewFactsRank
		}
		ranks = nil
		for rank := highest; rank >= leastRank; rank /= 2 {
			ranks = append(ranks, rank)
		}
	}
	negatives := []int{usual.Negatives}
	for _, fewer := range []int{4_000, 1_000} {
		if given.Negatives == nil && fewer < usual.Candidates(s.Entities) && 3*fewer <= s.Entities {
			negatives = append(negatives, fewer)
		}
	}
	for _, rank := range ranks {
		for _, n := range negatives {
			add(rank, n)
		}
	}
	if len(c.list) == 0 {
		o := usual
		o.Rank = ranks[len(ranks)-1]
		o.Negatives = negatives[len(negatives)-1]
		return c, fmt.Errorf("%w: training at rank %d takes at least %d MB", errMemory, o.Rank, o.Memory(s, threads)>>20)
	}
	return c, nil
}

// membersFor returns the number of members to train: at most t.Options.Members, and so few that each has enough epochs in
// the given seconds.
func membersFor(t Timing, s train.Size, seconds float64) int {
	return max(1, min(t.Options.Members, int(seconds/(enoughEpochs*t.Epoch(s)))))
}

// fits reports whether options with the given timing allow enough epochs in the given seconds.
func (c Choices) fits(t Timing, seconds float64) bool {
	return enoughEpochs*t.Epoch(c.Size) <= seconds
}

// first returns the index of the first options, from an index on, that fit by extrapolation from a timing, or the last
// index.
func (c Choices) first(from int, t Timing, seconds float64) int {
	for i, o := range c.list[from:] {
		if c.fits(t.With(o, c.Size), seconds) {
			return from + i
		}
	}
	return len(c.list) - 1
}

// Choose returns the timing of the first options that allow enough epochs in the given seconds, or of the last ones. It
// extrapolates from the fastest measurement, because other programs only slow one down, and measures the options that it
// expects to fit, those of the first measurement again.
func (c Choices) Choose(measure func(o train.Options) (Timing, error), seconds float64) (Timing, error) {
	last := len(c.list) - 1
	start := slices.IndexFunc(c.list, func(o train.Options) bool { return o.Rank <= startRank })
	if start < 0 {
		start = last
	}
	fastest, err := measure(c.list[start])
	if last == 0 {
		return fastest, err
	}
	var chosen Timing
	for from := 0; err == nil; {
		i := c.first(from, fastest, seconds)
		if c.list[i] == chosen.Options {
			break
		}
		var t Timing
		t, err = measure(c.list[i])
		if i < last && !c.fits(t, seconds) {
			from = i + 1
			continue
		}
		chosen = t
		if t.With(fastest.Options, c.Size).Step < fastest.Step {
			fastest = t
		}
	}
	return chosen, err
}
