package server

import (
	"math"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/efoc/efoc/runtime/model"
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
		{Question: Question{Formula: `exists x. borders("Kenya", x) & capital(x, y)`}, K: &three},
		{Question: Question{Formula: `borders("France", y) & !borders("Spain", y)`}, K: &seven},
		{Question: Question{Formula: `borders("Chad", y) | borders("Peru", y)`}, NoStatus: true},
		{Question: Question{Formula: `exists x. borders("Japan", x) & borders(x, y)`, Settings: Settings{"layers": 5}}},
		{Question: Question{Formula: spanish, Settings: Settings{"lambda": 0.7}}, Sets: &three},
	}
	for i, semantics := range []string{"nsmp", "fit", "mixed", "nsmp", "nsmp", "mixed"} {
		list[i].Semantics = semantics
	}
	return list
}

// TestShapesTogether checks that queries of any shapes that wait run together, each with the
// answers that it has alone.
func TestShapesTogether(t *testing.T) {
	s, hs := start(t, Config{})
	requests := severalShapes()
	var alone []answersOf
	for _, r := range requests {
		alone = append(alone, mustAsk(t, hs, r))
	}
	free := s.occupy()
	defer free()
	var wg sync.WaitGroup
	for i, r := range requests {
		wg.Go(func() {
			got, want := mustAsk(t, hs, r), alone[i]
			if got.Batch != len(requests) || len(got.Answers) == 0 || len(got.Answers) != len(want.Answers) || len(got.Sets) != len(want.Sets) {
				t.Errorf("%s ran with %d, want %d, and is %+v, alone %+v", got.Query, got.Batch, len(requests), got, want)
				return
			}
			for k, a := range want.Answers {
				if g := got.Answers[k]; math.Abs(g.Score-a.Score) > 1e-4*a.Score || (k < 3 && (g.Name != a.Name || g.Status != a.Status)) {
					t.Errorf("%s: answer %d is %+v with others, %+v alone", got.Query, k, g, a)
				}
			}
		})
	}
	until(t, "all wait", func() bool { return s.waiting() == len(requests) })
	free()
	wg.Wait()
}

// TestKindsTogether has questions of every kind wait: all of them but a search of ways are of one group.
func TestKindsTogether(t *testing.T) {
	s, hs := start(t, Config{Limits: Limits{Running: 1}})
	requests := heavyRequests()
	for _, apart := range []string{"connect", "large"} {
		delete(requests, apart)
	}
	free, goOn := s.occupy(), s.stall(t, spanish)
	defer free()
	defer goOn()
	var wg sync.WaitGroup
	for name, r := range requests {
		method := "GET"
		if r[1] != "" {
			method = "POST"
		}
		wg.Go(func() {
			if status, text := call(t, hs, method, r[0], r[1]); status != http.StatusOK {
				t.Errorf("%s: status %d: %.300s", name, status, text)
			}
		})
	}
	until(t, "all wait", func() bool { return s.waiting() == len(requests) })
	free()
	until(t, "all are in the group", func() bool { n, _, _ := s.group(); return n == len(requests) })
	goOn()
	wg.Wait()
}

// TestReadFirst has questions come while nothing runs, on one processor: those that have come
// are read before the first of them is answered, so that they run together.
func TestReadFirst(t *testing.T) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(1))
	s, _ := start(t, Config{Semantics: new(model.NSMP), Limits: Limits{Running: 1}})
	ask := s.asker(t, spanish)
	const questions = 8
	together := func() bool {
		var sizes [questions]int
		var wg sync.WaitGroup
		for i := range sizes {
			wg.Go(func() { sizes[i] = ask() })
		}
		wg.Wait()
		return slices.Min(sizes[:]) == questions
	}
	// A goroutine may lose its turn to a busy machine; without reading first one of them is
	// always alone.
	for try := 1; !together() && !t.Failed(); try++ {
		if try == 20 {
			t.Fatal("the questions never ran together")
		}
	}
}

// TestTurns has a server that runs one batch at a time answer a group, which further
// queries join until a large one, which cannot, has waited for its turn.
func TestTurns(t *testing.T) {
	s, hs := start(t, Config{Limits: Limits{Running: 1}})
	requests := severalShapes()
	free, goOn := s.occupy(), s.stall(t, spanish)
	defer free()
	defer goOn()
	var wg sync.WaitGroup
	ask := func(r AskRequest, batch int) {
		wg.Go(func() {
			if got := mustAsk(t, hs, r); got.Batch != batch {
				t.Errorf("%s ran with %d, want %d", got.Query, got.Batch, batch)
			}
		})
	}
	group := func(members int) {
		until(t, "all are in the group", func() bool { n, since, _ := s.group(); return n == members && since > groupSlice })
	}
	ask(requests[0], 2)
	ask(requests[1], 2)
	until(t, "two wait", func() bool { return s.waiting() == 2 })
	free()
	group(2)
	ask(requests[2], 3)
	group(3)
	ask(AskRequest{Question: Question{Formula: spanish, Settings: Settings{"layers": largeLayers}}}, 1)
	until(t, "one waits for its turn", func() bool { return s.turn() == 1 })
	ask(requests[3], 1)
	until(t, "one comes after it", func() bool { return s.waiting() == 1 })
	if n, _, _ := s.group(); n != 3 {
		t.Errorf("%d are in the group, want 3", n)
	}
	goOn()
	wg.Wait()
}

// TestSharedMemory checks that no more run together than there is memory for.
func TestSharedMemory(t *testing.T) {
	const each, fit, clients = 54_656, 4, 7
	s, hs := start(t, Config{Limits: Limits{Running: 1, Memory: 2 * (fit*each + each/2)}})
	free, goOn := s.occupy(), s.stall(t, spanish)
	defer free()
	defer goOn()
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() { mustAsk(t, hs, AskRequest{Question: Question{Formula: spanish, Semantics: "nsmp"}}) })
	}
	until(t, "all wait", func() bool { return s.waiting() == clients })
	free()
	until(t, "those run that there is memory for", func() bool { n, _, _ := s.group(); return n == fit && s.waiting() == clients-fit })
	goOn()
	wg.Wait()
	until(t, "all have left", func() bool { n, _, _ := s.group(); return n == 0 && s.taken().Running == 0 })
	if _, _, got := s.group(); got != s.room() {
		t.Errorf("after them there is room for %+v, want %+v", got, s.room())
	}
}

// TestMemoryApart has queries run together that need more memory than there is, though there is
// enough for each: those for which there is not enough are answered again, one after the other.
func TestMemoryApart(t *testing.T) {
	const clients = 6
	s, hs := start(t, Config{Limits: Limits{Running: 1, Memory: 16 << 20}})
	free := s.occupy()
	defer free()
	var wg sync.WaitGroup
	var alone atomic.Int64
	for range clients {
		wg.Go(func() {
			formula := `exists a, b, c. borders("China", a) & borders(a, b) & borders(b, c) & borders(c, y) & !borders(a, c) & !borders(a, y) & !borders(b, y)`
			if got := mustAsk(t, hs, AskRequest{Question: Question{Formula: formula, Semantics: "fit"}}); got.Batch == 1 {
				alone.Add(1)
			}
		})
	}
	until(t, "all wait", func() bool { return s.waiting() == clients })
	free()
	wg.Wait()
	until(t, "all have left", func() bool { n, _, _ := s.group(); return n == 0 && s.taken().Running == 0 })
	if alone.Load() == 0 {
		t.Error("there was enough memory for all")
	}
}

// TestLargeApart checks that a query whose passes would hold the others up does not run with
// them: it is answered while the group stands still.
func TestLargeApart(t *testing.T) {
	s, hs := start(t, Config{Limits: Limits{Running: 2}})
	free, goOn := s.occupy(), s.stall(t, spanish)
	defer free()
	defer goOn()
	var wg sync.WaitGroup
	for _, r := range severalShapes()[:2] {
		wg.Go(func() { mustAsk(t, hs, r) })
	}
	until(t, "two wait", func() bool { return s.waiting() == 2 })
	free()
	until(t, "a group runs", func() bool { n, _, _ := s.group(); return n == 2 })
	if got := mustAsk(t, hs, AskRequest{Question: Question{Formula: spanish, Settings: Settings{"layers": largeLayers}}}); got.Batch != 1 {
		t.Errorf("a query of 160 messages ran with %d", got.Batch)
	}
	goOn()
	wg.Wait()
}
