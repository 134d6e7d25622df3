package shapes

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/shared"
)

// TestShardedCancelled cancels questions on a real graph in shards at random times: all ranks are
// free for the next one, whose answer has the bits of an undisturbed run. It logs how long the
// longest took to end.
func TestShardedCancelled(t *testing.T) {
	if testing.Short() {
		t.Skip("left out by -short: it opens a real graph")
	}
	g, times := long.Or(graphs[1], graphs[0]), long.Or(20, 2)
	var slots []map[string]int32
	for _, want := range shared.Goldens(t, shared.Dir(t, "data", "golden", g.name+".json")) {
		slots = append(slots, want.Slots)
	}
	split := inShards(t, openShared(t, g), 3)
	rng := rand.New(rand.NewPCG(19, 2))
	var longest time.Duration
	cancelled, asked := 0, 0
	for _, s := range lang.Shapes {
		for _, semantics := range model.AllSemantics {
			q, err := lang.ShapeQuery(s.Name)
			if err != nil {
				t.Fatal(err)
			}
			p, err := compiler.Prepare(split, q, compiler.PrepareOptions{Plans: Plans(), Semantics: &semantics})
			if err != nil {
				t.Fatal(err)
			}
			b := bind(p, shared.DrawSlots(rng, s.Formula, slots))
			start := time.Now()
			want, err := p.Query.Answer(t.Context(), b, query.Options{K: 10})
			if err != nil {
				t.Fatal(err)
			}
			took := time.Since(start)
			for range times {
				asked++
				ctx, cancel := context.WithCancel(t.Context())
				var at time.Time
				done := make(chan struct{})
				timer := time.AfterFunc(time.Duration(rng.Int64N(int64(took))), func() {
					at = time.Now()
					cancel()
					close(done)
				})
				_, err := p.Query.Answer(ctx, b, query.Options{K: 10})
				end := time.Now()
				if !timer.Stop() {
					<-done
				}
				cancel()
				if errors.Is(err, context.Canceled) {
					cancelled++
					longest = max(longest, end.Sub(at))
				} else if err != nil {
					t.Fatalf("%s by %s: %v", s.Name, semantics, err)
				}
				if got, err := p.Query.Answer(t.Context(), b, query.Options{K: 10}); err != nil || !reflect.DeepEqual(got, want) {
					t.Fatalf("%s by %s: after a question that was cancelled the answers are %+v, want %+v: %v", s.Name, semantics, got, want, err)
				}
			}
		}
	}
	t.Logf("%s: %d of %d questions were cancelled, the longest ended after %s", g.name, cancelled, asked, longest)
	if cancelled == 0 {
		t.Error("no question was cancelled")
	}
}
