package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/server/problem"
	"github.com/efoc/efoc/cmd/internal/server/transport"
	"github.com/efoc/efoc/runtime/facts"
	"github.com/efoc/efoc/runtime/model"
)

// factsRequest changes facts, all or none.
type factsRequest struct {
	Add     [][]any `json:"add,omitempty" jsonschema:"facts to add, each as head, relation, tail, by the names of the graph; or values, as entity, attribute, and a number or a date as text"`
	Remove  [][]any `json:"remove,omitempty" jsonschema:"facts and values to remove"`
	Untrue  [][]any `json:"untrue,omitempty" jsonschema:"facts to mark as not true, which also removes them: they are not offered as missing again"`
	Replace bool    `json:"replace,omitempty" jsonschema:"let the values to add replace all others that their entities have of the same attributes"`
	By      string  `json:"by,omitempty" jsonschema:"who makes the change, which the journal keeps"`
	New     bool    `json:"new,omitempty" jsonschema:"take names that the graph lacks for new entities, and before a value for new attributes; without it they are refused as mistakes"`
}

// factsResponse is the outcome of a change.
type factsResponse struct {
	facts.Result
	// Facts and Values are the new numbers of facts and of values.
	Facts  int `json:"facts"`
	Values int `json:"values,omitempty"`
}

// KeyHeader holds the idempotency key of a change.
const KeyHeader = "Idempotency-Key"

// ChangeFacts adds and removes facts. It answers once they are on disk.
func (s *Service) ChangeFacts(r *http.Request, _ *host.Model) (any, error) {
	var req factsRequest
	if err := transport.Read(r, &req); err != nil {
		return nil, err
	}
	return s.change(r.Context(), r.Header.Get(KeyHeader), &req)
}

// change adds and removes facts; a key that is not empty makes it idempotent.
func (s *Service) change(ctx context.Context, key string, req *factsRequest) (*factsResponse, error) {
	n := len(req.Add) + len(req.Remove) + len(req.Untrue)
	switch {
	case n == 0:
		return nil, problem.Bad("want facts or values to add or to remove, or facts to mark as not true")
	case n > s.Limits.Facts:
		return nil, problem.New("too_large", "the request has %d facts, over the limit of %d", n, s.Limits.Facts)
	}
	change := facts.Change{Key: key, New: req.New, Replace: req.Replace, By: req.By}
	if err := change.Check(); err != nil {
		return nil, problem.Bad("%w", err)
	}
	err := cmp.Or(readFacts("add", req.Add, &change.Add), readFacts("remove", req.Remove, &change.Remove), readFacts("untrue", req.Untrue, &change.Untrue))
	if err != nil {
		return nil, err
	}
	var done facts.Result
	var now model.Manifest
	err = s.host.WithStore(ctx, func(h *host.Model, store *facts.Store) (err error) {
		done, err = store.Apply(ctx, change)
		now = h.Now().Bundle().Manifest
		return err
	})
	var name *facts.NameError
	switch {
	case err == nil:
	case errors.Is(err, facts.ErrNoNew):
		return nil, problem.Bad("%w; send \"new\": true if it is new", err)
	case errors.As(err, &name):
		return nil, problem.Bad("%w", name)
	case errors.Is(err, facts.ErrTooLarge):
		return nil, problem.New("too_large", "%w", err)
	case errors.Is(err, facts.ErrKey):
		return nil, problem.New("key_reused", "%s: %w", KeyHeader, err)
	default:
		return nil, err
	}
	if !done.Repeated {
		s.Metrics.Facts.With("added").Add(done.Added)
		s.Metrics.Facts.With("removed").Add(done.Removed)
	}
	r := &factsResponse{Result: done, Facts: now.Triples}
	for _, a := range now.Attributes {
		r.Values += a.Values
	}
	return r, nil
}

// compactResponse is the outcome of a compaction.
type compactResponse struct {
	// Changes is the number of changes merged from the journal.
	Changes int `json:"changes"`
	// Facts is the new number of facts.
	Facts int `json:"facts"`
}

// CompactFacts merges the journal into the model's file, and answers from that file afterwards. Until the new file is
// in place, a client that disconnects cancels it.
func (s *Service) CompactFacts(r *http.Request) (any, error) {
	changes, err := s.host.Compact(r.Context())
	if err != nil {
		s.Log.Error("compaction failed", "error", err)
		return nil, err
	}
	done := &compactResponse{Changes: changes}
	return done, s.host.With(func(h *host.Model) error {
		done.Facts = h.Now().Bundle().Graph.NumTriples()
		return nil
	})
}

// readFacts parses facts of three names, or of two names and a number.
func readFacts(what string, list [][]any, into *[]facts.Fact) error {
	for i, parts := range list {
		if len(parts) != 3 {
			return problem.Bad("%s[%d] has %d names, want three: head, relation, tail", what, i, len(parts))
		}
		var f facts.Fact
		for k, part := range parts {
			number, isNumber := part.(json.Number)
			name, isName := part.(string)
			switch {
			case isNumber && k == 2:
				name = number.String()
			case !isName:
				return problem.Bad("%s[%d][%d] is no string; in place of a tail, a number is a value", what, i, k)
			}
			f[k] = name
		}
		*into = append(*into, f)
	}
	return nil
}
