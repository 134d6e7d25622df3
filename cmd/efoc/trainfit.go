package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/efoc/efoc/runtime/model/train"
)

const (
	// enoughEpochs is the number of epochs that a training should have: with fewer, a
	// smaller model is the better one.
	enoughEpochs = 15
	// trainingShare is the part of a budget that is planned for training and calibration; the rest is
	// for writing.
	trainingShare = 0.9
)

// trainCost is the time that the parts of a training take, in seconds.
type trainCost struct {
	// begin is that of making the tables, step that of a step, and rank that of ranking
	// the entities for a fact in one direction.
	begin, step, rank float64
}

// trainFit chooses the settings of a training by a budget of time.
type trainFit struct {
	size train.Size
	// validRanks and finalRanks are the numbers of ranks of a validation and at the end.
	validRanks, finalRanks int
	// left returns what is left of the budget, in seconds; nil if there is none.
	left func() float64
	// memory is what there is, in bytes, 0 where that is not known.
	memory  int64
	threads int
	// epochsGiven and everyGiven say that the schedule is not to be changed there.
	epochsGiven, everyGiven bool
	// measure takes some steps with the options.
	measure func(train.Options) (trainCost, error)
}

// trainPlan is what a trainFit has chosen.
type trainPlan struct {
	options  train.Options
	schedule train.Schedule
	// seconds is how long the training is expected to take, 0 where that is not known.
	seconds float64
}

// candidates lists the options to choose from, best first: the ranks in order, each
// with the numbers of negatives in order.
func candidates(o train.Options, ranks, negatives []int) []train.Options {
	var list []train.Options
	for _, rank := range ranks {
		for _, count := range negatives {
			o.Rank, o.Negatives = rank, count
			list = append(list, o)
		}
	}
	return list
}

// negativesFor lists numbers of negatives for a graph, best first: that of the
// defaults, and of fewer those that leave out half of the entities and more.
func negativesFor(entities, usual int) []int {
	list, less := []int{usual}, []int{negativesLarge, negativesShort}
	if entities >= hugeGraphEntities {
		less = append(less, negativesMin)
	}
	for _, count := range less {
		if (usual == 0 || count < usual) && 2*count <= entities {
			list = append(list, count)
		}
	}
	return list
}

// choose chooses the first of the options, best first, for which memory and, with a budget, time are
// enough. With one, the cheapest ones are measured first: by their time that of the others is predicted,
// and only those are measured that are likely to be chosen.
func (f *trainFit) choose(list []train.Options, s train.Schedule) (trainPlan, error) {
	tooLarge := func(o train.Options) bool { return f.memory > 0 && o.Memory(f.size, f.threads) > f.memory }
	byMemory := func(a, b train.Options) int {
		return cmp.Compare(a.Memory(f.size, f.threads), b.Memory(f.size, f.threads))
	}
	byWork := func(a, b train.Options) int { return cmp.Compare(a.Work(f.size), b.Work(f.size)) }
	fits := slices.DeleteFunc(slices.Clone(list), tooLarge)
	if f.left == nil { // the schedule stays, and so does the cheapest if none fits: memory is an estimate
		f.epochsGiven, f.everyGiven = true, true
		o := append(fits, list[len(list)-1])[0]
		cost, err := f.measure(o)
		return f.plan(o, s, cost), err
	}
	if len(fits) == 0 {
		least := slices.MinFunc(list, byMemory)
		return trainPlan{}, usagef("training on this graph takes at least %s of memory, and %s are available: give a lower --rank",
			megabytes(least.Memory(f.size, f.threads)), megabytes(f.memory))
	}
	enough := min(enoughEpochs, s.Epochs)
	if f.epochsGiven {
		enough = s.Epochs
	}
	cheapest := slices.MinFunc(fits, byWork)
	known, err := f.measure(cheapest)
	if err != nil {
		return trainPlan{}, err
	}
	from, last := cheapest, known
	for _, o := range fits {
		if o == cheapest {
			break
		}
		// What is predicted to be too slow by half may not be; the rest is not tried.
		if 2*f.epochs(o, s, f.predict(o, from, last)) < enough {
			continue
		}
		cost, err := f.measure(o)
		if err != nil {
			return trainPlan{}, err
		}
		if f.epochs(o, s, cost) >= enough {
			return f.plan(o, s, cost), nil
		}
		from, last = o, cost
	}
	return f.plan(cheapest, s, known), nil
}

// predict returns the cost of options by that of others.
func (f *trainFit) predict(o, from train.Options, cost trainCost) trainCost {
	tables := float64(o.Rank) / float64(from.Rank)
	return trainCost{begin: cost.begin * tables, step: cost.step * o.Work(f.size) / from.Work(f.size), rank: cost.rank * tables}
}

func (f *trainFit) epoch(o train.Options, c trainCost) float64 {
	return float64(o.Steps(f.size)) * c.step
}

// every returns the epochs between validations: as many as keep these below a fifth of
// the time, unless that was given.
func (f *trainFit) every(o train.Options, s train.Schedule, c trainCost) int {
	if f.everyGiven {
		return s.Every
	}
	return max(s.Every, int(math.Ceil(4*float64(f.validRanks)*c.rank/f.epoch(o, c))))
}

// forEpochs returns the seconds that are left for epochs and validations.
func (f *trainFit) forEpochs(c trainCost) float64 {
	return trainingShare*f.left() - c.begin - float64(f.finalRanks)*c.rank
}

// epochs returns how many epochs the time is enough for.
func (f *trainFit) epochs(o train.Options, s train.Schedule, c trainCost) int {
	each := f.epoch(o, c) + float64(f.validRanks)*c.rank/float64(f.every(o, s, c))
	return int(max(0, min(f.forEpochs(c)/each, 1<<30)))
}

func (f *trainFit) plan(o train.Options, s train.Schedule, c trainCost) trainPlan {
	every := f.every(o, s, c)
	training := 0.0
	if !f.epochsGiven {
		s.Epochs = min(s.Epochs, f.epochs(o, s, c))
	}
	if s.Epochs == 0 { // part of one, without a validation
		s.Epochs, s.Steps = 1, max(1, int(f.forEpochs(c)/c.step))
		training = float64(s.Steps) * c.step
	}
	if s.Every = every; !f.everyGiven {
		s.Every = min(every, s.Epochs) // one at the end
	}
	if s.Steps == 0 {
		training = float64(s.Epochs)*f.epoch(o, c) + float64(s.Epochs/s.Every*f.validRanks)*c.rank
	}
	seconds := c.begin + training + float64(f.finalRanks)*c.rank
	return trainPlan{options: o, schedule: s, seconds: seconds}
}

func megabytes(bytes int64) string {
	if bytes < 10<<30 {
		return fmt.Sprintf("%d MB", (bytes+1<<20-1)>>20)
	}
	return fmt.Sprintf("%.1f GB", float64(bytes)/(1<<30))
}
