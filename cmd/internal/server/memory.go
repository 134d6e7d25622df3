package server

import (
	"errors"

	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/query"
)

// memoryError says whether a query that was given up for its memory is too large by
// itself, or came while others took too much.
func (s *Server) memoryError(err error) error {
	var memory *fit.MemoryError
	switch {
	case !errors.As(err, &memory):
		return err
	case memory.Run > s.share():
		return tooCostly("this query needs more than %d bytes to be answered: use fewer variables in cycles or fewer negated atoms, "+
			"or have the server started with a higher --max-memory, which batches that run share", s.share())
	}
	return overloaded("the queries that run take more than %d bytes, the limit of --max-memory; ask again later", memory.Budget)
}

// workspaceBytes returns what the workspace of one query takes: its vectors, one more for
// what Correct notes, and its embeddings. The memory of truth degrees is metered while
// they are computed: see fit.Rows.SetRunBudget.
func workspaceBytes(m *query.Model, p *query.Plan) int64 {
	const number = 4 // bytes
	return number * (int64(p.Vectors+1)*int64(m.NumEntities()) + int64(p.Embeddings+1)*2*int64(m.Predictor.Rank))
}
