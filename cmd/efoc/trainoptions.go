package main

import (
	"fmt"
	"strconv"

	"github.com/efoc/efoc/cmd/internal/cli"
	"github.com/efoc/efoc/cmd/internal/training"
)

// trainerOptions are the options of --trainer.
func trainerOptions(t *training.Given) []cli.Option {
	return []cli.Option{
		{Name: "batch", Help: "examples in a step; a fact is two, one in each direction", Set: whole(&t.Batch)},
		{Name: "rate", Help: "learning rate of Adagrad", Set: number(&t.Rate)},
		{Name: "decay", Help: "last share of the training, such as 20%, in which the rate falls to 0; a fifth by default, 0 on a small graph", Set: parsed(&t.Decay, anyShare, "a share from 0 to 50%, such as 20%")},
		{Name: "n3", Help: "weight of the N3 regulariser", Set: number(&t.N3)},
		{Name: "relations", Help: "weight of predicting the relation between head and tail, 0 for not at all; by default 4 from rank 512, 20 relations and 100,000 facts on if the softmax has all entities, otherwise 0", Set: number(&t.Relations)},
		{Name: "negatives", Help: "entities that a step draws for its softmax; 0 for all", Set: whole(&t.Negatives)},
		{Name: "seed", Help: "random seed; 1 by default", Set: parsed(&t.Seed, func(text string) (uint64, error) { return strconv.ParseUint(text, 10, 64) }, "a whole number")},
		{Name: "patience", Help: "validations without a new best after which to stop, 0 for never; 10 by default", Set: whole(&t.Patience)},
		{Name: "valid", Help: "share of the facts to validate by if there is no validation split, from 0 to 50%; by default a tenth, at most 20,000 facts, and none of fewer than 2,000", Set: parsed(&t.Valid, anyShare, "a share from 0 to 50%, such as 10%")},
	}
}

// anyShare parses a share that may be 0.
func anyShare(text string) (float64, error) {
	if text == "0" {
		return 0, nil
	}
	var s share
	err := s.UnmarshalText([]byte(text))
	return float64(s), err
}

// whole returns a parser for integers, number one for any number.
func whole(to **int) func(text string) error { return parsed(to, strconv.Atoi, "a whole number") }

func number(to **float64) func(text string) error {
	return parsed(to, func(text string) (float64, error) { return strconv.ParseFloat(text, 64) }, "a number")
}

func parsed[T any](to **T, parse func(string) (T, error), what string) func(text string) error {
	return func(text string) error {
		x, err := parse(text)
		*to = &x
		if err != nil {
			return fmt.Errorf("%q is not %s", text, what)
		}
		return nil
	}
}
