package training

import "github.com/efoc/efoc/runtime/model/train"

// Given are the user's settings. Nil fields are chosen automatically.
type Given struct {
	Rank, Epochs, Members      *int
	Batch, Negatives, Patience *int
	Rate, Decay, N3, Relations *float64
	Seed                       *uint64
	// Valid is the share of facts to hold out for validation without a validation split.
	Valid *float64
}

// apply overrides o and s by the given settings.
func (g *Given) apply(o *train.Options, s *train.Schedule) {
	override(&o.Rank, g.Rank)
	override(&o.Batch, g.Batch)
	override(&o.Rate, g.Rate)
	override(&o.Decay, g.Decay)
	override(&o.N3, g.N3)
	override(&o.Relations, g.Relations)
	override(&o.Negatives, g.Negatives)
	override(&o.Seed, g.Seed)
	override(&o.Members, g.Members)
	override(&s.Epochs, g.Epochs)
	override(&s.Patience, g.Patience)
}

// override replaces a default by a given value.
func override[T any](to, given *T) {
	if given != nil {
		*to = *given
	}
}

// options returns the settings for a graph of the given size.
func (g *Given) options(entities, relations, facts int) (train.Options, train.Schedule) {
	o, s := Defaults(entities, facts)
	g.apply(&o, &s)
	if g.Relations == nil {
		o.Relations = weightOfRelations(o.Rank, entities, relations, facts)
	}
	return o, s
}
