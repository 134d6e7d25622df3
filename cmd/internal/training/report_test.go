package training

import (
	"math"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model/train"
)

// TestGivenRelations checks that relations are predicted from rank 512 on in graphs like FB15k-237, not in
// those like NELL995, and as is given in all.
func TestGivenRelations(t *testing.T) {
	for _, c := range []struct {
		entities, facts, rank int
		given                 *float64
		want                  float64
	}{
		{14_505, 272_115, 256, nil, 0}, {14_505, 272_115, 512, nil, 4}, {14_505, 272_115, 1000, new(0.0), 0},
		{63_361, 114_213, 1000, nil, 0}, {63_361, 114_213, 1000, new(2.0), 2}, {2_000, 6_000, 512, nil, 1},
	} {
		given := &Given{Rank: &c.rank, Relations: c.given}
		if o, _ := given.options(c.entities, c.facts); o.Relations != c.want || o.Rank != c.rank {
			t.Errorf("%+v: weight %v at rank %d", c, o.Relations, o.Rank)
		}
	}
}

// TestMeaning expects the line that says what a model is worth, and what to do about one that is no
// better than counting.
func TestMeaning(t *testing.T) {
	r := &Report{Valid: &train.Metrics{MRR: 0.5, Hits10: 0.612}, Counting: &train.Metrics{MRR: 0.2, Hits10: 0.318}}
	if got, want := r.Meaning(), "good: a missing fact is among the ten best answers in 61% of cases (counting: 32%)\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if text := r.Weak(); text != "" {
		t.Errorf("a good model is weak: %s", text)
	}
	r.Counting.MRR = math.Nextafter(r.Valid.MRR, 1)
	if text := r.Weak(); !strings.Contains(text, "train longer, by a greater --budget") || !strings.HasPrefix(r.Meaning(), "poor: ") {
		t.Errorf("a model below counting: %q, %q", text, r.Meaning())
	}
	if got := (&Report{}).Meaning(); got != "" {
		t.Errorf("without validation facts: %q", got)
	}
}
