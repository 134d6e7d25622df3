package plan

import (
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// TestAccess checks the access to tables of many sizes, by caches of 2 MB and of 512 kB.
func TestAccess(t *testing.T) {
	const kB = 1 << 10
	coded := func(n, width int) tableSize { return tableSize{n, width, 4 * n * width, n * (width + 4)} }
	floats := func(n, width int) tableSize { return tableSize{n, width, 4 * n * width, 0} }
	codes := Access{}
	large := Access{Estimates: true, Bounds: true}
	largeFloats := Access{Floats: true, Estimates: true, Bounds: true}
	for _, c := range []struct {
		size         tableSize
		wide, narrow Access
		coordinates  bool
	}{
		{coded(273, 64), Exact, Exact, false},
		{floats(2192, 128), Exact, largeFloats, true},
		{coded(4000, 128), codes, codes, false},
		{coded(12_000, 128), codes, large, false},
		{tableSize{4000, 128, 0, 4000 * 132}, codes, codes, false},
		{coded(1100, 1024), codes, Access{Estimates: true}, false}, // moments are as long as codes
		{floats(4000, 128), Exact, largeFloats, true},
		{floats(9000, 128), largeFloats, largeFloats, true},
		{coded(14_505, 512), large, large, true},
		{coded(1_000_000, 128), large, large, true},
		{coded(10_000_000, 256), large, large, true},
		{coded(20_000_000, 256), large, large, false}, // coordinates take too much memory
		{coded(1_000_000, 64), large, large, false},   // coordinates are longer than half the codes
	} {
		if got := c.size.access(2 << 20); got != c.wide {
			t.Errorf("%+v: with a cache of 2 MB: %v, want %v", c.size, got, c.wide)
		}
		if got := c.size.access(512 * kB); got != c.narrow {
			t.Errorf("%+v: with a cache of 512 kB: %v, want %v", c.size, got, c.narrow)
		}
		if got := c.size.coordinates(); got != c.coordinates {
			t.Errorf("%+v: coordinates pay: %v", c.size, got)
		}
	}
}

// TestHelpers checks that a question gets no help with a table that the cache holds, and otherwise a thread for each
// cache that the table fills.
func TestHelpers(t *testing.T) {
	for rows, want := range map[int]int{1000: 0, 1023: 0, 1024: 1, 2047: 1, 5000: 4} {
		size := tableSize{rows, 128, 4 * 128 * rows, 0}
		if got := size.helpers(Exact, 512<<10); got != want {
			t.Errorf("%d rows: %d helpers, want %d", rows, got, want)
		}
	}
}

// TestTilesAlone checks that a question whose plan loops over tiles wakes no helper, which would poll in vain.
func TestTilesAlone(t *testing.T) {
	const rank = 64
	rows := simd.CacheSize()/(2*rank*numberBytes) + 1
	m := modeltest.Random(t, rand.New(rand.NewPCG(3, 8)), rows, rank, table.Float32)
	host := Host{m, NewShared(m, nil)}
	host.Use(Exact)
	ran := false
	p := &Plan{Vectors: 1, Small: func(w *Workspace) error {
		ran = true
		if w.Workers != nil {
			t.Error("loops over tiles have helpers")
		}
		w.SetAnswer(0)
		return nil
	}}
	x := NewExecutor(host, p)
	err := x.Run(t.Context(), scq.Bindings{}, model.DefaultSettings(), nil, 1, false, func(*Workspace) error { return nil })
	if err != nil || !ran {
		t.Errorf("ran: %v, error %v", ran, err)
	}
}

// TestManyBest checks that truth degrees are made from codes for few answers, and from exact rows for many.
func TestManyBest(t *testing.T) {
	const entities = 400
	s := model.DefaultSettings()
	s.Degrees = s.Degrees.OrDefault()
	_, m := modeltest.Coded(t, entities, 64, 0.3)
	host := Host{m, NewShared(m, nil)}
	host.Use(Access{Estimates: true, Bounds: true})
	for k, want := range map[int]bool{1: true, 10: true, entities / 8: false, entities: false, 2 * entities: false, 0: false} {
		p := &Plan{Vectors: 1, Run: func(w *Workspace) error {
			if got := w.StartDegrees().ReadsCodes(); got != want {
				t.Errorf("%d answers: codes are read: %v, want %v", k, got, want)
			}
			w.SetAnswer(0)
			return nil
		}}
		x := NewExecutor(host, p)
		err := x.Run(t.Context(), scq.Bindings{}, s, nil, k, false, func(*Workspace) error { return nil })
		require.NoError(t, err)
	}
}

// TestUse checks that models that get more entities keep the access that was set.
func TestUse(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 4))
	host := NewShared(modeltest.Random(t, rng, 100, 8, table.Float32), nil)
	larger := modeltest.Random(t, rng, 101, 8, table.Float32)
	if got := host.Access(); got != Exact || host.For(larger).Access() != got {
		t.Errorf("the access is %v, and %v with more entities", got, host.For(larger).Access())
	}
	set := Access{Floats: true, Estimates: true, Bounds: true}
	host.Use(set)
	if got := host.For(larger); got.Access() != set || got.readouts.get() == nil {
		t.Errorf("the access that was set is %v with more entities", got.Access())
	}
}
