package device

import (
	"encoding/binary"
	"errors"
	"log/slog"
	"slices"

	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
)

// record allocates the memory of a program and records its launches. k is the number
// of entities in a ranking.
func (q *Runner) record(key recordingKey) (*recording, error) {
	if q.plan.Degrees != nil {
		return q.recordDegrees(key)
	}
	return q.recordProgram(&q.plan.Program, key, nil)
}

// recordProgram records a program, and what d adds to it unless d is nil.
func (q *Runner) recordProgram(program *Program, key recordingKey, d *degreeRecorder) (*recording, error) {
	r := &recording{memory: memory{driver: q.model.memory.driver}, vectors: program.Lists, filters: make([]model.Selector, key.filters)}
	vectors := program.Vectors
	what := "a query"
	if d != nil {
		r.vectors, vectors, what = d.lists(), d.vectors, d.what
	}
	r.lists = r.vectors
	if !key.sets {
		r.lists = r.vectors[:1]
	}
	if err := q.size(program, key, &r.header); err != nil {
		return nil, err
	}
	h := &r.header
	b := h.Batch
	stride := q.model.header.Stride
	in := int64(binary.Size(input{})) + 4*b*h.Slots
	if d != nil {
		in = (in + 7) / 8 * 8
		r.truth = int(in)
		in += int64(binary.Size(truthHeader{}))
	}
	lists := int64(len(r.lists))
	out := 8 * lists * b * h.K
	tables := q.tables(program, r)
	parts := []part{
		{&h.Input, in}, {&h.Vectors, 4 * int64(vectors) * b * h.VectorStride}, {&h.Embeddings, 4 * int64(program.Embeddings) * b * stride},
		{&h.Stats, 8 * int64(program.Stats) * b * h.Blocks}, {&h.Partials, 4 * int64(program.Embeddings) * b * h.Blocks * stride},
		{&h.Packed, q.packed(program, b)}, {&h.States, q.states(program, b)}, {&h.Keys, 16 * lists * b * h.KeyStride}, {&h.Best, out},
		{&h.Filters, 4 * int64(key.filters) * h.FilterStride},
	}
	for _, t := range tables {
		parts = append(parts, part{t.at, int64(len(t.bytes))})
	}
	advice := "free memory of the device, or answer on the processor"
	if d != nil {
		parts = append(parts, d.parts(r)...)
		advice = "ask with fewer candidates, or free memory of the device"
	}
	if err := r.memory.block(what, advice, parts...); err != nil {
		return nil, err
	}
	h.Arguments = h.Input + cuda.Pointer(binary.Size(input{}))
	err := q.capture(program, r, d, tables, cuda.Sequence{To: h.Input, ToBytes: int(in), From: h.Best, FromBytes: int(out)})
	if err != nil {
		return nil, errors.Join(err, r.memory.free())
	}
	return r, nil
}

// size sets the numbers of a header.
func (q *Runner) size(program *Program, key recordingKey, h *runHeader) error {
	m := q.model
	t := q.model.device.tuning
	n := int(q.model.header.N)
	*h = runHeader{
		VectorStride: (m.header.N + 63) / 64 * 64, Batch: int64(key.batch), Slots: int64(q.plan.Constants + q.plan.Relations + q.plan.Filters),
		Splits: int64(m.splits(key.batch)), K: int64(key.k), Constants: int64(q.plan.Constants), Relations: int64(q.plan.Relations),
		FilterStride: (m.header.N + 64) / 64 * 64,
	}
	blocks, err := q.stepBlocks(program, key.batch)
	if err != nil {
		return err
	}
	h.MapBlocks = int64(blocks)
	h.ScoreBlocks = h.MapBlocks // in a batch, a separate kernel computes the statistics of scores
	if key.batch == 1 && len(program.Scores) > 0 {
		blocks, err = m.scoreBlocks(program)
		if err != nil {
			return err
		}
		h.ScoreBlocks = int64(blocks)
	}
	h.Blocks = max(h.MapBlocks, h.ScoreBlocks, h.Splits)
	h.KeyStride = int64(tiles(n, min(t.TopThreads, t.MapThreads))) * h.K
	return nil
}

// packed and states return the bytes of a batch's factors of the table.
func (q *Runner) packed(program *Program, batch int64) int64 {
	most := 0
	for _, l := range program.Launches {
		if l.Kind == Scores && batch > 1 {
			most = max(most, l.Count)
		}
	}
	return int64(most) * batch * packedBytes(q.model.header.Stride)
}

func (q *Runner) states(program *Program, batch int64) int64 {
	if batch == 1 || len(program.Sums) == 0 {
		return 0
	}
	return batch * packedBytes(q.model.header.N)
}

// content is the initial content of a part of the device's memory.
type content struct {
	at    *cuda.Pointer
	bytes []byte
}

// tables returns the parts of the program that kernels read, and zeroed counters.
func (q *Runner) tables(program *Program, r *recording) []content {
	h := &r.header
	lists := make([]int32, len(r.lists))
	for i, v := range r.lists {
		lists[i] = int32(v)
	}
	counters := make([]int32, program.Embeddings*tiles(int(q.model.header.Stride), slice))
	return []content{
		{&h.Scores, putHeader(nil, scoresOf(program))}, {&h.Sums, putHeader(nil, sumsOf(program))},
		{&h.Lists, putHeader(nil, lists)}, {&h.Counters, putHeader(nil, counters)}, {&h.Barrier, make([]byte, 8)},
	}
}

// capture writes the tables that kernels read, and records their launches. If the driver refuses cooperative
// launches, it launches every step separately, in this recording and in later ones.
func (q *Runner) capture(program *Program, r *recording, d *degreeRecorder, tables []content, s cuda.Sequence) error {
	m := q.model
	for _, t := range tables {
		if err := m.memory.driver.Write(*t.at, t.bytes); err != nil {
			return err
		}
	}
	s.Module, s.Model, s.Run = q.module, putHeader(nil, &m.header), putHeader(nil, &r.header)
	var err error
	s.Launches, err = q.allLaunches(program, r, d)
	if err != nil {
		return err
	}
	r.Recording, err = m.memory.driver.Record(s)
	if err == nil || !slices.ContainsFunc(s.Launches, func(l cuda.Launch) bool { return l.Cooperative }) {
		return err
	}
	refused := err
	m.device.apart = true
	s.Launches, err = q.allLaunches(program, r, d)
	if err == nil {
		r.Recording, err = m.memory.driver.Record(s)
	}
	if err != nil {
		m.device.apart = false
		return errors.Join(refused, err)
	}
	slog.Warn("the GPU refuses to run all blocks of a launch at once: from now on each step of a plan is launched alone, which takes longer", "error", refused)
	return nil
}

// allLaunches lists the launches of a program, followed by the launches for truth degrees.
func (q *Runner) allLaunches(program *Program, r *recording, d *degreeRecorder) (launches []cuda.Launch, err error) {
	if len(program.Launches) > 0 {
		lists := len(r.lists)
		if d != nil {
			lists = 0
		}
		launches, err = q.launches(program, &r.header, lists)
		if err != nil {
			return nil, err
		}
	}
	if d == nil {
		return launches, nil
	}
	degrees, err := d.record(r)
	return append(launches, degrees...), err
}

// fill writes the input of a replay.
func (r *recording) fill(batch []scq.Bindings, filters filterNumbers, s model.Settings) error {
	in := putHeader(r.In()[:0], &input{int64(len(batch)), s.Lambda, s.Alpha, s.Weight, s.Epsilon})
	for _, b := range batch {
		in = append(in, bytesOf(b.Constants)...)
		in = append(in, bytesOf(b.Relations)...)
		in = append(in, bytesOf(filters.slots(b))...)
	}
	if r.truth > 0 {
		r.fillTruth(s.Degrees.OrDefault())
	}
	return r.fillFilters(filters)
}

// drop ends the recording and frees its memory. Its plan makes a new one on demand.
func (r *recording) drop() error {
	delete(r.query.recordings, r.key)
	delete(r.query.model.device.recordings, r)
	return errors.Join(r.Recording.Close(), r.memory.free())
}
