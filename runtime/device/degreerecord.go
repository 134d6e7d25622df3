package device

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/runtime/model"
)

// recordDegrees records a plan of truth degrees.
func (q *Runner) recordDegrees(key recordingKey) (*recording, error) {
	program := &Program{}
	messages := none
	recorder := *q
	if q.messages != nil {
		program = &q.plan.Messages.Program
		recorder = *q.messages
		messages = program.Lists[0]
		recorder.plan = q.plan
	} else {
		recorder.module = q.model.fit
	}
	d := &degreeRecorder{query: q, model: q.model, together: 8}
	if err := d.measure(key.batch); err != nil {
		return nil, err
	}
	l, err := newLayout(q.plan.Degrees, bounds{
		blocks: int64(max(d.scores.Grid[0], d.mapBlocks)), entities: q.model.header.N, candidates: int64(key.candidates), batch: int64(key.batch), messages: messages, next: program.Vectors,
		parts: int64(2 * q.model.memory.driver.Multiprocessors() / key.batch), part: int64(q.model.device.tuning.TopThreads),
	})
	if err != nil {
		return nil, fmt.Errorf("shape %s: %w", q.plan.Shape, err)
	}
	d.layout = l
	d.what = fmt.Sprintf("a query by %s with %d candidates", q.plan.Semantics, key.candidates)
	if key.batch > 1 {
		d.what = fmt.Sprintf("a batch of %d queries by %s with %d candidates", key.batch, q.plan.Semantics, key.candidates)
	}
	return recorder.recordProgram(program, key, d)
}

// measure chooses the grids.
func (d *degreeRecorder) measure(batch int) error {
	m := d.model
	t := m.device.tuning
	driver := m.memory.driver
	d.mapBlocks = m.mapBlocks(batch)
	for d.together > 1 && 4*d.together*m.header.Stride > sharedScores {
		d.together /= 2
	}
	kernels, err := m.table()
	if err != nil {
		return err
	}
	d.scores = cuda.Launch{Kernel: "efoc_fit_scores", Module: kernels, Threads: t.MapThreads, Shared: int(4 * d.together * m.header.Stride)}
	d.resident = t.Blocks * driver.Multiprocessors()
	if d.resident == 0 {
		d.resident, err = driver.Resident(kernels, d.scores)
		if err != nil {
			return err
		}
	}
	warps := int64(2 * t.MapThreads / 32) // entities of a block at a time
	d.scores.Grid = [3]int{int(max(1, min(int64(d.resident), (m.header.N+warps-1)/warps))), 1, 1}
	return nil
}

// lists returns the vectors to rank.
func (d *degreeRecorder) lists() []int {
	var lists []int
	for _, i := range d.plan.Lists {
		lists = append(lists, d.values[i].vector)
	}
	return lists
}

// parts returns the parts of the device's memory for the launches.
func (d *degreeRecorder) parts(r *recording) []part {
	d.make(r)
	list := []part{{&d.base, int64(len(d.bytes))}, {&d.packed, d.packedRows * packedBytes(d.model.header.Stride)}, {&d.frames, min(d.frame, mostBytes/d.batch) * d.batch}}
	if factors := d.model.model.Manifest.Temperatures; factors != nil {
		list = append(list, part{&r.factors, 8 * int64(len(factors))})
	}
	return list
}

// make lays out what the kernels read about the ops, and their launches. It is called twice: for the size, and with
// addresses.
func (d *degreeRecorder) make(r *recording) {
	d.bytes = nil
	d.launches = nil
	for i := range d.values {
		d.put(d.valueHeader(r, i))
	}
	beside := d.messages != none
	for _, group := range d.groups {
		first := len(d.launches)
		if d.plan.Ops[group[0]].Rows {
			d.makeRows(r, group)
		} else {
			for _, i := range group {
				d.launch(r, i)
			}
		}
		beside = beside && !slices.ContainsFunc(group, d.readsMessages)
		for i := range d.launches[first:] {
			d.launches[first+i].Beside = beside
		}
	}
	lists := make([]int32, len(r.lists), len(r.lists)+1)
	for i, v := range r.lists {
		lists[i] = int32(v)
	}
	if len(lists)%2 == 1 {
		lists = append(lists, 0) // aligns the next part
	}
	h := rankingHeader{Lists: d.put(lists)}
	d.launches = append(d.launches, d.query.ranked(&r.header, len(r.lists), cuda.Launch{Kernel: "efoc_fit_top"}, func(pass int) int64 {
		h.Pass = int64(pass)
		return int64(d.put(h))
	})...)
	for i := range d.launches {
		if d.launches[i].Module == nil {
			d.launches[i].Module = d.model.fit
		}
	}
}

// readsMessages reports whether an op reads the answer of message passing. The ops before the first such op run in
// parallel with message passing.
func (d *degreeRecorder) readsMessages(i int) bool {
	return slices.ContainsFunc(d.plan.Ops[i].Args, func(a int) bool {
		return d.values[a].vector == d.messages && d.values[a].space == VectorSpace
	})
}

// record writes the kernels' input and returns the launches.
func (d *degreeRecorder) record(r *recording) ([]cuda.Launch, error) {
	driver := r.memory.driver
	d.make(r)
	errs := []error{driver.Write(d.base, d.bytes)}
	if factors := d.model.model.Manifest.Temperatures; factors != nil {
		list, _ := binary.Append(nil, binary.LittleEndian, factors) // of a fixed size
		errs = append(errs, driver.Write(r.factors, list))
	}
	root := binary.LittleEndian.AppendUint32([]byte{0: 1, 15: 0}, math.Float32bits(1))
	for i := range d.values {
		if v := &d.values[i]; v.space == BranchesSpace && !d.plan.Ops[i].kernel() { // one, without parent or value, of weight 1
			for query := range d.batch {
				errs = append(errs, driver.Write(d.place(v.region)+cuda.Pointer(query*d.frame), root))
			}
		}
	}
	return d.launches, errors.Join(errs...)
}

// fillTruth appends the settings of truth degrees to the input.
func (r *recording) fillTruth(d model.Degrees) {
	putHeader(r.In()[:r.truth], truthHeader{
		Threshold: d.Threshold, Temperature: d.Temperature, Negation: d.Negation, Leaf: d.Leaf, Mixture: d.Mixture,
		Mass: bit(d.Mass), Factors: r.factors,
	})
}
