package ast

import "fmt"

// Chain describes a path of Least to Most steps, to be written out as a formula.
type Chain struct {
	// Least and Most bound its steps; Most is positive.
	Least, Most int
	// Step returns the formula of one step between two terms; Via returns a fresh variable for an intermediate node.
	Step func(from, to Term) Formula
	Via  func() Term
	// Open leaves the variables free, for the caller to quantify.
	Open bool
	// Pos and Written are the path's position and text.
	Pos     Pos
	Written string
}

// Between returns the formula which says that the chain connects from to to.
func (c Chain) Between(from, to Term) Formula {
	var choice []Formula
	if c.Least == 0 {
		choice = append(choice, &Not{&Unequal{from, to, c.Pos}, c.Pos})
	}
	if c.Least <= 1 {
		choice = append(choice, c.Step(from, to))
	}
	if c.Most > 1 {
		v := c.Via()
		rest := c
		rest.Least, rest.Most = max(1, c.Least-1), c.Most-1
		var steps Formula = &And{[]Formula{c.Step(from, v), rest.Between(v, to)}, c.Pos}
		if !c.Open {
			refusal := fmt.Sprintf("the negation of %s says \"by no path\", which is not part of EFO1", c.Written)
			steps = &Exists{[]Term{v}, steps, c.Pos, refusal}
		}
		choice = append(choice, steps)
	}
	return Either(choice, c.Pos)
}

// Either returns the disjunction of one or more formulas.
func Either(choice []Formula, pos Pos) Formula {
	if len(choice) == 1 {
		return choice[0]
	}
	return &Or{choice, pos}
}
