package train

import (
	"fmt"
	"math"
	"reflect"
	"strings"
)

// Options are the settings of a training. The zero value is invalid; see DefaultOptions.
type Options struct {
	// Rank is d, the number of complex numbers in an embedding.
	Rank int `json:"rank"`
	// Batch is the number of examples per step; a fact is two examples.
	Batch int `json:"batch"`
	// Group bounds the targets of a query in one step.
	Group int `json:"group"`
	// Rate is the learning rate of Adagrad.
	Rate float64 `json:"rate"`
	// Decay is the final share of the training in which the rate falls to 0. With Decay 0 it stays constant.
	Decay float64 `json:"decay"`
	// N3 weighs the regulariser: the sum of |x_k|³ over the head, relation and tail of an example.
	N3 float64 `json:"n3"`
	// Relations weighs the cross-entropy of the relation, given head and tail; 0 disables it.
	Relations float64 `json:"relations"`
	// Negatives is the number of entities that a step samples to estimate the softmax; 0, or at least the number of
	// entities, means all.
	Negatives int `json:"negatives"`
	// Init is the standard deviation of the initial numbers.
	Init float64 `json:"init"`
	// Seed seeds all random numbers.
	Seed uint64 `json:"seed"`
	// Members is the number of predictors, trained one after another, each with the next seed. The scores of the model
	// are the means of theirs. 0 means 1.
	Members int `json:"members"`
}

// DefaultOptions suit FB15k-237.
func DefaultOptions() Options {
	return Options{Rank: 256, Batch: 1000, Group: 16, Rate: 0.1, Decay: 0.2, N3: 0.05, Init: 1e-3, Seed: 1}
}

// leastRate is the least factor of the rate, reached at the end of its decay.
const leastRate = 0.01

// rateAt returns the rate once the given share of the training is over.
func (o Options) rateAt(share float64) float64 {
	if share <= 1-o.Decay {
		return o.Rate
	}
	return o.Rate * max(leastRate, (1-share)/o.Decay)
}

// lateN3 is the factor of the regulariser while the rate falls: a lower rate fits less noise.
const lateN3 = 0.7

// n3At returns the weight of the regulariser once the given share of the training is over.
func (o Options) n3At(share float64) float64 {
	if share > 1-o.Decay {
		return lateN3 * o.N3
	}
	return o.N3
}

const (
	// maxRank bounds Options.Rank, and the rank of a model of several members.
	maxRank = 1 << 14
	// maxMembers bounds Options.Members.
	maxMembers = 16
)

// Validate reports the first setting outside its range.
func (o Options) Validate() error {
	positive := func(x float64) bool { return x > 0 && !math.IsInf(x, 0) }
	notNegative := func(x float64) bool { return x >= 0 && !math.IsInf(x, 0) }
	switch {
	case o.Rank < 1 || o.Rank > maxRank:
		return fmt.Errorf("rank is %d, want 1 to %d", o.Rank, maxRank)
	case o.Batch < 1 || o.Batch > 1<<20:
		return fmt.Errorf("batch is %d, want 1 to %d", o.Batch, 1<<20)
	case o.Group < 1 || o.Group > 1<<20:
		return fmt.Errorf("group is %d, want 1 to %d", o.Group, 1<<20)
	case !positive(o.Rate):
		return fmt.Errorf("rate is %v, want a number above 0", o.Rate)
	case !(o.Decay >= 0 && o.Decay <= 1):
		return fmt.Errorf("decay is %v, want a share from 0 to 1", o.Decay)
	case !notNegative(o.N3):
		return fmt.Errorf("n3 is %v, want a number of at least 0", o.N3)
	case !notNegative(o.Relations):
		return fmt.Errorf("relations is %v, want a number of at least 0", o.Relations)
	case o.Negatives < 0:
		return fmt.Errorf("negatives is %d, want at least 0", o.Negatives)
	case o.Members < 0 || o.Members > maxMembers:
		return fmt.Errorf("members is %d, want 1 to %d", o.Members, maxMembers)
	case o.Rank*o.Members > maxRank:
		return fmt.Errorf("%d members of rank %d make a model of rank %d, want at most %d", o.Members, o.Rank, o.Members*o.Rank, maxRank)
	case !positive(o.Init):
		return fmt.Errorf("init is %v, want a number above 0", o.Init)
	}
	return nil
}

// Differences lists the settings in which o and p differ; it is empty if they are equal.
func (o Options) Differences(p Options) string {
	var list []string
	old := reflect.ValueOf(o)
	other := reflect.ValueOf(p)
	for i, f := range reflect.VisibleFields(old.Type()) {
		a := old.Field(i).Interface()
		b := other.Field(i).Interface()
		if a != b {
			list = append(list, fmt.Sprintf("%s %v instead of %v", strings.ReplaceAll(f.Tag.Get("json"), "_", " "), a, b))
		}
	}
	return strings.Join(list, ", ")
}
