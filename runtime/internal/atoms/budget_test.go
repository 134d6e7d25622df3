package atoms

import (
	"errors"
	"testing"

	"github.com/efoc/efoc/runtime/internal/fuzzy"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// held adds up the memory of Rows, byte by byte: the cache, and the memory that counts for runs.
func held(c *Cache, read ...*Request) (kept int, running int64) {
	for _, e := range c.kept {
		kept += e.bytes()
	}
	for _, x := range c.aside {
		running += x.thing.(*maker).bytes()
	}
	seen := map[*entry]bool{}
	for _, r := range read {
		for _, e := range r.read {
			if c.kept[e.cacheKey] != e && !seen[e] {
				seen[e] = true
				running += int64(e.bytes())
			}
		}
	}
	return kept, running
}

// bytes is the memory of the large parts of a maker.
func (k *maker) bytes() int64 {
	bytes := fuzzy.NumberBytes*int64(cap(k.queries)+cap(k.scores)) + k.reading.Bytes()
	for i := range k.workers {
		bytes += fuzzy.NumberBytes * int64(cap(k.workers[i].ids)+cap(k.workers[i].degrees)+cap(k.workers[i].uncut))
	}
	return bytes
}

// checkHeld compares what Rows counts with what it holds. Room for workers that had
// nothing to do is counted too.
func checkHeld(t *testing.T, c *Cache, read ...*Request) {
	t.Helper()
	kept, running := held(c, read...)
	if kept != c.used {
		t.Errorf("rows that are kept take %d bytes, counted %d", kept, c.used)
	}
	idle := fuzzy.NumberBytes * int64(c.model.Pool().Size()) * 400 * 128
	if counted := c.Running(); running > counted || counted > running+idle*int64(len(c.aside)) {
		t.Errorf("runs take %d bytes, counted %d", running, counted)
	}
}

// keysOf are the keys of all rows of a relation.
func keysOf(n int, r graph.RelationID) (keys []Key) {
	for h := range int32(n) {
		keys = append(keys, Key{H: h, R: r})
	}
	return keys
}

// TestHeld has requests read rows that are kept, that are not, and that are dropped
// meanwhile: each counts once, in one of the budgets, as long as it is held.
func TestHeld(t *testing.T) {
	const n = 60
	m := line(t, n)
	s := scale{temperature: 1}
	for _, budget := range []int{0, 20_000, DefaultBudget} {
		c := newCache(m, budget)
		first, second := requestFor(c, s, keysOf(n, 0)...), requestFor(c, s, append(keysOf(n, 1), keysOf(n, 0)...)...)
		for _, r := range []*Request{first, second} {
			require.NoError(t, c.fetch([]*Request{r}))
			checkHeld(t, c, first, second)
		}
		for _, to := range []int{budget / 2, DefaultBudget} {
			c.SetBudget(to)
			checkHeld(t, c, first, second)
		}
		third := requestFor(c, s, keysOf(n, 1)...)
		require.NoError(t, c.fetch([]*Request{third}))
		checkHeld(t, c, first, second, third)
		c.Forget()
		checkHeld(t, c, first, second, third)
		for _, r := range []*Request{second, first, third} {
			c.release(r.read)
			r.read = nil
			checkHeld(t, c, first, second, third)
		}
		if c.dropAside(); c.Running() != 0 || c.Kept() != 0 {
			t.Errorf("%d bytes are counted for runs and %d for rows, there are none", c.Running(), c.Kept())
		}
	}
}

// TestMakeInBudget makes the rows of all entities with less and less memory: fewer at a
// time, and the same ones, until there is too little for one.
func TestMakeInBudget(t *testing.T) {
	const n = 400
	m := line(t, n)
	s := scale{threshold: 0.004, temperature: 1}
	rows := func(budget int64) ([]*fuzzy.Set, *Cache, error) {
		c := newCache(m, DefaultBudget)
		c.SetRunBudget(budget)
		r := requestFor(c, s, keysOf(n, 1)...)
		err := c.fetch([]*Request{r})
		if budget > 0 && c.Running() > budget {
			t.Errorf("with %d bytes, %d are counted", budget, c.Running())
		}
		checkHeld(t, c, r)
		c.release(r.read)
		return r.Made, c, err
	}
	want, c, err := rows(0)
	require.NoError(t, err)
	all := newMaker(m)
	if counted := c.Running(); counted < all.need(n) {
		t.Errorf("making %d rows counts %d bytes, it takes %d", n, counted, all.need(n))
	}
	for _, budget := range []int64{all.need(n), all.need(n / 3), all.need(16), all.need(1)} {
		got, _, err := rows(budget)
		if err != nil {
			t.Fatalf("with %d bytes: %v", budget, err)
		}
		for i := range want {
			for e := range int32(n) {
				if d := got[i].At(e) - want[i].At(e); d > 1e-6 || d < -1e-6 {
					t.Fatalf("with %d bytes the row of %d has %v for %d, want %v", budget, i, got[i].At(e), e, want[i].At(e))
				}
			}
		}
	}
	_, c, err = rows(all.need(1) - 1)
	var memory *MemoryError
	if !errors.As(err, &memory) || memory.Run != all.need(1) || memory.All != memory.Run || memory.Budget != memory.Run-1 {
		t.Errorf("without memory for a row the error is %+v", err)
	}
	if c.Running() != 0 {
		t.Errorf("%d bytes stay counted", c.Running())
	}
}

// TestMakePanic has making rows panic: nothing of the maker is used again, or counted.
func TestMakePanic(t *testing.T) {
	m := line(t, 30)
	c := newCache(m, DefaultBudget)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("it does not panic")
			}
		}()
		c.fetch([]*Request{requestFor(c, scale{temperature: 1}, Key{H: 1, R: 0}, Key{H: 2, R: 0}, Key{H: 1000, R: 0})})
	}()
	if len(c.aside) != 0 || c.Running() != 0 {
		t.Errorf("%d things are set aside, %d bytes counted", len(c.aside), c.Running())
	}
	if got := fetch(t, c, scale{temperature: 1}, Key{H: 1, R: 0})[0].At(2); got != 1 {
		t.Errorf("an observed link has degree %v afterwards", got)
	}
}
