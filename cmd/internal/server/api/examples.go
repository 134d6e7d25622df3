package api

import (
	"context"
	"net/http"
	"time"

	"github.com/efoc/efoc/cmd/internal/lookup"
	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/wanted"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/graph"
)

// Example is a question for the model, with answers that follow from its graph.
type Example struct {
	Title   string `json:"title"`
	Formula string `json:"formula"`
}

// WorldExamples are questions about the built-in model. Other models with the same names and facts get them too.
var WorldExamples = []Example{
	{Title: "Languages of France's neighbours, but not its own", Formula: `exists x. borders("France", x) & official_language(x, y) & !official_language("France", y)`},
	{Title: "Capitals of Brazil's neighbours that speak Spanish", Formula: `exists x. borders("Brazil", x) & official_language(x, "Spanish") & capital(x, y)`},
	{Title: "Money of the countries two borders from Switzerland", Formula: `exists a, b. borders("Switzerland", a) & borders(a, b) & currency(b, y)`},
	{Title: "Capitals of China's neighbours that are not Russia's", Formula: `exists x. borders("China", x) & !borders("Russia", x) & capital(x, y)`},
	{Title: "Who pays with Germany's currency outside Europe", Formula: `exists m. currency("Germany", m) & currency(y, m) & !in_continent(y, "Europe")`},
	{Title: "Neighbours of countries where Portuguese is spoken, officially or not", Formula: `exists x. (official_language(x, "Portuguese") | also_spoken(x, "Portuguese")) & borders(x, y)`},
	{Title: "Families of the languages written from right to left", Formula: `exists s, l. direction(s, "right to left") & script(l, s) & in_family(l, y)`},
	{Title: "Third corner of a triangle with France and a neighbour on the euro", Formula: `exists x. borders("France", x) & currency(x, "Euro") & borders(x, y) & borders("France", y)`},
}

// foundExamples are the examples of the model opened at a given time.
type foundExamples struct {
	since time.Time
	list  []Example
}

// MaxExamples bounds the examples for a model.
const MaxExamples = 8

// Examples lists questions for the model.
func (s *Service) Examples(r *http.Request, h *host.Model) (any, error) {
	found := s.examples.Load()
	if found == nil || !found.since.Equal(h.Since) {
		list, err := s.findExamples(r.Context(), h)
		if err != nil {
			return nil, err
		}
		found = &foundExamples{h.Since, list}
		s.examples.Store(found)
	}
	return struct {
		Examples []Example `json:"examples"`
	}{found.list}, nil
}

// findExamples returns the world examples with known answers, then some from the graph, which have answers by
// construction.
func (s *Service) findExamples(ctx context.Context, h *host.Model) ([]Example, error) {
	list := []Example{}
	for _, e := range WorldExamples {
		if _, err := s.host.Check(ctx, h, &host.Question{Formula: e.Formula}); err != nil {
			continue
		}
		r, err := s.answer(ctx, h, &AskRequest{Question: host.Question{Formula: e.Formula}, Answers: wanted.Answers{K: 1, AnswerFilter: wanted.AnswerFilter{Status: []string{"known"}}}})
		if err != nil {
			return nil, err
		}
		if len(r.Rows) > 0 {
			list = append(list, e)
		}
	}
	if len(list) < MaxExamples {
		err := s.host.Run(ctx, 0, func(context.Context) error {
			list = append(list, GraphExamples(h.Now())...)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	var sound []Example
	for _, e := range list {
		if _, err := s.host.Check(ctx, h, &host.Question{Formula: e.Formula}); err == nil && len(sound) < MaxExamples {
			sound = append(sound, e)
		}
	}
	return append([]Example{}, sound...), nil
}

// constant formats an entity as in a query.
func constant(m *runtime.Model, e graph.EntityID) string {
	return ast.Term{Kind: ast.Constant, Name: lookup.Describe(m, "entity", m.Bundle().Entities, int32(e)).Text}.String()
}
