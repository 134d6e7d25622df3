package server

import (
	"context"
	"errors"
	"net/http"

	"github.com/efoc/efoc/runtime/facts"
	"github.com/efoc/efoc/runtime/model"
)

// factsRequest changes facts, all or none. Each is the names of its head, relation and tail.
type factsRequest struct {
	Add    [][]string `json:"add"`
	Remove [][]string `json:"remove"`
	// New takes names of entities that the model lacks, in facts to be added, for new ones.
	New bool `json:"new"`
}

// factsResponse says what a change came to.
type factsResponse struct {
	facts.Result
	// Facts is how many there are now.
	Facts int `json:"facts"`
}

// keyHeader names the change that a request makes, so that it is made once.
const keyHeader = "Idempotency-Key"

// mayChange lets only clients with the token for facts through, and nobody if there is none.
func (s *Server) mayChange(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.FactsToken == "" {
			s.refuse(w, r, refused(http.StatusForbidden, "facts_fixed", "this server does not change facts: start it with --facts-token-file, and send that token"))
			return
		}
		if !bears(r, s.FactsToken) {
			w.Header().Set("WWW-Authenticate", `Bearer realm="efoc facts"`)
			s.refuse(w, r, refused(http.StatusUnauthorized, "unauthorized", "want the header Authorization: Bearer with the server's token for facts, which is another than that for questions"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// changeFacts adds and removes facts. It answers once they are on the disk.
func (s *Server) changeFacts(r *http.Request, h *loaded) (any, error) {
	var req factsRequest
	if err := decode(r, &req); err != nil {
		return nil, err
	}
	return s.change(r.Context(), h, r.Header.Get(keyHeader), &req)
}

// change adds and removes facts, once for a key that is not empty.
func (s *Server) change(ctx context.Context, h *loaded, key string, req *factsRequest) (*factsResponse, error) {
	n := len(req.Add) + len(req.Remove)
	switch {
	case n == 0:
		return nil, badRequest("want facts to add or to remove")
	case n > s.Limits.Facts:
		return nil, refused(http.StatusRequestEntityTooLarge, "too_large", "the request has %d facts, over the limit of %d", n, s.Limits.Facts)
	}
	if len(key) > facts.MaxKey {
		return nil, badRequest("%s has %d bytes, want at most %d", keyHeader, len(key), facts.MaxKey)
	}
	add, err := readFacts("add", req.Add)
	if err != nil {
		return nil, err
	}
	remove, err := readFacts("remove", req.Remove)
	if err != nil {
		return nil, err
	}
	change := s.store(h).Change
	if req.New {
		change = s.store(h).Enter
	}
	done, err := change(ctx, key, add, remove)
	var name *facts.NameError
	switch {
	case err == nil:
	case errors.As(err, &name):
		return nil, unknownFact(name)
	case errors.Is(err, facts.ErrKey):
		return nil, refused(http.StatusUnprocessableEntity, "key_reused", "%s: %w", keyHeader, err)
	case errors.Is(err, facts.ErrClosed):
		return nil, refused(http.StatusServiceUnavailable, "reloading", "the model is being reloaded: send this again")
	default:
		return nil, err
	}
	if !done.Repeated {
		s.metrics.facts.WithLabelValues("added").Add(float64(done.Added))
		s.metrics.facts.WithLabelValues("removed").Add(float64(done.Removed))
	}
	return &factsResponse{done, h.model.Now().Graph.NumTriples()}, nil
}

// readFacts reads facts of three names.
func readFacts(what string, list [][]string) ([]facts.Fact, error) {
	all := make([]facts.Fact, len(list))
	for i, names := range list {
		if len(names) != 3 {
			return nil, badRequest("fact %d to %s has %d names, want three: head, relation, tail", i+1, what, len(names))
		}
		all[i] = facts.Fact(names)
	}
	return all, nil
}

// unknownFact is the error for a fact of names that the model lacks.
func unknownFact(err *facts.NameError) error {
	var unknown *model.UnknownNameError
	if errors.As(err, &unknown) {
		return &problem{Status: http.StatusNotFound, Code: "unknown_name", Message: err.Error(), Suggestions: unknown.Nearest}
	}
	return badRequest("%w", err)
}

// store returns what changes the facts of a model in use.
func (s *Server) store(h *loaded) *facts.Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	return h.facts
}

// openFacts has the facts of a model changed from now on, no longer those of the one before,
// if there is one. If that fails the one before is changed again.
func (s *Server) openFacts(next, before *loaded) error {
	if !s.changesFacts() {
		return nil
	}
	if before != nil {
		if err := s.store(before).Close(); err != nil {
			return err
		}
	}
	store, err := facts.Open(s.File, next.model)
	if err == nil {
		next.facts = store
		return nil
	}
	if before != nil {
		again, why := facts.Open(s.File, before.model)
		if why != nil {
			return errors.Join(err, why)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		before.facts = again
	}
	return err
}
