package api

import (
	"context"
	"net/http"
	"slices"

	"github.com/efoc/efoc/cmd/internal/lookup"
	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/server/problem"
)

// Search finds names similar to a text, which may be incomplete or misspelt. Without a text it lists the relations
// with the most facts.
func (s *Service) Search(r *http.Request, h *host.Model) (any, error) {
	req := lookup.Request{K: s.defaultK(lookup.DefaultK)}
	if err := s.read(r, &req, &req.K); err != nil {
		return nil, err
	}
	results, err := s.lookUp(r.Context(), h, &req)
	return struct {
		Results []lookup.Found `json:"results"`
	}{results}, err
}

// lookUp finds entities and relations.
func (s *Service) lookUp(ctx context.Context, h *host.Model, req *lookup.Request) (found []lookup.Found, err error) {
	if err := s.checkLookup(req); err != nil {
		return nil, err
	}
	err = s.host.Run(ctx, 0, func(ctx context.Context) error {
		found, err = req.Find(ctx, h.Now())
		return err
	})
	return found, err
}

// checkLookup checks a request for a name.
func (s *Service) checkLookup(req *lookup.Request) error {
	if len(req.Name) > s.Limits.Formula {
		return problem.Bad("the name has %d bytes, over the limit of %d", len(req.Name), s.Limits.Formula)
	}
	if !slices.Contains([]string{"", "entity", "relation"}, req.Kind) {
		return problem.Bad("kind is %q, want entity or relation", req.Kind)
	}
	return s.checkK(req.K)
}

// defaultK returns the number of results of a request that does not name one.
func (s *Service) defaultK(usual int) int { return min(usual, s.Limits.K) }

// checkK bounds the number of results of a request.
func (s *Service) checkK(k int) error {
	if k < 1 || k > s.Limits.K {
		return problem.Bad("k is %d, want 1 to %d", k, s.Limits.K)
	}
	return nil
}
