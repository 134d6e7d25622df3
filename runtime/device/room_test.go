package device

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/require"
)

// bounded is a fake with a limited memory; allocations are not free.
type bounded struct {
	*fake
	bytes int64
	lost  error // of Memory, once the device has failed
	whole error // of Alloc
}

func (b *bounded) Memory() (int64, error) {
	free := b.bytes
	for _, size := range b.held {
		free -= size
	}
	return free, b.lost
}

func (b *bounded) Alloc(bytes int64) (cuda.Pointer, error) {
	if b.whole != nil {
		return 0, b.whole
	}
	return b.fake.Alloc(bytes)
}

func openBounded(t *testing.T) (*Device, *bounded) {
	t.Helper()
	b := &bounded{fake: newFake(), bytes: 1 << 40}
	d, err := Open(func() (cuda.Driver, error) { return b, nil }, Tuning{TopThreads: 32})
	require.NoError(t, err)
	t.Cleanup(func() { d.Close() })
	return d, b
}

// topOf ranks the given number of queries at once.
func topOf(q *Runner, queries int) error {
	batch := make([]scq.Bindings, queries)
	for i := range batch {
		batch[i] = scq.Bindings{Constants: []graph.EntityID{3}, Relations: make([]graph.RelationID, q.plan.Relations)}
	}
	r, err := q.Top(context.Background(), batch, model.DefaultSettings(), 1, 0)
	if err == nil && (len(r) != queries || r[0].Answer[0].Score != 3) {
		return fmt.Errorf("ranked %v", r)
	}
	return err
}

// TestMakeRoom checks that recordings make room for others, the one that was used longest ago
// first, of all models; that they are made again when they are wanted; and that what does not
// fit even so costs none of them and says what to do.
func TestMakeRoom(t *testing.T) {
	d, b := openBounded(t)
	first, q := loaded(t, d, testPlan)
	_, other := loaded(t, d, testPlan)
	_, fresh := loaded(t, d, testPlan)
	free := func() int64 { n, _ := b.Memory(); return n }
	took := map[int]int64{}
	for _, step := range []int{1, 16, 64} {
		before := free()
		require.NoError(t, topOf(q, step))
		took[step] = before - free()
	}
	if !(0 < took[1] && took[1] < took[16] && took[16] < took[64]) {
		t.Fatalf("recordings take %v bytes", took)
	}
	if err := topOf(q, 1); err != nil { // that for 16 is the oldest now
		t.Fatal(err)
	}
	b.bytes -= free() // there is no room left
	made := len(b.sequence)
	if err := topOf(other, 1); err != nil || len(b.sequence) != made+1 || len(q.recordings) != 2 || len(other.recordings) != 1 {
		t.Errorf("a recording of another model: %v, %d made, %d and %d are left", err, len(b.sequence)-made, len(q.recordings), len(other.recordings))
	}
	if _, ok := q.recordings[recordingKey{batch: 16, k: 16}]; ok {
		t.Error("the recording that was used longest ago is there still")
	}
	for _, step := range []int{64, 16, 1, 64} {
		if err := topOf(q, step); err != nil {
			t.Errorf("%d queries: %v", step, err)
		}
	}
	b.bytes = 0
	made = len(b.sequence)
	if err := topOf(q, 200); err != nil || len(b.sequence) != made {
		t.Errorf("a batch that does not fit is not answered in parts of 64, for which there is a recording: %v, %d made", err, len(b.sequence)-made)
	}
	err := topOf(fresh, 200)
	var room *RoomError
	if !errors.As(err, &room) || !strings.Contains(err.Error(), "shape r1(s1,f) on the device: a query takes 1 MiB on the device") || !strings.HasSuffix(err.Error(), ": free memory of the device, or answer on the processor") {
		t.Errorf("what does not fit: %v", err)
	}
	if len(d.recordings) == 0 {
		t.Error("recordings have made room for what does not fit even so")
	}
	b.bytes, b.whole = 1<<40, errors.New("cuMemAlloc: OutOfMemory")
	if err := topOf(fresh, 200); !errors.As(err, &room) || !errors.Is(err, b.whole) || !strings.Contains(err.Error(), "not in one piece") || len(d.recordings) != 0 {
		t.Errorf("memory in pieces: %v; %d recordings are left, of which none made room", err, len(d.recordings))
	}
	b.whole = nil
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	if err := topOf(other, 1); err != nil {
		t.Errorf("after another model was closed: %v", err)
	}
}

// TestManyShapes checks that a device keeps a bounded number of plans of truth degrees, that
// those which made room for others go on, and that closing the model frees what they have.
func TestManyShapes(t *testing.T) {
	d, b := openBounded(t)
	m, err := d.Load(testModel(t, table.Float32))
	require.NoError(t, err)
	var queries []*Runner
	for i := range maxDegrees + 10 {
		p := *truthPlan
		p.Shape = fmt.Sprint("shape", i)
		q, err := m.Runner(&p)
		require.NoError(t, err)
		queries = append(queries, q)
	}
	if len(m.queries) != maxDegrees {
		t.Errorf("%d plans are kept, want %d", len(m.queries), maxDegrees)
	}
	for _, q := range queries {
		require.NoError(t, topOf(q, 1))
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if len(b.held) != 0 || b.modules != 1 || len(d.recordings) != 0 {
		t.Errorf("%d allocations, %d modules, want that of the table, and %d recordings are left", len(b.held), b.modules, len(d.recordings))
	}
	for _, q := range queries {
		if err := topOf(q, 1); !errors.Is(err, errModelClosed) {
			t.Errorf("a query of a closed model: %v", err)
		}
	}
}

// TestLost checks that a device whose driver does not recover says so, once and for all, and that
// another error is one question's alone.
func TestLost(t *testing.T) {
	d, b := openBounded(t)
	_, q := loaded(t, d, testPlan)
	b.fail = errors.New("cuGraphLaunch: busy")
	if err := topOf(q, 1); errors.Is(err, ErrLost) || !errors.Is(err, b.fail) || d.Lost() != nil {
		t.Errorf("a launch that fails: %v, the device %v", err, d.Lost())
	}
	b.fail, b.lost = errors.New("cuStreamSynchronize: CUDA_ERROR_ILLEGAL_ADDRESS"), errors.New("cuMemGetInfo: CUDA_ERROR_ILLEGAL_ADDRESS")
	if err := topOf(q, 1); !errors.Is(err, ErrLost) || !errors.Is(err, b.fail) {
		t.Errorf("a launch after which nothing works: %v", err)
	}
	b.fail, b.lost = nil, nil // nobody asks the driver again
	if err := topOf(q, 1); !errors.Is(err, ErrLost) || !strings.Contains(err.Error(), "start the program anew") || !errors.Is(d.Lost(), ErrLost) {
		t.Errorf("a device that is lost: %v, the device %v", err, d.Lost())
	}
}
