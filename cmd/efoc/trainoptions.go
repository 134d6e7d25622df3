package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/efoc/efoc/runtime/model/train"
)

// trainerOptions are what --trainer gives; nil is not given.
type trainerOptions struct {
	batch, decay, negatives, every, patience, validFacts *int
	rate, n3, lateN3, relations                          *float64
	interval                                             time.Duration
}

func (t *trainerOptions) options() []option {
	return []option{
		{"batch", "examples in a step; a fact is two, one in each direction", whole(&t.batch)},
		{"rate", "learning rate of Adagrad", number(&t.rate)},
		{"decay", "number of the last epochs in which the rate falls to 0; a fifth of them by default, 0 on a small graph", whole(&t.decay)},
		{"n3", "weight of the N3 regulariser", number(&t.n3)},
		{"late-n3", "the same while the rate falls; 0.7 of n3 by default", number(&t.lateN3)},
		{"relations", "weight of predicting the relation between head and tail, 0 for not at all; without trials 1 on a small graph, 4 from rank 512 on if the softmax has all entities, otherwise 0", number(&t.relations)},
		{"negatives", "entities that a step draws for its softmax; 0 for all", whole(&t.negatives)},
		{"every", "epochs between validations; 1 by default", whole(&t.every)},
		{"patience", "validations without a new best after which to stop, 0 for never; 10 by default", whole(&t.patience)},
		{"valid-facts", "facts of a validation, drawn once; 5000 by default. The final figures are of all", func(text string) error {
			if err := whole(&t.validFacts)(text); err != nil || *t.validFacts > 0 {
				return err
			}
			return fmt.Errorf("valid-facts is %s, want 1 or more", text)
		}},
		{"interval", "time between checkpoints within an epoch; 5m by default", func(text string) (err error) {
			if t.interval, err = time.ParseDuration(text); err != nil || t.interval < 0 {
				return fmt.Errorf("%q is not a time, such as 10m", text)
			}
			return nil
		}},
	}
}

// whole returns a function that reads a whole number, number one that reads any.
func whole(to **int) func(text string) error { return parsed(to, strconv.Atoi, "a whole number") }

func number(to **float64) func(text string) error {
	return parsed(to, func(text string) (float64, error) { return strconv.ParseFloat(text, 64) }, "a number")
}

func parsed[T any](to **T, parse func(string) (T, error), what string) func(text string) error {
	return func(text string) error {
		x, err := parse(text)
		if *to = &x; err != nil {
			return fmt.Errorf("%q is not %s", text, what)
		}
		return nil
	}
}

// override puts what was given in the place of the defaults.
func (t *trainerOptions) override(o *train.Options, s *train.Schedule) {
	override(&o.Batch, t.batch)
	override(&o.Rate, t.rate)
	override(&o.Decay, t.decay)
	override(&o.N3, t.n3)
	override(&o.LateN3, t.lateN3)
	override(&o.Relations, t.relations)
	override(&o.Negatives, t.negatives)
	override(&s.Every, t.every)
	override(&s.Patience, t.patience)
}
