package device

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/runtime/model"
)

// degreeRecorder adds truth degrees to a recording: their memory, and their launches after
// those of message passing.
type degreeRecorder struct {
	*layout
	query *Query
	what  string
	grid  tableGrid
}

// sharedScores bounds the shared memory of a block that makes rows, which holds what the
// table is multiplied with.
const sharedScores = 96 << 10

// recordDegrees records a plan of truth degrees, for one query at a time.
func (q *Query) recordDegrees(key recordingKey) (*recording, error) {
	program, messages, own := &Program{}, none, q
	if q.messages != nil {
		own, program = q.messages, &q.plan.Messages.Single
		messages = program.Lists[0]
	}
	l, err := newLayout(q.plan.Degrees, q.model.model.NumEntities(), key.candidates, messages, program.Vectors)
	if err != nil {
		return nil, fmt.Errorf("shape %s: %w", q.plan.Shape, err)
	}
	d := &degreeRecorder{layout: l, query: q}
	d.what = fmt.Sprintf("shape %s by %s with %d candidates", q.plan.Shape, q.plan.Semantics, key.candidates)
	if err := d.measure(); err != nil {
		return nil, err
	}
	recorder := *own
	recorder.plan, recorder.module = q.plan, own.module
	if q.messages == nil {
		recorder.module = q.model.fit
	}
	return recorder.recordProgram(program, key, d)
}

// measure decides on grids.
func (d *degreeRecorder) measure() error {
	m := d.query.model
	t := m.device.tuning
	g := tableGrid{mapThreads: t.MapThreads, topThreads: t.TopThreads, together: 8, suffix: "_" + m.rows.suffix}
	g.mapBlocks = int(min(mapBlocks, (d.n+int64(t.MapThreads))/int64(t.MapThreads)))
	for g.together > 1 && 4*g.together*m.header.Stride > sharedScores {
		g.together /= 2
	}
	g.scores = cuda.Launch{Kernel: "efoc_fit_scores" + g.suffix, Threads: t.MapThreads, Shared: int(4 * g.together * m.header.Stride)}
	blocks := t.Blocks * m.memory.driver.Multiprocessors()
	if blocks == 0 {
		var err error
		if blocks, err = m.memory.driver.Resident(m.fit, g.scores); err != nil {
			return err
		}
	}
	warps := int64(2 * t.MapThreads / 32) // entities of a block at a time
	g.scores.Grid = [3]int{int(max(1, min(int64(blocks), (d.n+warps-1)/warps))), 1, 1}
	d.grid = g
	return nil
}

// lists are the vectors that are ranked.
func (d *degreeRecorder) lists() []int {
	var lists []int
	for _, i := range d.plan.Lists {
		lists = append(lists, d.values[i].vector)
	}
	return lists
}

// sizes are the bytes of what the launches read, of the queries of a pass, of the room of
// single ops, of the factors of the temperature and of the layout's regions.
func (d *degreeRecorder) sizes(r *recording) []int64 {
	m := d.query.model
	bytes, _ := d.table(r, 0, make([]cuda.Pointer, 4+len(d.regions)))
	factors := 8 * int64(len(m.model.Manifest.Temperatures))
	return append([]int64{int64(len(bytes)), 4 * d.slots * m.header.Stride, d.room, factors}, d.regions...)
}

// table lays out what the launches read.
func (d *degreeRecorder) table(r *recording, run cuda.Pointer, at []cuda.Pointer) ([]byte, []cuda.Launch) {
	t := opTable{
		layout: d.layout, base: at[0], queries: at[1], room: at[2], truth: run + cuda.Pointer(r.truth), regions: at[4:], grid: d.grid,
		vector: func(number int) cuda.Pointer {
			return r.header.Vectors + cuda.Pointer(4*int64(number)*r.header.VectorStride)
		},
	}
	t.make()
	lists := make([]int32, len(r.lists), len(r.lists)+1)
	for i, v := range r.lists {
		lists[i] = int32(v)
	}
	if len(lists)%2 == 1 {
		lists = append(lists, 0) // what follows is aligned
	}
	h := rankingHeader{Lists: t.put(lists)}
	launches := append(t.launches, d.query.ranked(r, cuda.Launch{Kernel: "efoc_fit_top"}, func(pass int) int64 {
		h.Pass = int64(pass)
		return int64(t.put(h))
	})...)
	for i := range launches {
		launches[i].Module = d.query.model.fit
	}
	return t.bytes, launches
}

// launches writes what kernels read and returns how to launch them.
func (d *degreeRecorder) launches(r *recording, run cuda.Pointer, at []cuda.Pointer) ([]cuda.Launch, error) {
	driver := r.memory.driver
	bytes, launches := d.table(r, run, at)
	errs := []error{driver.Write(at[0], bytes)}
	if factors := d.query.model.model.Manifest.Temperatures; factors != nil {
		r.factors = at[3]
		list, _ := binary.Append(nil, binary.LittleEndian, factors) // of a fixed size
		errs = append(errs, driver.Write(at[3], list))
	}
	root := binary.LittleEndian.AppendUint32([]byte{0: 1, 15: 0}, math.Float32bits(1))
	for i, o := range d.plan.Ops {
		if o.Name == "root" { // one branch, without parent or value, of weight 1
			errs = append(errs, driver.Write(at[4+d.values[i].region], root))
		}
	}
	return launches, errors.Join(errs...)
}

// fillTruth writes the settings of truth degrees behind the rest of the input.
func (r *recording) fillTruth(d model.Degrees) {
	putHeader(r.In()[:r.truth], truthHeader{
		Threshold: d.Threshold, Temperature: d.Temperature, Negation: d.Negation, Leaf: d.Leaf, Mixture: d.Mixture,
		Mass: bit(d.Mass), Factors: r.factors,
	})
}
