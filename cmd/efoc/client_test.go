package main

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/client"
	"github.com/efoc/efoc/testdata/require"
)

// The generated client talks to this program: it asks, finds names, explains, changes facts with a token, and
// is told mistakes.
func TestClient(t *testing.T) {
	model := worldCopy(t)
	t.Setenv("EFOC_FACTS_TOKEN", "secret-of-the-facts")
	s := serve(t, "--model", model)
	c, err := client.NewClientWithResponses(s.url)
	require.NoError(t, err)
	ctx := t.Context()

	answers, err := c.AskWithResponse(ctx, client.Ask{Formula: new(`borders("Brazil", y) & official_language(y, "Spanish")`), K: new(3)})
	require.NoError(t, err)
	r, err := answers.JSON200.AsAnswers()
	require.NoError(t, err)
	if len(r.Answers) != 3 || r.Answers[0].Label != "Venezuela" || r.Answers[0].Status != client.AnswerStatusKnown || r.Next == nil {
		t.Errorf("answers: %s", answers.Body)
	}
	same, err := c.AskByFormulaWithResponse(ctx, &client.AskByFormulaParams{Formula: `capital("France", y)`, Status: &[]client.Wanted{client.WantedKnown}})
	require.NoError(t, err)
	r, err = same.JSON200.AsAnswers()
	require.NoError(t, err)
	if len(r.Answers) != 1 || r.Answers[0].Name != "Paris" {
		t.Errorf("answers: %s", same.Body)
	}
	pairs, err := c.AskWithResponse(ctx, client.Ask{Formula: new(`c, y: capital(c, y) & in_continent(c, "Europe")`), K: new(2)})
	require.NoError(t, err)
	if rows, err := pairs.JSON200.AsRows(); err != nil || len(rows.Variables) != 2 || len(rows.Rows) != 2 {
		t.Errorf("rows: %s: %v", pairs.Body, err)
	}
	said, err := c.AskWithResponse(ctx, client.Ask{Formula: new(`borders("France", "Spain")`)})
	require.NoError(t, err)
	if d, err := said.JSON200.AsDecision(); err != nil || !d.Verdict.Holds {
		t.Errorf("a decision: %s: %v", said.Body, err)
	}
	number, err := c.AskWithResponse(ctx, client.Ask{Formula: new(`borders("Brazil", y)`), Count: new(true)})
	require.NoError(t, err)
	if n, err := number.JSON200.AsTotal(); err != nil || n.Count.Known != 8 {
		t.Errorf("a total: %s: %v", number.Body, err)
	}
	wrong, err := c.AskWithResponse(ctx, client.Ask{Formula: new(`borders("Frence", y)`)})
	require.NoError(t, err)
	if e := wrong.JSONDefault; e == nil || wrong.StatusCode() != http.StatusNotFound || (*e.Error.Mistakes)[0].Column != 9 {
		t.Errorf("a mistake: %s", wrong.Body)
	}
	found, err := c.SearchWithResponse(ctx, &client.SearchParams{Q: new("Germny")})
	require.NoError(t, err)
	if found.JSON200 == nil || found.JSON200.Results[0].Name != "Germany" {
		t.Errorf("found: %s", found.Body)
	}
	// A path parameter with a slash in it reaches the server in one piece.
	entity, err := c.EntityWithResponse(ctx, "America/Sao_Paulo", &client.EntityParams{})
	require.NoError(t, err)
	if entity.JSON200 == nil || entity.JSON200.Name != "America/Sao_Paulo" {
		t.Errorf("an entity: %s", entity.Body)
	}
	fact := client.FactsJSONRequestBody{Add: &[]client.Fact{{"France", "borders", "Peru"}}}
	refused, err := c.FactsWithResponse(ctx, nil, fact)
	require.NoError(t, err)
	changed, err := c.FactsWithResponse(ctx, &client.FactsParams{IdempotencyKey: new("one")}, fact, func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer secret-of-the-facts")
		return nil
	})
	require.NoError(t, err)
	if refused.JSONDefault == nil || refused.StatusCode() != http.StatusUnauthorized || changed.JSON200 == nil || changed.JSON200.Added != 1 {
		t.Errorf("facts: %s, then %s", refused.Body, changed.Body)
	}
	report, err := c.ExplainFormulaWithResponse(ctx, &client.ExplainFormulaParams{Formula: `borders("France", y)`})
	require.NoError(t, err)
	if report.JSON200 == nil || report.JSON200.Shape == nil || !strings.Contains(*report.JSON200.Shape, "r1(s1,f)") {
		t.Errorf("report: %s", report.Body)
	}
}
