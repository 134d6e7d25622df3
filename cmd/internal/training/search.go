package training

import (
	"errors"
	"fmt"
	"slices"

	"github.com/efoc/efoc/runtime/model/train"
)

const (
	// trialShare is the part of the time of a training that a trial takes, searchShare the part that
	// all trials take at most, the last one aside.
	trialShare  = 1.0 / 40
	searchShare = 0.3
	// halfEpochs is the number of epochs in which half of what can be learnt is learnt, about.
	halfEpochs = 1
	// fewEpochs is the number of epochs below which a training only begins to learn: more work in each
	// is of no use then.
	fewEpochs = 8
	// noise is an MRR that tells nothing.
	noise = 0.01
)

// Choices are the values of options to choose from, in ascending order of their work; nil keeps
// an option as it is.
type Choices struct {
	Negatives, Ranks []int
	Relations        []float64
}

// LeastRank is the lowest rank to choose from.
const LeastRank = 16

const (
	startNegatives = 4_000
	startRank      = 64
)

// ChoicesFor returns the choices for a graph, given the usual options: numbers of negatives that leave
// out half of the entities and more, and the usual one.
func ChoicesFor(entities int, usual train.Options) Choices {
	c := Choices{Ranks: []int{LeastRank, 32, startRank, 128, 256, 512}, Relations: []float64{0, 1, relationsWeight}}
	for _, count := range []int{1_000, startNegatives, negativesLarge} {
		if (usual.Negatives == 0 || count < usual.Negatives) && 2*count <= entities {
			c.Negatives = append(c.Negatives, count)
		}
	}
	c.Negatives = append(c.Negatives, usual.Negatives)
	return c
}

// Trial is what a short training has shown.
type Trial struct {
	Options train.Options
	// Begin is the time of making the tables, Step the time of a step, and Rank the time of ranking the
	// entities for a fact in one direction, in seconds.
	Begin, Step, Rank float64
	// Took is the time of the whole trial, in seconds.
	Took float64
	// Curve has the MRR of validations on the way; the last one is at the end.
	Curve []TrialPoint
}

// TrialPoint is the MRR after a number of steps.
type TrialPoint struct {
	Steps int
	MRR   float64
}

// Last is the end of the trial.
func (t Trial) Last() TrialPoint {
	if len(t.Curve) == 0 {
		return TrialPoint{}
	}
	return t.Curve[len(t.Curve)-1]
}

// at interpolates the MRR after steps, which the trial has.
func (t Trial) at(steps float64) float64 {
	var before TrialPoint
	for _, p := range t.Curve {
		if steps <= float64(p.Steps) {
			part := (steps - float64(before.Steps)) / float64(p.Steps-before.Steps)
			return before.MRR + part*(p.MRR-before.MRR)
		}
		before = p
	}
	return before.MRR
}

// Epoch is the time of an epoch, in seconds.
func (t Trial) Epoch(s train.Size) float64 { return float64(t.Options.Steps(s)) * t.Step }

// Search chooses options by short trials. It changes one option at a time, to the next value in
// either direction, as long as that promises a better validation MRR at the end of the training.
type Search struct {
	Size train.Size
	// Memory is what the training may take, in bytes; 0 is any amount.
	Memory  int64
	Threads int
	// Seconds is the time of the training, trials included.
	Seconds float64
	// Try trains with options for about the given seconds.
	Try func(o train.Options, seconds float64) (Trial, error)
	// Tried, if not nil, receives each trial.
	Tried func(t Trial)

	spent float64 // seconds of trials
}

// ErrMemory is the error of a search if no choice fits in memory.
var ErrMemory = errors.New("too little memory")

// Choose returns the trial of the options that promise most. It begins at the start values, where the
// choices have them.
func (s *Search) Choose(usual train.Options, c Choices) (Trial, error) {
	o := usual
	if slices.Contains(c.Negatives, startNegatives) {
		o.Negatives = startNegatives
	}
	if slices.Contains(c.Ranks, startRank) {
		o.Rank = startRank
	}
	for i := slices.Index(c.Ranks, o.Rank); i > 0 && !s.fits(o); i-- {
		o.Rank = c.Ranks[i-1]
	}
	if !s.fits(o) {
		return Trial{}, fmt.Errorf("%w: training at rank %d takes at least %d MB", ErrMemory, o.Rank, o.Memory(s.Size, s.Threads)>>20)
	}

	best, err := s.try(o)
	if err == nil {
		best, err = climb(s, best, c.Negatives, func(o *train.Options) *int { return &o.Negatives })
	}
	if err == nil {
		best, err = climb(s, best, c.Ranks, func(o *train.Options) *int { return &o.Rank })
	}
	if err == nil {
		best, err = climb(s, best, c.Relations, func(o *train.Options) *float64 { return &o.Relations })
	}
	return best, err
}

// climb tries the values of an option next to the best trial's value: greater ones as long as they are
// better, otherwise smaller ones.
func climb[T comparable](s *Search, best Trial, values []T, option func(*train.Options) *T) (Trial, error) {
	start := slices.Index(values, *option(&best.Options))
	if start < 0 {
		return best, nil
	}
	for _, direction := range []int{1, -1} {
		for i := start + direction; i >= 0 && i < len(values); i += direction {
			o := best.Options
			*option(&o) = values[i]
			if !s.worthwhile(o, best) {
				break
			}
			t, err := s.try(o)
			if err != nil {
				return best, err
			}
			if !s.better(t, best) {
				break
			}
			best = t
		}
		if *option(&best.Options) != values[start] {
			break
		}
	}
	return best, nil
}

func (s *Search) fits(o train.Options) bool {
	return s.Memory == 0 || o.Memory(s.Size, s.Threads) <= s.Memory
}

// worthwhile reports whether there is memory and time for a trial, and time for enough epochs with options
// of more work than the best's.
func (s *Search) worthwhile(o train.Options, best Trial) bool {
	more := o.Work(s.Size) / best.Options.Work(s.Size)
	enough := more <= 1 || s.epochs(best)/more >= fewEpochs
	return enough && s.fits(o) && s.spent < searchShare*s.Seconds
}

// epochs is the number of epochs that there is time for.
func (s *Search) epochs(t Trial) float64 { return max(0, s.Seconds-s.spent-t.Begin) / t.Epoch(s.Size) }

func (s *Search) try(o train.Options) (Trial, error) {
	t, err := s.Try(o, trialShare*s.Seconds)
	if err != nil {
		return t, err
	}
	s.spent += t.Took
	if s.Tried != nil {
		s.Tried(t)
	}
	return t, nil
}

// better reports whether a trial promises more than another, or the same for less work. Both are
// compared after as many epochs as both have had, as learning takes about as many with any options;
// where there is time for few epochs only, after as much time. Neither promises more if both know nothing
// then.
func (s *Search) better(t, than Trial) bool {
	steps := float64(min(t.Last().Steps, than.Last().Steps))
	own := t.at(steps)
	other := than.at(steps)
	few := min(s.epochs(t), s.epochs(than)) < fewEpochs
	if few {
		seconds := min(t.Step*float64(t.Last().Steps), than.Step*float64(than.Last().Steps))
		own = t.at(seconds / t.Step)
		other = than.at(seconds / than.Step)
	}
	if max(own, other) < noise {
		return t.Step < than.Step
	}
	if few {
		return own > other
	}
	return own*s.learnt(t) > other*s.learnt(than)
}

// learnt is the part of what options can learn that they learn in the time of the training.
func (s *Search) learnt(t Trial) float64 { return s.epochs(t) / (s.epochs(t) + halfEpochs) }
