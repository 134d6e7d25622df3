package load

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
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
	// The command asks at a share of what it reached, and writes what it asks for another program.
	if semantics == model.NSMP.String() {
		testCommand(t, hs.URL, questions)
	}
	if got := off(nil, []float64{1, 0, 3}, []float64{1, 0, 4}); !slices.Equal(got, []float64{0, 0, 0.25}) {
		t.Errorf("3 is off from 4 by %g", got)
	}
	// A wrong answer is noticed.
	questions[0].want[0] *= 2
	r, err = target.load(t.Context(), questions[:1], work{clients: 1, length: 500 * time.Millisecond})
	if err != nil || r.wrong == 0 || len(questions[0].want) == 0 {
		t.Errorf("%v, %+v", err, r)
	}
}

func testCommand(t *testing.T, url string, questions []question) {
	var table strings.Builder
	out := &cli.Output{Stdout: &table, Stderr: io.Discard}
	c := Command{URL: url, Semantics: model.NSMP.String(), Clients: cli.Counts{2}, Seconds: 0.2, Share: 0.5}
	if err := c.Run(t.Context(), out); err != nil || strings.Count(table.String(), "\n| 2") != 2 || !strings.Contains(table.String(), "\n| 200 |") {
		t.Errorf("%v, want a line for 2 clients and one for 200 connections:\n%s", err, &table)
	}
	c.Vegeta = filepath.Join(t.TempDir(), "targets.json")
	if err := c.Run(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(c.Vegeta)
	if err != nil {
		t.Fatal(err)
	}
	bodies := map[string]bool{}
	for line := range bytes.Lines(text) {
		var target struct {
			Method, URL string
			Body        []byte
			Header      http.Header
		}
		if err := json.Unmarshal(line, &target); err != nil || target.Method != "POST" || target.URL != url+"/v1/ask" || target.Header.Get("Content-Type") == "" {
			t.Errorf("%s: %v", line, err)
		}
		bodies[string(target.Body)] = true
	}
	for _, q := range questions {
		if !bodies[string(q.body)] {
			t.Errorf("%s is no target", q.body)
		}
	}
}

// TestJudge checks that with a table of codes a few answers may be off by more than most, and
// without one none may.
func TestJudge(t *testing.T) {
	q := &question{want: []float64{0.5}}
	tallyOf := func(near, far int, by string) []tally {
		var c tally
		for range near {
			c.replies = append(c.replies, reply{q, []byte(`{"answers":[{"score":0.5}]}`)})
		}
		for range far {
			c.replies = append(c.replies, reply{q, []byte(`{"answers":[{"score":` + by + `}]}`)})
		}
		return []tally{c}
	}
	for _, c := range []struct {
		near, far int
		by        string
		codes     bool
		wrong     int
	}{
		{100, 0, "", false, 0}, {99, 1, "0.505", true, 0}, {99, 1, "0.505", false, 1}, {990, 15, "0.505", true, 4},
		{99, 1, "0.6", true, 1}, {99, 1, `"x"`, true, 1}, {1, 0, "", true, 0}, {99, 1, "0.501", true, 0}, {0, 50, "0.501", true, 0},
	} {
		var o outcome
		if o.judge(tallyOf(c.near, c.far, c.by), c.codes); o.wrong != c.wrong {
			t.Errorf("%+v: %d are wrong", c, o.wrong)
		}
	}
}
