package api

import (
	"cmp"
	"context"
	"net/http"

	"github.com/efoc/efoc/cmd/internal/lookup"
	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/server/problem"
	"github.com/efoc/efoc/cmd/internal/server/transport"
	"github.com/efoc/efoc/runtime/pause"
)

// Bounds on the names that a search returns.
const (
	defaultFound = 10
	maxFound     = 100
)

// Search looks for names, which may be half typed or misspelt. Without a text it
// lists the relations with the most facts.
func (s *Service) Search(r *http.Request, h *host.Model) (any, error) {
	limit := new(defaultFound)
	given, err := transport.ReadParams(r, "q", "kind", "limit")
	if err = cmp.Or(err, given.Read("limit", &limit)); err != nil {
		return nil, err
	}
	results, err := s.lookUp(r.Context(), h, given["q"], given["kind"], *limit)
	return struct {
		Results []lookup.Found `json:"results"`
	}{results}, err
}

// lookUp finds entities and relations, as many of each as the limit says.
func (s *Service) lookUp(ctx context.Context, h *host.Model, text, kind string, limit int) ([]lookup.Found, error) {
	if err := checkFound(limit, kind); err != nil {
		return nil, err
	}
	if len(text) > s.Limits.Formula {
		return nil, problem.Bad("the name has %d bytes, over the limit of %d", len(text), s.Limits.Formula)
	}
	results := []lookup.Found{}
	err := s.host.Run(ctx, 0, func(ctx context.Context) error {
		for _, k := range []string{"entity", "relation"} {
			if err := pause.Here(ctx); err != nil {
				return err
			}
			if kind == "" || kind == k {
				results = append(results, lookup.Find(h.Now(), k, text, limit)...)
			}
		}
		return nil
	})
	return results, err
}

// checkFound checks what a search asks for.
func checkFound(limit int, kind string) error {
	switch {
	case limit < 1 || limit > maxFound:
		return problem.Bad("limit is %d, want 1 to %d", limit, maxFound)
	case kind != "" && kind != "entity" && kind != "relation":
		return problem.Bad("kind is %q, want entity or relation", kind)
	}
	return nil
}
