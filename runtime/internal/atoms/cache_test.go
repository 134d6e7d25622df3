package atoms

import (
	"context"
	"testing"

	"github.com/efoc/efoc/runtime/internal/fuzzy"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// line is a model of entities in a row, each linked to the next, with embeddings that
// tell them apart.
func line(t *testing.T, n int) *model.Model {
	t.Helper()
	var facts []graph.Triple
	embeddings := make([]float32, 4*n)
	for e := range n {
		if e+1 < n {
			facts = append(facts, graph.Triple{Head: graph.EntityID(e), Relation: 0, Tail: graph.EntityID(e + 1)})
		}
		for i := range 4 {
			embeddings[4*e+i] = float32((e*7+i*3)%11) / 5
		}
	}
	m := modeltest.New(t, modeltest.Spec{
		Entities: n, Relations: 2, Facts: facts, Rank: 2, Rows: embeddings, RelationRows: []float32{1, 0, 0, 1, 0.5, 1, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0.5},
	})
	t.Cleanup(func() { m.Close() })
	return m
}

// requestFor returns a request for the rows of keys.
func requestFor(c *Cache, s scale, keys ...Key) *Request {
	return &Request{rows: c, scale: s, facts: c.model, ctx: context.Background(), Keys: keys}
}

// fetch returns the rows of keys.
func fetch(t *testing.T, c *Cache, s scale, keys ...Key) []*fuzzy.Set {
	t.Helper()
	r := requestFor(c, s, keys...)
	require.NoError(t, c.fetch([]*Request{r}))
	return r.Made
}

// TestBudget checks that rows are kept within the budget, those wanted last, and that
// they are what they would be without.
func TestBudget(t *testing.T) {
	m := line(t, 50)
	all, few := newCache(m, DefaultBudget), newCache(m, 3000)
	s := scale{threshold: 0.001, temperature: 1}
	for round := range 3 {
		for h := range int32(50) {
			keys := []Key{{H: h, R: graph.RelationID(round)}, {H: (h + 1) % 50}, {H: h, R: graph.RelationID(round)}}
			want, got := fetch(t, all, s, keys...), fetch(t, few, s, keys...)
			for i := range keys {
				for e := range int32(50) {
					if got[i].At(e) != want[i].At(e) {
						t.Fatalf("row %v: entity %d is %v, want %v", keys[i], e, got[i].At(e), want[i].At(e))
					}
				}
			}
			checkKept(t, few)
			if first := few.recent.Front().Value.(*entry).Key; first != keys[0] && first != keys[1] {
				t.Fatalf("the row wanted last is %v", first)
			}
		}
	}
	if len(all.kept) <= len(few.kept) {
		t.Errorf("%d rows are kept without a bound, %d with one", len(all.kept), len(few.kept))
	}
	all.SetBudget(2000)
	checkKept(t, all)
	all.Forget()
	if len(all.kept) != 0 || all.used != 0 {
		t.Errorf("%d rows in %d bytes are kept", len(all.kept), all.used)
	}
	all.SetBudget(0)
	if fetch(t, all, s, Key{H: 1, R: 0}); len(all.kept) != 0 {
		t.Error("a row is kept without memory for it")
	}
}

// checkKept checks the cache against its budget.
func checkKept(t *testing.T, c *Cache) {
	t.Helper()
	used := 0
	for _, e := range c.kept {
		used += e.bytes()
	}
	if used != c.used || used > c.most || len(c.kept) == 0 || len(c.kept) != c.recent.Len() {
		t.Fatalf("%d rows take %d bytes of %d, counted %d in %d", len(c.kept), used, c.most, c.used, c.recent.Len())
	}
}

// TestRow checks a row by hand: observed links have degree 1, the rest of the softmax
// is scaled by their number, capped and cut.
func TestRow(t *testing.T) {
	m := line(t, 3)
	row := fetch(t, newCache(m, 0), scale{temperature: 1}, Key{H: 1, R: 0})[0]
	if got := row.At(2); got != 1 {
		t.Errorf("an observed link has degree %v", got)
	}
	sum := row.At(0) + row.At(1)
	if sum <= 0 || sum >= 1 {
		t.Errorf("the others have %v of the softmax", sum)
	}
	cut := (row.At(0) + row.At(1)) / 2
	row = fetch(t, newCache(m, 0), scale{threshold: cut, temperature: 1}, Key{H: 1, R: 0})[0]
	if (row.At(0) == 0) == (row.At(1) == 0) {
		t.Errorf("of %v and %v the threshold %v leaves both or none", row.At(0), row.At(1), cut)
	}
}

// TestScales makes rows under more settings than the cache numbers, and compares those of the first settings, read
// again, with what no cache returns.
func TestScales(t *testing.T) {
	m := line(t, 3)
	c := newCache(m, DefaultBudget)
	x := Key{H: 1, R: 0}
	s := func(i int) scale { return scale{temperature: 1 + float32(i)/8} }
	for i := range mostScales + 2 {
		fetch(t, c, s(i), x)
	}
	if len(c.scales) > mostScales {
		t.Errorf("%d settings are numbered", len(c.scales))
	}
	for i := range 3 {
		got := fetch(t, c, s(i), x)[0]
		want := fetch(t, newCache(m, 0), s(i), x)[0]
		for e := range int32(3) {
			if got.At(e) != want.At(e) {
				t.Fatalf("under settings %d, entity %d has degree %v, want %v", i, e, got.At(e), want.At(e))
			}
		}
	}
}
