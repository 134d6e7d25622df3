package server

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/fit"
)

// known returns the semantics of a name.
func known(name string) (fit.Semantics, error) {
	if s := fit.Semantics(name); slices.Contains(fit.All, s) {
		return s, nil
	}
	return "", fmt.Errorf("semantics is %q, want %s, %s or %s", name, fit.NSMP, fit.FIT, fit.Mixed)
}

// semantics returns what the answers of a question mean.
func (s *Server) semantics(q *Question) (fit.Semantics, error) {
	if q.Semantics == "" {
		return s.standard, nil
	}
	semantics, err := known(q.Semantics)
	if err != nil {
		return "", badRequest("%w", err)
	}
	return semantics, nil
}

// checkSettings reports settings that the semantics does not read.
func (q *Question) checkSettings(s fit.Semantics) error {
	if s == fit.FIT && q.Settings != (Settings{}) {
		return badRequest("settings are those of message passing, which semantics %s does not read: leave them out, or ask for %s or %s",
			fit.FIT, fit.NSMP, fit.Mixed)
	}
	return nil
}

// memoryError says whether a query that was given up for its memory is too large by
// itself, or came while others took too much.
func (s *Server) memoryError(err error) error {
	var memory *fit.MemoryError
	switch {
	case !errors.As(err, &memory):
		return err
	case memory.Run > s.share():
		return tooCostly("this query needs more than %d bytes to be answered: use fewer variables in cycles or fewer negated atoms", s.share())
	}
	return &problem{Status: http.StatusTooManyRequests, Code: "overloaded",
		Message: fmt.Sprintf("the queries that run take more than %d bytes; ask again later", memory.Budget)}
}

// workspaceBytes returns what answering one query takes: its vectors, and about what
// the fuzzy sets of truth degrees do. Those are lists of the entities of some degree,
// and are bounded while they are made: see fit.Rows.SetRunBudget.
func workspaceBytes(m *runtime.Model, p *runtime.Plan, values []*ir.Value, d runtime.Degrees) int64 {
	const number = 4 // bytes
	n := int64(m.NumEntities())
	size := number * (int64(p.Vectors)*n + int64(p.Embeddings+1)*2*int64(m.Predictor.Rank))
	branched := map[*ir.Value]bool{}
	lists := int64(0) // in quarters of n numbers
	for _, v := range values {
		if v.Space() != ir.Degrees {
			continue
		}
		lists++
		if branched[v] = v.Op == ir.Each || v.Op != ir.Join && slices.ContainsFunc(v.Args, func(a *ir.Value) bool { return branched[a] }); branched[v] {
			lists += 4 * int64(min(d.Candidates, m.NumEntities())) // 64 short ones for each candidate
		}
	}
	if lists > 0 {
		size += number * n * 3 // the room for maxima
	}
	return size + 2*number*n/4*lists
}
