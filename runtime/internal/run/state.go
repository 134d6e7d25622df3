// Package run holds what the parts of a running query share: its context, its first error, and
// its batch or split model. It knows no plans.
package run

import (
	"context"

	"github.com/efoc/efoc/runtime/internal/part"
)

// State is that of one run. Errors stick: the first one counts.
type State struct {
	ctx    context.Context
	failed error
	group  *Group // nil outside of batches
	alone  [1]Joint
	// Part is what this process has of a model that is split among several; nil is a whole one.
	// Then errors are those that all ranks have agreed on, and Query is the number of the query
	// in its group.
	Part  *part.Part
	Query int
}

// Begin starts a run, of a query of a group if that is not nil.
func (s *State) Begin(ctx context.Context, group *Group) {
	s.ctx, s.failed, s.group, s.Part = ctx, nil, group, nil
}

// BeginPart starts a run on a part of a split model, of a query of a group if that is not nil,
// in which it has a number. Its context ends by agreement of all ranks alone, at an exchange.
func (s *State) BeginPart(ctx context.Context, group *Group, query int, p *part.Part) {
	s.Begin(context.WithoutCancel(ctx), group)
	s.Part, s.Query = p, query
}

// End lets go of what belongs to the run.
func (s *State) End() { *s = State{} }

// Context returns the context of the run.
func (s *State) Context() context.Context { return s.ctx }

// Err returns what Fail was told, or the context's error: ops that read the whole table
// ask first.
func (s *State) Err() error {
	if s.Part != nil {
		return s.Part.Err()
	}
	if s.failed != nil {
		return s.failed
	}
	return s.ctx.Err()
}

// Fail makes the run fail, for ops that return no error.
func (s *State) Fail(err error) {
	if s.Part != nil {
		s.Part.Fail(err)
		return
	}
	if s.failed == nil {
		s.failed = err
	}
}

// Batched reports whether the query is one of a batch.
func (s *State) Batched() bool { return s.group != nil }

// MeetOthers does work that the queries of a batch do together, and reports whether it is done: it
// is not if the context has ended before the other queries came. Every query must come here as
// often as the others, whatever it is about.
func (s *State) MeetOthers(j Joint) bool {
	if s.group != nil {
		return s.group.join(s.ctx, j)
	}
	s.alone[0] = j
	j.Together(s.alone[:])
	s.alone[0] = nil
	return true
}
