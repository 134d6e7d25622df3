package stated_test

import (
	"encoding/json"
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"sync"
	"testing"

	"github.com/efoc/efoc/cmd/internal/stated"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// marks are the marks of assumptions, and of the authors of facts, in a reply.
var marks = regexp.MustCompile(`,"assumed":true|,"added":\{[^}]*\}`)

// alike reports whether two replies are equal except for marks and for rounding in their numbers: rows of truth degrees
// may be derived from those without the assumptions.
func alike(t *testing.T, a, b string) bool {
	t.Helper()
	var values [2]any
	for i, reply := range []string{a, b} {
		require.NoError(t, json.Unmarshal([]byte(marks.ReplaceAllString(reply, "")), &values[i]))
	}
	return near(values[0], values[1])
}

// near compares decoded JSON.
func near(a, b any) bool {
	switch a := a.(type) {
	case float64:
		b, is := b.(float64)
		return is && math.Abs(a-b) <= 1e-6+1e-5*math.Abs(b)
	case []any:
		b, is := b.([]any)
		return is && slices.EqualFunc(a, b, near)
	case map[string]any:
		b, is := b.(map[string]any)
		return is && maps.EqualFunc(a, b, near)
	}
	return a == b
}

// TestAssumeTogether asks questions under assumptions and without any at once, on one model. The replies are those of
// models that are asked nothing else.
func TestAssumeTogether(t *testing.T) {
	const askers = 4
	rng := rand.New(rand.NewPCG(seed.Of(t), 59))
	g, path := draw(t, rng)
	var assumptions [askers][]string
	var want [askers][]string
	for i := range askers {
		if i > 0 {
			assumptions[i], _, _ = g.assumed(rng)
		}
		if i%2 == 1 {
			assumptions[i] = append(assumptions[i], `r("e1", "fresh") & s("another", "e2")`)
		}
		for _, q := range questions {
			alone, _, err := stated.Assume(t.Context(), open(t, path), assumptions[i], nil)
			require.NoError(t, err)
			want[i] = append(want[i], text(t, ask(t, alone, q.formula, q.count, model.Mixed)))
		}
	}
	m := open(t, path)
	var wg sync.WaitGroup
	for i := range askers {
		wg.Go(func() {
			for k := range 3 * len(questions) {
				q := &questions[k%len(questions)]
				at, _, err := stated.Assume(t.Context(), m, assumptions[i], nil)
				if err != nil {
					t.Error(err)
					return
				}
				if got := text(t, ask(t, at, q.formula, q.count, model.Mixed)); !alike(t, got, want[i][k%len(questions)]) {
					t.Errorf("%s under %q:\n%s\nalone\n%s", q.formula, assumptions[i], got, want[i][k%len(questions)])
				}
				at.Bundle().GiveBack()
			}
		})
	}
	wg.Wait()
}
