package host

import (
	"context"
	"strings"

	"github.com/efoc/efoc/cmd/internal/server/problem"
	"github.com/efoc/efoc/cmd/internal/stated"
)

// mostGrown bounds the number of concurrent questions that assume new entities: each counts as at least this fraction
// of the memory limit of a job.
const mostGrown = 16

// keptShare is the inverse of the share of the memory limit of a job that assumptions may reserve for later questions.
const keptShare = 4

// assume replaces the snapshot of a question by one with its assumptions, which questions with the same ones share.
func (s *Host) assume(ctx context.Context, h *Model, a *Asked, formulas []string) error {
	if len(formulas) == 0 {
		return nil
	}
	if err := CheckLength(strings.Join(formulas, ""), s.Limits.Formula); err != nil {
		return err
	}
	x := h.assumed.find(a.At, formulas)
	if x == nil {
		x = &assumption{base: a.At, formulas: formulas}
		if err := s.make(ctx, h, x); err != nil {
			return err
		}
		h.assumed.keep(x, s.scheduler.most()/keptShare)
	}
	a.At = x.at
	a.warnings = x.warnings
	a.bound = &x.bound
	a.lease = &x.lease
	return nil
}

// make makes the snapshot of an assumption.
func (s *Host) make(ctx context.Context, h *Model, x *assumption) error {
	most := s.scheduler.most()
	grow := func() error {
		bytes := x.base.Bundle().GrowthBytes()
		if bytes > most {
			return problem.TooCostly("new entities in assumptions need %d bytes for a copy of the entity table, over the limit of %d: "+
				"assume facts of entities that the model has, or have the server started with a higher --max memory", bytes, most)
		}
		bytes = max(bytes, most/mostGrown)
		if !s.grown.TryAcquire(bytes) {
			h.assumed.drop()
			if !s.grown.TryAcquire(bytes) {
				return problem.Overloaded(1, "other questions with new entities in their assumptions take the memory for them")
			}
		}
		x.bytes = bytes
		x.release = func() {
			if x.at != nil {
				x.at.Bundle().GiveBack()
			}
			s.grown.Release(bytes)
		}
		return nil
	}
	var err error
	x.at, x.warnings, err = stated.Assume(ctx, x.base, x.formulas, grow)
	if err != nil {
		x.Release()
		return err
	}

	if x.bytes > 0 {
		rows := x.at.DegreeCache() // of its own
		rows.SetBudget(int(min(s.Limits.Rows, most/mostGrown)))
		rows.SetRunBudget(most / 4)
	}
	return nil
}
