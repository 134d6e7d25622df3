package device

import (
	"encoding/binary"
	"errors"

	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
)

// Threads of blocks, as the kernels are compiled for.
const (
	passThreads  = 512
	batchThreads = 256
)

// Of the matrix products of a batch: the side of a block's tile, and what packed rows are
// rounded up to, as batch.cuh and packed.cuh of kernels/cuda/src say.
const (
	tile  = 128
	depth = 32
)

// packedBytes returns the bytes of a packed row of so many numbers.
func packedBytes(numbers int64) int64 { return 4*((numbers+depth-1)/depth*depth) + 16 }

// mapBlocks bounds the blocks of a step: each of its reductions is read by every
// block of the next.
const mapBlocks = 128

// recording is a plan's program with memory for some queries at once, ready to be
// replayed. Its methods run in calls of its device.
type recording struct {
	cuda.Recording
	memory memory
	header runHeader
	// vectors are those of the answer and of the fuzzy sets, lists those that are ranked.
	vectors, lists []int
	// truth says where the settings of truth degrees go in, if they are asked for, and
	// factors where those of the temperature are on the device.
	truth   int
	factors cuda.Pointer

	query *Query
	key   recordingKey
	used  int64 // when it was replayed last, by the device's clock
}

// record allocates the memory of a program and records its launches. k is the number
// of entities in a ranking.
func (q *Query) record(key recordingKey) (*recording, error) {
	if q.plan.Degrees != nil {
		return q.recordDegrees(key)
	}
	return q.recordProgram(q.plan.program(key.batch), key, nil)
}

// recordProgram records a program, and what d adds to it if that is not nil.
func (q *Query) recordProgram(program *Program, key recordingKey, d *degreeRecorder) (*recording, error) {
	m, t, batch, k := q.model, q.model.device.tuning, key.batch, key.k
	n := int(m.header.N)
	blocks, err := q.passBlocks(program)
	if err != nil {
		return nil, err
	}
	r := &recording{memory: memory{driver: m.memory.driver}, vectors: program.Lists}
	vectors, what, top := program.Vectors, "a query", q.plan.Name+"_top"
	if batch > 1 {
		top = q.plan.Name + "_batch_top"
	}
	if d != nil {
		r.vectors, vectors, what = d.lists(), d.vectors, d.what
	}
	r.lists = r.vectors
	if !key.sets {
		r.lists = r.vectors[:1]
	}
	r.header = runHeader{
		VectorStride: (m.header.N + 63) / 64 * 64, Batch: int64(batch), Slots: int64(q.plan.Constants + q.plan.Relations),
		MapBlocks:   int64(min(mapBlocks, (n+t.MapThreads-1)/t.MapThreads)),
		SweepBlocks: int64(max(1, min(blocks, (n+m.rows.atOnce-1)/m.rows.atOnce))),
		Splits:      int64(m.splits(batch)), K: int64(k), Constants: int64(q.plan.Constants),
	}
	h := &r.header
	// Few rows have a residual: a block finds those of all rows that a multiprocessor has.
	h.ResidualBlocks = max(1, min(h.SweepBlocks, int64(m.memory.driver.Multiprocessors())))
	h.KeyStride = int64((n+t.TopThreads-1)/t.TopThreads) * h.K
	h.Blocks = max(h.MapBlocks, h.SweepBlocks)
	if batch > 1 {
		h.Blocks = max(h.MapBlocks, h.Splits)
	}
	b, stride := int64(batch), m.header.Stride
	in := int64(binary.Size(input{})) + 4*b*h.Slots
	if d != nil {
		in = (in + 7) / 8 * 8
		r.truth = int(in)
		in += int64(binary.Size(truthHeader{}))
	}
	lists := int64(len(r.lists))
	out := 8 * lists * b * h.K
	states := int64(0)
	if batch > 1 {
		states = b * packedBytes(m.header.N)
	}
	parts := []part{
		{&h.Input, in}, {&h.Vectors, 4 * int64(vectors) * b * h.VectorStride}, {&h.Embeddings, 4 * int64(program.Embeddings) * b * stride},
		{&h.Stats, 8 * int64(program.Stats) * b * h.Blocks}, {&h.Partials, 4 * int64(program.Partials) * b * h.Blocks * stride},
		{&h.Coefficients, 8 * int64(program.Coefficients) * b}, {&h.Packed, int64(program.Packed) * b * packedBytes(stride)},
		{&h.States, states}, {&h.Keys, 16 * lists * b * h.KeyStride}, {&h.Best, out},
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
	launches := q.launches(program, r)
	if d == nil {
		launches = append(launches, q.ranked(r, cuda.Launch{Kernel: top}, func(pass int) int64 { return int64(pass) })...)
	} else {
		more, err := d.record(r)
		if err != nil {
			return nil, errors.Join(err, r.memory.free())
		}
		launches = append(launches, more...)
	}
	r.Recording, err = m.memory.driver.Record(cuda.Sequence{
		Module: q.module, Model: putHeader(nil, &m.header), Run: putHeader(nil, h), Launches: launches,
		To: h.Input, ToBytes: int(in), From: h.Best, FromBytes: int(out),
	})
	if err != nil {
		return nil, errors.Join(err, r.memory.free())
	}
	return r, nil
}

// kernel returns the name of the variant of a kernel for the type of the table.
func (m *Model) kernel(l Launch) string {
	if !l.Kind.table() {
		return l.Kernel
	}
	return l.Kernel + "_" + m.rows.suffix
}

// ranked says how to launch the ranking of the lists: passes until one block is left.
func (q *Query) ranked(r *recording, c cuda.Launch, argument func(pass int) int64) (out []cuda.Launch) {
	threads := q.model.device.tuning.TopThreads
	for pass, count := 0, int(q.model.header.N); ; pass++ {
		blocks := (count + threads - 1) / threads
		c.Grid, c.Threads, c.Argument = [3]int{blocks, int(r.header.Batch), len(r.lists)}, threads, argument(pass)
		out = append(out, c)
		if blocks == 1 {
			return out
		}
		count = blocks * int(r.header.K)
	}
}

// fill writes the input of a replay.
func (r *recording) fill(batch []scq.Bindings, s model.Settings) {
	in := putHeader(r.In()[:0], &input{int64(len(batch)), s.Lambda, s.Alpha, s.Weight, s.Epsilon})
	for _, b := range batch {
		in = append(append(in, bytesOf(b.Constants)...), bytesOf(b.Relations)...)
	}
	if r.truth > 0 {
		r.fillTruth(s.Degrees.OrDefault())
	}
}

// drop ends the recording, of which its plan makes another one if it has to, and frees its
// memory.
func (r *recording) drop() error {
	delete(r.query.recordings, r.key)
	delete(r.query.model.device.recordings, r)
	return errors.Join(r.Recording.Close(), r.memory.free())
}
