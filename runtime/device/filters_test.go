package device

import (
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/model/values"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/require"
)

// writer counts writes.
type writer struct {
	*fake
	writes int
}

func (w *writer) Write(to cuda.Pointer, from []byte) error {
	w.writes++
	return w.fake.Write(to, from)
}

// TestFilters checks that the different filters of a batch come to the device once, that queries name them by
// number, and that a later batch writes only the filters that are not there yet.
func TestFilters(t *testing.T) {
	w := &writer{fake: newFake()}
	d, err := Open(func() (cuda.Driver, error) { return w, nil }, Tuning{TopThreads: 32})
	require.NoError(t, err)
	t.Cleanup(func() { d.Close() })
	m := valued(t, "size", values.EntityValue{Entity: 2, Number: 1}, values.EntityValue{Entity: 3, Number: 4}, values.EntityValue{Entity: 19, Number: 5})
	onDevice, err := d.Load(m)
	require.NoError(t, err)
	filtering := *testPlan
	filtering.Shape += " & p1(f)"
	filtering.Filters = 1
	q, err := onDevice.Runner(&filtering)
	require.NoError(t, err)

	query := func(least int) scq.Bindings {
		f, err := m.Select(model.Condition{Attribute: "size", Comparisons: []model.Comparison{{Operator: ">=", Value: strconv.Itoa(least)}}, Unknown: true})
		require.NoError(t, err)
		return scq.Bindings{Constants: []graph.EntityID{7}, Relations: []graph.RelationID{0}, Filters: []*model.Selection{f}}
	}
	ask := func(batch ...scq.Bindings) (writes int) {
		t.Helper()
		w.writes = 0
		_, err := q.Top(t.Context(), batch, model.DefaultSettings(), 1, 0)
		require.NoError(t, err)
		return w.writes
	}

	batch := []scq.Bindings{query(2), query(5), query(2), query(0)}
	ask(batch...)
	if got := ask(batch...); got != 0 {
		t.Errorf("%d writes of filters that are there", got)
	}
	key := recordingKey{batch: step(4, batchSteps), k: 16, filters: 4}
	r := q.recordings[key]
	if r == nil {
		t.Fatalf("no recording of %+v", key)
	}
	checkNumbers(t, r, []uint32{0, 1, 0, 2})
	checkFilters(t, w.fake, &r.header, [][4]float32{{0, 1, 1, 0.6}, {0, 0, 1, 0.4}, {1, 1, 1, 0.8}}) // (k+1)/(n+2) of the unknown
	if r.header.FilterStride <= int64(m.NumEntities()) {
		t.Errorf("filters have %d degrees", r.header.FilterStride)
	}

	batch[0], batch[2] = query(3), query(3)
	if got := ask(batch...); got != 1 {
		t.Errorf("%d writes of one other filter", got)
	}

	f, err := valued(t, "age", values.EntityValue{Number: 1}).Select(model.Condition{Attribute: "age", Comparisons: []model.Comparison{{Operator: "=", Value: "1"}}})
	require.NoError(t, err)
	lacks := query(1)
	lacks.Filters[0] = f
	if _, err := q.Top(t.Context(), []scq.Bindings{lacks}, model.DefaultSettings(), 1, 0); err == nil || !strings.Contains(err.Error(), `unknown attribute "age"`) {
		t.Errorf("a filter by an attribute that the copy lacks: %v", err)
	}
}

// valued is a small model with values of an attribute.
func valued(t *testing.T, attribute string, list ...values.EntityValue) *model.Model {
	t.Helper()
	m, err := testModel(t, table.Float32).WithValues([]values.AttributeValues{{Name: attribute, Kind: values.NumberKind, Values: list}})
	require.NoError(t, err)
	return m
}

// checkNumbers compares the slots of each query that a recording was replayed for: a constant, a relation, and the
// number of a filter.
func checkNumbers(t *testing.T, r *recording, numbers []uint32) {
	t.Helper()
	for i, want := range numbers {
		at := binary.Size(input{}) + 4*(i*int(r.header.Slots)+2)
		if got := binary.LittleEndian.Uint32(r.In()[at:]); got != want {
			t.Errorf("query %d has filter %d, want %d", i, got, want)
		}
	}
}

// checkFilters compares the filters on a device with the degrees of the entities 2, 3 and 19, and of all others.
func checkFilters(t *testing.T, f *fake, h *runHeader, filters [][4]float32) {
	t.Helper()
	for number, want := range filters {
		got := f.memory[h.Filters+cuda.Pointer(4*int64(number)*h.FilterStride)]
		factors := slices.Repeat(want[3:], int(h.FilterStride))
		for i, e := range []int{2, 3, 19} {
			factors[e] = want[i]
		}
		if !slices.Equal(got, bytesOf(factors)) {
			t.Errorf("filter %d is not %v on the device", number, factors)
		}
	}
}
