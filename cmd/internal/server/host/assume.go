package host

import (
	"context"
	"errors"
	"strings"

	"github.com/efoc/efoc/cmd/internal/server/problem"
	"github.com/efoc/efoc/cmd/internal/stated"
	"github.com/efoc/efoc/runtime"
)

// mostGrown bounds the number of concurrent questions that assume new entities: each counts as at least this fraction
// of the memory limit of a job.
const mostGrown = 16

// assume replaces the snapshot of a question by one with its assumptions. Those with new entities reserve the memory
// of a copy of the entity table until the question is released.
func (s *Host) assume(ctx context.Context, a *Asked, formulas []string) error {
	if len(formulas) == 0 {
		return nil
	}
	if err := CheckLength(strings.Join(formulas, ""), s.Limits.Formula); err != nil {
		return err
	}
	most := s.scheduler.most()
	grow := func() error {
		bytes := a.At.Bundle().GrowthBytes()
		if bytes > most {
			return problem.TooCostly("new entities in assumptions need %d bytes for a copy of the entity table, over the limit of %d: "+
				"assume facts of entities that the model has, or have the server started with a higher --max memory", bytes, most)
		}
		bytes = max(bytes, most/mostGrown)
		if !s.grown.TryAcquire(bytes) {
			return problem.Overloaded(1, "other questions with new entities in their assumptions take the memory for them")
		}
		a.lease = &lease{release: func() {
			a.At.Bundle().GiveBack()
			s.grown.Release(bytes)
		}}
		return nil
	}
	at, warnings, err := stated.Assume(ctx, a.At, formulas, grow)
	if err != nil {
		a.Release()
		return assumptionError(err)
	}

	if at.NumEntities() > a.At.NumEntities() {
		rows := at.DegreeCache() // of its own
		rows.SetBudget(int(min(s.Limits.Rows, most/mostGrown)))
		rows.SetRunBudget(most / 4)
	}
	a.At = at
	a.warnings = warnings
	return nil
}

// assumptionError is the client's error for an assumption that cannot be made.
func assumptionError(err error) error {
	_, fault := errors.AsType[*runtime.PanicError](err)
	if fault || problem.Of(err).Code != "internal" {
		return err
	}
	return problem.Bad("assume: %w", err)
}
