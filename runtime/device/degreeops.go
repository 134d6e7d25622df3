package device

import (
	"encoding/binary"
	"slices"

	"github.com/efoc/efoc/kernels/cuda"
)

// truthHeader mirrors Truth in kernels/cuda/src/fit.cuh.
type truthHeader struct {
	Threshold, Temperature, Negation, Leaf, Mixture float64

	Mass    int64
	Factors cuda.Pointer
}

// valueHeader mirrors Value there, opHeader mirrors Op.
type valueHeader struct {
	Degrees, Counts, IDs, Parents, Weights, Over cuda.Pointer

	Stride, Relation, Backward, Negated, Unequal int64
}

type opHeader struct {
	Truth, Result, Args cuda.Pointer
	Count, Constant     int64
	Most, Rows, All     int64
	Room                cuda.Pointer
}

// slotHeader mirrors Slot in fitrows.cuh, rowsHeader mirrors RowsCall.
type slotHeader struct {
	Op    cuda.Pointer
	Index int64
}

type rowsHeader struct {
	Slots                   cuda.Pointer
	Scored, Count, Together int64
	Queries                 cuda.Pointer
}

// rankingHeader mirrors Ranking in kernels/cuda/fit/fit.cu.
type rankingHeader struct {
	Lists cuda.Pointer
	Pass  int64
}

// Blocks in the y direction of a grid, which go over more branches or candidates in turn.
const mostTogether = 1024

// put appends a header and returns its address.
func (d *degreeRecorder) put(header any) cuda.Pointer {
	at := d.base + cuda.Pointer(len(d.bytes))
	d.bytes, _ = binary.Append(d.bytes, binary.LittleEndian, header) // headers have a fixed size
	return at
}

// value returns the address of the header of a value: these come first.
func (d *degreeRecorder) value(i int) cuda.Pointer {
	return d.base + cuda.Pointer(i*binary.Size(valueHeader{}))
}

func (d *degreeRecorder) valueHeader(r *recording, i int) valueHeader {
	v, o := &d.values[i], &d.plan.Ops[i]
	h := valueHeader{Stride: d.stride, Relation: int64(o.Rel), Backward: bit(o.Backward), Negated: bit(o.Negated)}
	if v.over != none {
		h.Over = d.value(v.over)
	}
	switch v.space {
	case VectorSpace:
		h.Degrees = r.header.vector(v.vector, 0)
		return h
	case SetSpace, RowsSpace:
		h.Degrees = d.places[v.region]
	default:
		h.Counts = d.places[v.region]
		h.IDs = h.Counts + 8
		h.Parents = h.IDs + cuda.Pointer(4*v.most)
		h.Weights = h.Parents + cuda.Pointer(4*v.most)
	}
	h.Unequal = bit(v.space == RowsSpace && !o.Rows)
	return h
}

func bit(x bool) int64 {
	if x {
		return 1
	}
	return 0
}

// op appends the header of an op.
func (d *degreeRecorder) op(r *recording, i int) cuda.Pointer {
	v, o := &d.values[i], &d.plan.Ops[i]
	args := make([]cuda.Pointer, len(o.Args))
	for j, a := range o.Args {
		args[j] = d.value(a)
	}
	return d.put(opHeader{
		Truth: r.header.Input + cuda.Pointer(r.truth), Result: d.value(i), Args: d.put(args), Count: int64(len(args)), Constant: int64(o.Const),
		Most: v.most, Rows: v.rows, All: bit(d.exact()), Room: d.scratch,
	})
}

// launch launches an op that makes no rows.
func (d *degreeRecorder) launch(r *recording, i int) {
	o := &d.plan.Ops[i]
	if !o.kernel() {
		return
	}
	tuning, sets := d.model.device.tuning, max(1, int(min(d.values[i].most, mostTogether)))
	c := cuda.Launch{Kernel: "efoc_fit_" + o.Name, Grid: [3]int{d.mapBlocks, sets, 1}, Threads: tuning.MapThreads, Argument: int64(d.op(r, i))}
	one := c // block, for a choice among all entities
	one.Grid[0], one.Threads = 1, tuning.TopThreads
	switch {
	case o.Space == CandidatesSpace || o.Space == BranchesSpace:
		c = one
		c.Grid[1] = 1
	case o.Extremes:
		one.Kernel = "efoc_fit_extremes"
		d.launches = append(d.launches, one)
	}
	d.launches = append(d.launches, c)
}

// makeRows launches a pass that makes the rows of some ops.
func (d *degreeRecorder) makeRows(r *recording, group []int) {
	var predicted, others []slotHeader
	for _, i := range group {
		at := d.op(r, i)
		for j := range d.values[i].most {
			s := slotHeader{at, j}
			if j < d.scored(i) {
				predicted = append(predicted, s)
			} else {
				others = append(others, s)
			}
		}
	}
	if len(predicted)+len(others) == 0 {
		return // no candidate has rows
	}
	h := rowsHeader{Scored: int64(len(predicted)), Count: int64(len(predicted) + len(others)), Together: d.together, Queries: d.queries}
	h.Slots = d.put(slices.Concat(predicted, others))
	at, tuning, scores := int64(d.put(h)), d.model.device.tuning, d.scores
	scores.Grid[1], scores.Argument = int(min((h.Scored+h.Together-1)/h.Together, mostTogether)), at
	project := cuda.Launch{Kernel: "efoc_fit_project_" + d.model.rows.suffix, Grid: [3]int{len(predicted), 1, 1}, Threads: tuning.MapThreads, Argument: at}
	degrees := cuda.Launch{Kernel: "efoc_fit_degrees", Grid: [3]int{int(h.Count), 1, 1}, Threads: tuning.TopThreads, Argument: at}
	d.launches = append(d.launches, project, scores, degrees)
}
