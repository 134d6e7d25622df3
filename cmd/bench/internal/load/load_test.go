package load

import (
	"context"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/efoc/efoc/cmd/internal/server"
	"github.com/efoc/efoc/codegen/shapes"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/testdata/world"
)

// TestLoad puts load on a server that takes few queries at a time, with hostile
// clients beside, by every semantics: nothing is wrong and nothing fails, some are
// refused.
func TestLoad(t *testing.T) {
	for _, semantics := range model.AllSemantics {
		t.Run(semantics.String(), func(t *testing.T) { testLoad(t, semantics.String()) })
	}
}

func testLoad(t *testing.T, semantics string) {
	s, err := server.New(t.Context(), server.Config{
		Open:  func(context.Context) (*query.Model, error) { return world.Open() },
		Plans: shapes.Plans(), Limits: server.Limits{InFlight: 8, Batch: 8, Deadline: time.Minute},
	})
	if err != nil {
		t.Fatal(err)
	}
	hs := httptest.NewServer(s)
	defer func() {
		hs.Close()
		s.Close()
	}()
	target := &target{url: hs.URL, semantics: semantics}
	questions, err := target.questions(t.Context(), &Command{})
	if err != nil {
		t.Fatal(err)
	}
	if err := target.reference(t.Context(), questions); err != nil {
		t.Fatal(err)
	}
	for clients, hostile := range map[int]int{4: 0, 32: 2} {
		r, err := target.load(t.Context(), questions, work{clients: clients, hostile: hostile, length: 300 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		if r.rate == 0 || r.wrong > 0 || r.failed > 0 || (r.refused > 0) != (clients > 8) || r.resident == 0 {
			t.Errorf("%d clients: %+v", clients, r)
		}
		r.seconds, r.replies = nil, nil
		t.Logf("%d clients: %+v", clients, r)
	}
	// At a rate that is far below what it can do, all are answered.
	r, err := target.load(t.Context(), questions, work{clients: 4, rate: 100, length: 300 * time.Millisecond})
	if err != nil || r.wrong+r.failed+r.refused > 0 || len(r.seconds) == 0 || r.p50 <= 0 || r.server < 0 {
		t.Errorf("at a rate: %v, %+v", err, r)
	}
	// A wrong answer is noticed.
	questions[0].want[0] *= 2
	r, err = target.load(t.Context(), questions[:1], work{clients: 1, length: 500 * time.Millisecond})
	if err != nil || r.wrong == 0 || len(questions[0].want) == 0 {
		t.Errorf("%v, %+v", err, r)
	}
}
