package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/server/problem"
	"github.com/efoc/efoc/cmd/internal/server/transport"
)

// batchResult is the outcome of one query of a batch.
type batchResult struct {
	Result *Response        `json:"result,omitempty"`
	Error  *problem.Problem `json:"error,omitempty"`
}

// Batch answers several queries on the same facts; each may fail independently.
func (s *Service) Batch(r *http.Request, h *host.Model) (any, error) {
	var req struct {
		Queries []json.RawMessage `json:"queries"` // an AskRequest each, which would take a hundred times the bytes of a short one
	}
	if err := transport.Read(r, &req); err != nil {
		return nil, err
	}
	n := len(req.Queries)
	if n < 1 || n > s.Limits.Batch {
		return nil, problem.Bad("the batch has %d queries, want 1 to %d", n, s.Limits.Batch)
	}
	queries := make([]AskRequest, n)
	now := h.Now()
	for i, text := range req.Queries {
		queries[i] = s.newAsk()
		if err := transport.DecodeText(text, &queries[i]); err != nil {
			return nil, err
		}
		queries[i].At = now
	}
	if err := s.batches.Acquire(r.Context(), int64(n)); err != nil {
		return nil, err
	}
	defer s.batches.Release(int64(n))
	return s.answerBatch(r, h, queries)
}

// answerBatch answers the queries of a batch, a few at a time so as not to delay other requests. It fails only if the
// client has gone, or if the deadline passes before any answer.
func (s *Service) answerBatch(r *http.Request, h *host.Model, queries []AskRequest) (any, error) {
	results := make([]batchResult, len(queries))
	var together errgroup.Group
	together.SetLimit(2 * s.Limits.Long)
	for i := range queries {
		together.Go(func() error {
			results[i] = s.answerOne(r, h, &queries[i])
			return nil
		})
	}
	together.Wait()
	err := r.Context().Err()
	answered := func(b batchResult) bool { return b.Result != nil }
	if errors.Is(err, context.DeadlineExceeded) && slices.ContainsFunc(results, answered) {
		err = nil
	}
	return struct {
		Results []batchResult `json:"results"`
	}{results}, err
}

// answerOne answers a query of a batch.
func (s *Service) answerOne(r *http.Request, h *host.Model, query *AskRequest) (b batchResult) {
	var err error
	defer func() {
		if fault := recover(); fault != nil {
			err = problem.Recovered(fault)
		}
		if err != nil {
			b = batchResult{Error: s.transport.Problem(r, err)}
		}
	}()
	b.Result, err = s.answer(r.Context(), h, query)
	return b
}
