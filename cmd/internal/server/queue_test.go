package server

import (
	"math"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/cmd/internal/wanted"
)

// mustAsk asks a question, which must be answered.
func mustAsk(t *testing.T, hs *httptest.Server, req AskRequest) answersOf {
	t.Helper()
	status, text := call(t, hs, "POST", "/v1/ask", jsonText(t, req))
	if status != http.StatusOK {
		t.Errorf("%+v: status %d: %s", req, status, text)
		return answersOf{}
	}
	return unmarshal[answersOf](t, text)
}

// largeLayers make a query of two atoms one that does not run with others: each layer sends two
// messages for each atom.
const largeLayers = 40

// severalShapes are questions of different shapes, settings, semantics and numbers of answers.
func severalShapes() []AskRequest {
	three, seven := 3, 7
	list := []AskRequest{
		{Question: Question{Formula: spanish}},
		{Question: Question{Formula: `exists x. borders("Kenya", x) & capital(x, y)`}, Answers: wanted.Answers{K: three}},
		{Question: Question{Formula: `borders("France", y) & !borders("Spain", y)`}, Answers: wanted.Answers{K: seven}},
		{Question: Question{Formula: `borders("Chad", y) | borders("Peru", y)`}, NoStatus: true},
		{Question: Question{Formula: `exists x. borders("Japan", x) & borders(x, y)`, Settings: Settings{"layers": 5}}},
		{Question: Question{Formula: spanish, Settings: Settings{"lambda": 0.7}}, Sets: three},
	}
	for i, semantics := range []string{"nsmp", "fit", "mixed", "nsmp", "nsmp", "mixed"} {
		list[i].Semantics = semantics
	}
	return list
}

// TestShapesTogether checks that queries of any shapes run together, each with the answers that it has alone.
func TestShapesTogether(t *testing.T) {
	s, hs := start(t, Config{})
	requests := severalShapes()
	var alone []answersOf
	for _, r := range requests {
		alone = append(alone, mustAsk(t, hs, r))
	}
	goOn := s.stall(t, spanish)
	defer goOn()
	var wg sync.WaitGroup
	for i, r := range requests {
		wg.Go(func() {
			got, want := mustAsk(t, hs, r), alone[i]
			if got.Batch < 2 || len(got.Answers) == 0 || len(got.Answers) != len(want.Answers) || len(got.Sets) != len(want.Sets) {
				t.Errorf("%s ran with %d and is %+v, alone %+v", got.Query, got.Batch, got, want)
				return
			}
			for k, a := range want.Answers {
				if g := got.Answers[k]; math.Abs(g.Score-a.Score) > 1e-4*a.Score || (k < 3 && (g.Name != a.Name || g.Status != a.Status)) {
					t.Errorf("%s: answer %d is %+v with others, %+v alone", got.Query, k, g, a)
				}
			}
		})
	}
	until(t, "all run", func() bool { return s.jobs() == stalled+len(requests) })
	goOn()
	wg.Wait()
}

// TestLargeApart checks that work which would hold others up does not run with them: it is answered while the group
// stands still.
func TestLargeApart(t *testing.T) {
	s, hs := start(t, Config{})
	goOn := s.stall(t, spanish)
	defer goOn()
	var wg sync.WaitGroup
	for _, r := range severalShapes()[:2] {
		wg.Go(func() { mustAsk(t, hs, r) })
	}
	until(t, "a group runs", func() bool { return s.jobs() == stalled+2 })
	mustAsk(t, hs, AskRequest{Question: Question{Formula: spanish, Settings: Settings{"layers": largeLayers}}})
	if status, text := call(t, hs, "GET", "/v1/missing?entity=France", ""); status != http.StatusOK {
		t.Errorf("a search of missing facts: status %d: %s", status, text)
	}
	goOn()
	wg.Wait()
}

// TestSharedMemory checks that no more run together than there is memory for.
func TestSharedMemory(t *testing.T) {
	const each, fit, clients = 54_656, 4, 7
	s, hs := start(t, Config{Options: host.Options{Limits: Limits{Memory: (fit*each + each/2) * 4 / 3}}}) // a quarter is for smaller jobs
	goOn := s.stall(t, spanish)
	defer goOn()
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() { mustAsk(t, hs, AskRequest{Question: Question{Formula: spanish, Semantics: "nsmp"}}) })
	}
	until(t, "those run that there is memory for", func() bool { return s.jobs() == stalled+fit && s.waiting() == clients-fit })
	goOn()
	wg.Wait()
	until(t, "all have left", func() bool { return s.jobs() == 0 && s.taken().Running == 0 })
	s.occupy()() // all memory is free again
}
