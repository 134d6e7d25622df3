package server

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// TestPlanPanic answers questions of one shape with a plan that panics for one country:
// its requests alone fail, with an id under which the log has the stack, alone and
// among others, and the server goes on.
func TestPlanPanic(t *testing.T) {
	var log bytes.Buffer
	m, err := openWorld(t.Context())
	require.NoError(t, err)
	defer m.Close()
	bad, err := m.Bundle().FindEntity("France")
	require.NoError(t, err)
	wrong := &plan.Plan{
		ABI: plan.ABI, Shape: "r1(s1,f)", Semantics: model.NSMP, Constants: 1, Relations: 1, Vectors: 1, Embeddings: 1,
		Disjuncts: []scq.Disjunct{{Variables: []string{"f"}, Atoms: []scq.Atom{{Head: scq.Const(0), Tail: scq.Var(0)}}}},
		Run: func(w *plan.Workspace) error {
			w.Model().Pool().Each(100, func(_, i int) {
				if w.Constant(0) == graph.EntityID(bad) {
					panic("a plan that is wrong")
				}
			})
			w.Neighbors(0, w.Constant(0), w.Relation(0), graph.Forward)
			w.SetAnswer(0)
			return nil
		},
	}
	s, hs := start(t, Config{Options: host.Options{Plans: []*plan.Plan{wrong}, Semantics: new(model.NSMP), Log: slog.New(slog.NewTextHandler(&log, nil))}})
	ask := func(country string) (int, string) {
		return call(t, hs, "GET", "/v1/ask?semantics=nsmp&formula="+url.QueryEscape(fmt.Sprintf("borders(%q, y)", country)), "")
	}
	check := func(country string) {
		status, text := ask(country)
		if country != "France" {
			if got := unmarshal[answersOf](t, text); status != http.StatusOK || got.Answers[0].Score != 1 {
				t.Errorf("%s: status %d: %s", country, status, text)
			}
			return
		}
		got := unmarshal[internal](t, text).Error
		if status != http.StatusInternalServerError || got.Code != "internal" || got.ID == "" || strings.Contains(text, "wrong") {
			t.Errorf("%s: status %d: %s", country, status, text)
		}
	}
	for range 3 {
		check("France")
		check("Kenya")
		goOn := s.stall(t, spanish)
		var wg sync.WaitGroup
		countries := []string{"Kenya", "France", "Spain", "France", "Brazil"}
		for _, country := range countries {
			wg.Go(func() { check(country) })
		}
		until(t, "those run that do not panic", func() bool { return s.jobs() == stalled+3 })
		goOn()
		wg.Wait()
	}
	status, text := call(t, hs, "POST", "/v1/batch", `{"queries":[{"formula":"borders(\"France\", y)","semantics":"nsmp"},{"formula":"borders(\"Kenya\", y)","semantics":"nsmp"}]}`)
	if status != http.StatusOK || !strings.Contains(text, `"code":"internal"`) || !strings.Contains(text, `"answers"`) {
		t.Errorf("a batch: status %d: %s", status, text)
	}
	hs.Close() // the log is complete then
	if text := log.String(); !strings.Contains(text, "a plan that is wrong") || !strings.Contains(text, "panic_test.go") {
		t.Errorf("the log has no stack: %.2000s", text)
	}
}

// openWide opens a model of three million entities, few of which have facts.
func openWide(context.Context) (*runtime.Model, error) {
	m, err := modeltest.Spec{
		Entities: 3_000_000, RelationNames: []string{"r"}, RelationRows: []float32{1, 0, 1, 0},
		Facts: []graph.Triple{{Head: 0, Tail: 1}, {Head: 1, Tail: 2}, {Head: 2, Tail: 3}, {Head: 1, Tail: 3}},
	}.Model()
	if err != nil {
		return nil, err
	}
	return runtime.NewModel(m), nil
}

// TestWideCycle asks about a cycle in a wide graph with the limits that are standard:
// what a query takes is metered, and this one takes little. With less memory it is
// refused, and told of the flag.
func TestWideCycle(t *testing.T) {
	for _, semantics := range long.Or([]string{"fit", "mixed"}, []string{"mixed"}) {
		question := jsonText(t, AskRequest{Question: Question{
			Formula: `exists a, b. r("0", a) & r(a, b) & r(b, y) & r(a, y)`, Semantics: semantics,
		}})
		for memory, want := range map[int64]int{0: http.StatusOK, 40 << 20: http.StatusUnprocessableEntity, 64 << 10: http.StatusUnprocessableEntity} {
			_, hs := start(t, Config{Options: host.Options{Open: openWide, Limits: Limits{Memory: memory}}})
			status, text := call(t, hs, "POST", "/v1/ask", question)
			switch {
			case status != want:
				t.Errorf("%s with %d bytes: status %d, want %d: %s", semantics, memory, status, want, text)
			case want == http.StatusOK && unmarshal[answersOf](t, text).Answers[0].Name != "3":
				t.Errorf("%s: the answer is %.300s", semantics, text)
			case want != http.StatusOK && (!strings.Contains(text, "--max memory") || !strings.Contains(text, "too_costly")):
				t.Errorf("%s: it is refused with %s", semantics, text)
			}
		}
	}
}
