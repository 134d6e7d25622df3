package device

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/internal/top"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// fake is a driver that notes what it is asked for. Its rankings say which arguments
// they are for: the k-th best of a query is entity k with the first constant as its
// probability.
type fake struct {
	free     int64
	next     cuda.Pointer
	held     map[cuda.Pointer]int64
	memory   map[cuda.Pointer][]byte
	sequence []cuda.Sequence
	inside   atomic.Int32
	entered  int // calls of Enter
	fail     error
	modules  int
	resident int // blocks that a multiprocessor holds
}

func newFake() *fake {
	return &fake{free: 1 << 40, resident: 4, next: 1 << 20, held: map[cuda.Pointer]int64{}, memory: map[cuda.Pointer][]byte{}}
}

func (f *fake) Enter() error           { f.entered++; return nil }
func (f *fake) Name() string           { return "fake" }
func (f *fake) Multiprocessors() int   { return 4 }
func (f *fake) Memory() (int64, error) { return f.free, nil }
func (f *fake) Close() error           { return nil }

func (f *fake) Alloc(bytes int64) (cuda.Pointer, error) {
	p := f.next
	f.next += cuda.Pointer(bytes)
	f.held[p] = bytes
	return p, nil
}

func (f *fake) Free(p cuda.Pointer) error {
	if _, ok := f.held[p]; !ok {
		return fmt.Errorf("free of %d, which is not allocated", p)
	}
	delete(f.held, p)
	return nil
}

func (f *fake) Write(to cuda.Pointer, from []byte) error {
	for p, size := range f.held {
		if to >= p && int64(to-p)+int64(len(from)) <= size {
			f.memory[to] = append([]byte(nil), from...)
			return nil
		}
	}
	return fmt.Errorf("write of %d bytes to %d, which is not allocated", len(from), to)
}

func (f *fake) Read(to []byte, from cuda.Pointer) error { return nil }

func (f *fake) Load(s cuda.Source) (cuda.Module, error) { f.modules++; return fakeModule{f}, nil }

type fakeModule struct{ *fake }

func (m fakeModule) Unload() error { m.modules--; return nil }

func (f *fake) Resident(cuda.Module, cuda.Launch) (int, error) { return 4 * f.resident, nil }

func (f *fake) Record(s cuda.Sequence) (cuda.Recording, error) {
	f.sequence = append(f.sequence, s)
	r := &fakeRecording{fake: f, in: make([]byte, s.ToBytes), out: make([]byte, s.FromBytes)}
	_, err := binary.Decode(s.Run, binary.LittleEndian, &r.header)
	return r, err
}

type fakeRecording struct {
	*fake
	header  runHeader
	in, out []byte
}

func (r *fakeRecording) In() []byte   { return r.in }
func (r *fakeRecording) Out() []byte  { return r.out }
func (r *fakeRecording) Close() error { return nil }

func (r *fakeRecording) Replay() error {
	if r.inside.Add(1) != 1 {
		return errors.New("two replays at a time")
	}
	defer r.inside.Add(-1)
	var in input
	if _, err := binary.Decode(r.in, binary.LittleEndian, &in); err != nil {
		return err
	}
	h := r.header
	for at := range len(r.out) / 8 {
		i, k := at/int(h.K)%int(h.Batch), at%int(h.K)
		if i >= int(in.Queries) {
			continue
		}
		first := binary.LittleEndian.Uint32(r.in[binary.Size(in)+4*i*int(h.Slots):])
		bits := math.Float32bits(float32(first)) | 1<<31
		binary.LittleEndian.PutUint64(r.out[8*at:], uint64(bits)<<32|uint64(^uint32(k)))
	}
	return r.fail
}

func testModel(t *testing.T, dtype table.Type) *model.Model {
	t.Helper()
	numbers := make([]float32, 20*6)
	for i := range numbers {
		numbers[i] = float32(i)
	}
	m := modeltest.New(t, modeltest.Spec{
		Entities: 20, Relations: 2, Rank: 3, Rows: numbers, Table: dtype,
		Facts: []graph.Triple{{Head: 3, Relation: 0, Tail: 5}, {Head: 3, Relation: 0, Tail: 4}, {Head: 1, Relation: 1, Tail: 3}},
	})
	t.Cleanup(func() { m.Close() })
	return m
}

var testPlan = &Kernels{
	ABI: ABI, Name: "test", Shape: "r1(s1,f)", Semantics: model.NSMP, Constants: 1, Relations: 1, Text: "kernels",
	Program: Program{
		Vectors: 3, Embeddings: 2, Stats: 1, Lists: []int{1},
		Scores: []Score{{Embedding: None, Stat: None}, {Kind: Loop, Constant: None, Embedding: None, Vector: 1, Stat: None}},
		Sums:   []Sum{{Vector: 0}, {Vector: 1, Embedding: 1}},
		Launches: []Launch{
			{Kind: Scores, Count: 2}, {Kind: Steps, Kernel: "test_2_steps", Count: 3}, {Kind: Sums, First: 0, Count: 2},
		},
	},
}

// loaded returns a small model on a device, and a query of a plan.
func loaded(t *testing.T, d *Device, p *Kernels) (*Copy, *Runner) {
	t.Helper()
	m, err := d.Load(testModel(t, table.Float32))
	require.NoError(t, err)
	q, err := m.Runner(p)
	require.NoError(t, err)
	return m, q
}

func openFake(t *testing.T) (*Device, *fake) {
	t.Helper()
	f := newFake()
	d, err := Open(func() (cuda.Driver, error) { return f, nil }, Tuning{TopThreads: 32})
	require.NoError(t, err)
	t.Cleanup(func() { d.Close() })
	return d, f
}

// TestUpload checks the bytes written of a model: padded rows, and the graph in rows.
func TestUpload(t *testing.T) {
	for _, dtype := range []table.Type{table.Float32, table.Int8} {
		d, f := openFake(t)
		m, err := d.Load(testModel(t, dtype))
		require.NoError(t, err)
		h := m.header
		if h.N != 20 || h.Width != 6 || h.Stride != 16 {
			t.Errorf("%s: header is %+v", dtype, h)
		}
		rows := f.memory[h.Entities]
		at, size, want := 17*4, 20*16*4, math.Float32bits(7) // row 1, number 1
		if dtype == table.Int8 {                             // row 1 is 6 to 11, the nearest multiples of 11/127
			at, size, want = 17, 20*16, 81|92<<8|104<<16|115<<24
			scale := math.Float32frombits(binary.LittleEndian.Uint32(f.memory[h.Scales][4:]))
			if math.Abs(float64(scale)*127/11-1) > 1e-6 {
				t.Errorf("%s: the scale of row 1 is %v, want 11/127", dtype, scale)
			}
		}
		if len(rows) != size || binary.LittleEndian.Uint32(rows[at:]) != want {
			t.Errorf("%s: the table has %d bytes, number %x", dtype, len(rows), binary.LittleEndian.Uint32(rows[at:]))
		}
		ints := func(p cuda.Pointer) (x []int32) {
			for b := f.memory[p]; len(b) > 0; b = b[4:] {
				x = append(x, int32(binary.LittleEndian.Uint32(b)))
			}
			return x
		}
		for _, c := range []struct {
			at   cuda.Pointer
			want []int32
		}{{h.First, []int32{0, 1, 3, 4, 5}}, {h.Heads, []int32{3, 4, 5, 1, 3}}, {h.Starts, []int32{0, 2, 3, 4, 5, 6}}, {h.Tails, []int32{4, 5, 3, 3, 3, 1}}} {
			if fmt.Sprint(ints(c.at)) != fmt.Sprint(c.want) {
				t.Errorf("%s: graph holds %v, want %v", dtype, ints(c.at), c.want)
			}
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestLaunches checks the grids of a plan, in order, and its arguments.
func TestLaunches(t *testing.T) {
	d, f := openFake(t)
	m, q := loaded(t, d, testPlan)
	s := model.DefaultSettings()
	for i := range 3 {
		batch := make([]scq.Bindings, 2*i+1)
		for j := range batch {
			batch[j] = scq.Bindings{Constants: []graph.EntityID{graph.EntityID(j + 4)}, Relations: []graph.RelationID{2}}
		}
		got, err := q.Top(context.Background(), batch, s, 2, 0)
		require.NoError(t, err)
		for j, r := range got {
			if want := []top.Ranked{{Entity: 0, Score: float32(j + 4)}, {Entity: 1, Score: float32(j + 4)}}; fmt.Sprint(r.Answer) != fmt.Sprint(want) {
				t.Errorf("query %d of %d: ranking is %v, want %v", j, len(batch), r.Answer, want)
			}
		}
	}
	if len(f.sequence) != 2 {
		t.Fatalf("%d recordings, want one for single queries and one for batches up to 16", len(f.sequence))
	}
	want := []string{
		"efoc_scores [1 1 1] 256 1152 8589934592", "test_2_steps [1 1 1] 256 0 0",
		"efoc_sum [1 1 2] 256 0 0", "efoc_top [1 1 1] 32 0 0",
		"efoc_batch_pack [1 16 2] 256 64 8589934592", "efoc_batch_products [2 1 1] 256 98304 8589934592", "efoc_batch_stats [1 16 2] 256 0 8589934592",
		"test_2_steps [1 16 1] 256 0 1", "test_2_steps [1 16 1] 256 0 2", "test_2_steps [1 16 1] 256 0 3",
		"efoc_batch_weights [1 16 1] 256 0 0", "efoc_batch_sums [1 1 1] 256 98304 0", "efoc_batch_combine [1 16 1] 256 0 0",
		"efoc_batch_weights [1 16 1] 256 0 1", "efoc_batch_sums [1 1 1] 256 98304 1", "efoc_batch_combine [1 16 1] 256 0 1", "efoc_top [1 16 1] 32 0 0",
	}
	if got := launched(t, f, m); got != strings.Join(want, "\n") {
		t.Errorf("launches are\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// launched are the launches of all recordings: grid, threads, shared memory, argument.
func launched(t *testing.T, f *fake, m *Copy) string {
	t.Helper()
	var got []string
	for _, sequence := range f.sequence {
		var h modelHeader
		if _, err := binary.Decode(sequence.Model, binary.LittleEndian, &h); err != nil || h != m.header {
			t.Errorf("kernels get the model %+v, want %+v (%v)", h, m.header, err)
		}
		for _, l := range sequence.Launches {
			got = append(got, fmt.Sprint(l.Kernel, " ", l.Grid, " ", l.Threads, " ", l.Shared, " ", l.Argument))
		}
	}
	return strings.Join(got, "\n")
}

// TestShared checks that models share a device, many goroutines a model, and that closing frees
// everything and closed things say so.
func TestShared(t *testing.T) {
	d, f := openFake(t)
	var models []*Copy
	var wg sync.WaitGroup
	for range 2 {
		m, err := d.Load(testModel(t, table.Float32))
		require.NoError(t, err)
		models = append(models, m)
		for g := range 8 {
			wg.Go(func() {
				q, err := m.Runner(testPlan)
				if err != nil {
					t.Error(err)
					return
				}
				for range 20 {
					b := scq.Bindings{Constants: []graph.EntityID{graph.EntityID(g)}, Relations: []graph.RelationID{0}}
					r, err := q.Top(context.Background(), []scq.Bindings{b}, model.DefaultSettings(), 1, 0)
					if err != nil || r[0].Answer[0].Score != float32(g) {
						t.Errorf("goroutine %d got %v, %v", g, r, err)
						return
					}
				}
			})
		}
	}
	wg.Wait()
	if f.modules != 3 {
		t.Errorf("%d modules are loaded, want one for each model, and one for their tables", f.modules)
	}
	if want := 2 + 2*8*(1+20); f.entered != want {
		t.Errorf("the device was made that of the calling thread %d times, want once for each of %d calls", f.entered, want)
	}
	q, err := models[0].Runner(testPlan)
	require.NoError(t, err)
	for _, m := range models {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
	if len(f.held) != 0 || f.modules != 1 {
		t.Errorf("%d allocations are left, and %d modules, want that of tables", len(f.held), f.modules)
	}
	b := []scq.Bindings{{Constants: []graph.EntityID{0}, Relations: []graph.RelationID{0}}}
	if _, err := q.Top(context.Background(), b, model.DefaultSettings(), 1, 0); err == nil || !strings.Contains(err.Error(), "r1(s1,f)") || !strings.Contains(err.Error(), "closed") {
		t.Errorf("a query of a closed model: %v", err)
	}
	if err := d.Close(); err != nil || f.modules != 0 {
		t.Errorf("after closing %d modules are left, error %v", f.modules, err)
	}
	if _, err := d.Load(testModel(t, table.Float32)); !errors.Is(err, errClosed) {
		t.Errorf("a closed device: %v", err)
	}
}

// TestErrors checks that memory is asked for before it is taken, and that errors name
// the shape and the call.
func TestErrors(t *testing.T) {
	d, f := openFake(t)
	f.free = 100
	if _, err := d.Load(testModel(t, table.Float32)); err == nil || !strings.Contains(err.Error(), "the model takes 1 MiB on the device, which has 0 MiB free") || len(f.held) > 0 {
		t.Errorf("a model that does not fit: %v", err)
	}
	f.free = 1 << 40
	_, q := loaded(t, d, testPlan)
	b := []scq.Bindings{{Constants: []graph.EntityID{0}, Relations: []graph.RelationID{0}}}
	f.free = 100
	if _, err := q.Top(context.Background(), b, model.DefaultSettings(), 1, 0); err == nil || !strings.Contains(err.Error(), "shape r1(s1,f) on the device: a query takes 1 MiB") {
		t.Errorf("a plan that does not fit: %v", err)
	}
	f.free = 1 << 40
	f.fail = errors.New("cuGraphLaunch: ILLEGAL_ADDRESS")
	if _, err := q.Top(context.Background(), b, model.DefaultSettings(), 1, 0); err == nil || err.Error() != "shape r1(s1,f) on the device: cuGraphLaunch: ILLEGAL_ADDRESS" {
		t.Errorf("a launch that fails: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := q.Top(ctx, b, model.DefaultSettings(), 1, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled query: %v", err)
	}
	if _, err := Open(func() (cuda.Driver, error) { return nil, errors.New("no") }, Tuning{}); err == nil {
		t.Error("a device that cannot be opened is open")
	}
}

// TestCallCancelled cancels a question that waits for its turn on the device.
func TestCallCancelled(t *testing.T) {
	d, _ := openFake(t)
	_, q := loaded(t, d, testPlan)
	busy, free := make(chan struct{}), make(chan struct{})
	other := make(chan error, 1)
	go func() { other <- d.do(t.Context(), func() error { close(busy); <-free; return nil }) }()
	<-busy
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := q.Top(ctx, []scq.Bindings{{Constants: []graph.EntityID{1}, Relations: []graph.RelationID{0}}}, model.DefaultSettings(), 1, 0)
		ended <- err
	}()
	time.AfterFunc(50*time.Millisecond, cancel) // once it waits
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error is %v, want that of the context", err)
		}
	case <-time.After(5 * time.Minute):
		t.Error("a question that was cancelled waits for its turn")
	}
	close(free)
	if err := <-other; err != nil {
		t.Error(err)
	}
}

// TestCallPanic checks that a call that panics fails alone: others have their turn.
func TestCallPanic(t *testing.T) {
	d, _ := openFake(t)
	var fault *pool.PanicError
	if err := d.do(context.Background(), func() error { panic("boom") }); !errors.As(err, &fault) || fault.Value != "boom" {
		t.Errorf("error is %v", err)
	}
	if err := d.do(context.Background(), func() error { return nil }); err != nil {
		t.Error(err)
	}
}
