package plan

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/modeltest"
)

// TestMessage checks that a message is, to the bit, what its three ops compute.
func TestMessage(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	w := newTestWorkspace(modeltest.Random(t, rng, 300, 8, table.Float32), 4, 1)
	w.settings = model.Settings{Alpha: 2, Weight: 0.3, Epsilon: 1e-3}
	scores, links, got, want := w.Vector(0), w.Vector(1), w.Vector(2), w.Vector(3)
	for e := range scores {
		scores[e], links[e] = float32(rng.NormFloat64()), float32(rng.IntN(2))
	}
	w.Normalize(3, w.Blend(3, w.Softmax(3, 0), 1))
	if w.Message(2, 0, 1); !slices.Equal(got, want) {
		t.Errorf("the message is %v, want %v", got[:5], want[:5])
	}
	if w.Message(0, 0, 1); !slices.Equal(scores, want) {
		t.Errorf("the message over its scores is %v, want %v", scores[:5], want[:5])
	}
}

// TestErrorsStick checks that what reads the whole table does nothing after an error, and
// that the first error is the one that counts.
func TestErrorsStick(t *testing.T) {
	w := newTestWorkspace(modeltest.Random(t, rand.New(rand.NewPCG(3, 4)), 300, 8, table.Float32), 2, 2)
	first := errors.New("the first")
	w.Fail(first)
	w.Fail(errors.New("the second"))
	for i := range w.embeddings {
		w.embeddings[i][0] = 42
	}
	s := w.Sweep()
	s.Score(0, 0)
	s.Run()
	for e, v := range w.Vector(0) {
		if v != 0 {
			t.Fatalf("the sweep scored entity %d", e)
		}
	}
	w.OneHot(0, 1)
	s = w.Sweep()
	s.Embed(0, 0)
	s.Run()
	w.Correct(0, 0, Estimate{0, 1})
	w.Correct(0, 0, Estimate{0, 1}, Estimate{1, 1})
	if got := w.Embedding(0)[0]; got != 42 {
		t.Errorf("an embedding was written over: %v", got)
	}
	if w.Err() != first {
		t.Errorf("error is %v, want %v", w.Err(), first)
	}
}
