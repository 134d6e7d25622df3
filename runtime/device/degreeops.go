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

	Stride, Frame, Relation, Backward, Negated, Unequal int64
}

type opHeader struct {
	Truth, Result, Args cuda.Pointer
	Count               int64
	Constant, Filter    int64
	Most, Rows, All     int64
	Parts               int64
	Room                cuda.Pointer
	Frame               int64
}

// slotHeader mirrors Slot in kernels/cuda/src/fitrows.cuh, rowsHeader mirrors RowsCall.
type slotHeader struct {
	Op    cuda.Pointer
	Index int64
}

type rowsHeader struct {
	Slots                   cuda.Pointer
	Scored, Count, Together int64
	Packed, Scores          cuda.Pointer
	Blocks, Stride, Frame   int64
}

// rankingHeader mirrors Ranking in kernels/cuda/fit/fit.cu.
type rankingHeader struct {
	Lists cuda.Pointer
	Pass  int64
}

// scoreTurns is the number of blocks that may run in succession: fewer, longer blocks copy less of the table's other
// factor.
const scoreTurns = 4

// put appends a header and returns its address.
func (d *degreeRecorder) put(header any) cuda.Pointer {
	at := d.base + cuda.Pointer(len(d.bytes))
	d.bytes, _ = binary.Append(d.bytes, binary.LittleEndian, header) // headers have a fixed size
	return at
}

// value returns the address of a value's header: these come first.
func (d *degreeRecorder) value(i int) cuda.Pointer {
	return d.base + cuda.Pointer(i*binary.Size(valueHeader{}))
}

func (d *degreeRecorder) valueHeader(r *recording, i int) valueHeader {
	v := &d.values[i]
	o := &d.plan.Ops[i]
	h := valueHeader{Stride: d.stride, Frame: d.frame / 4, Relation: int64(o.Rel), Backward: bit(o.Backward), Negated: bit(o.Negated)}
	if v.over != none {
		h.Over = d.value(v.over)
	}
	switch v.space {
	case VectorSpace:
		h.Degrees = r.header.vector(v.vector, 0)
		h.Frame = r.header.VectorStride
		return h
	case SetSpace, RowsSpace:
		h.Degrees = d.place(v.region)
	default:
		h.Counts = d.place(v.region)
		h.IDs = h.Counts + 8
		h.Parents = h.IDs + cuda.Pointer(4*v.most)
		h.Weights = h.Parents + cuda.Pointer(4*v.most)
	}
	h.Unequal = bit(v.space == RowsSpace && !o.Rows)
	return h
}

// op appends the header of an op.
func (d *degreeRecorder) op(r *recording, i int) cuda.Pointer {
	v := &d.values[i]
	o := &d.plan.Ops[i]
	args := make([]cuda.Pointer, len(o.Args))
	for j, a := range o.Args {
		args[j] = d.value(a)
	}
	return d.put(opHeader{
		Truth: r.header.Input + cuda.Pointer(r.truth), Result: d.value(i), Args: d.put(args), Count: int64(len(args)), Constant: int64(o.Const), Filter: int64(o.Filter),
		Most: v.most, Rows: v.rows, All: bit(d.exact()), Parts: v.parts, Room: d.frames, Frame: d.frame / 4,
	})
}

// launch launches an op that makes no rows.
func (d *degreeRecorder) launch(r *recording, i int) {
	o := &d.plan.Ops[i]
	if !o.kernel() {
		return
	}
	at := int64(d.op(r, i))
	switch o.Space {
	case CandidatesSpace:
		d.choose(i, "candidates_part", at)
	case BranchesSpace:
		d.choose(i, "branches_part", at)
	default:
		sets := int(max(1, min(d.values[i].most, int64(d.model.device.tuning.Together)/d.batch)))
		if o.Extremes {
			d.add("extremes", int(d.values[i].parts), sets, d.model.device.tuning.TopThreads, at)
		}
		d.add(o.Name, d.mapBlocks, sets, d.model.device.tuning.MapThreads, at)
	}
}

// choose launches an op whose choice one block makes, from all entities or from the parts' choices.
func (d *degreeRecorder) choose(i int, part string, argument int64) {
	threads := d.model.device.tuning.TopThreads
	if parts := int(d.values[i].parts); parts > 1 {
		d.add(part, parts, 1, threads, argument)
	}
	d.add(d.plan.Ops[i].Name, 1, 1, threads, argument)
}

// add adds a launch for all queries of the batch.
func (d *degreeRecorder) add(kernel string, x, y, threads int, argument int64) {
	d.launches = append(d.launches, cuda.Launch{Kernel: "efoc_fit_" + kernel, Grid: [3]int{x, y, int(d.batch)}, Threads: threads, Argument: argument})
}

// makeRows launches what makes the rows of some ops.
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
	h := rowsHeader{
		Scored: int64(len(predicted)), Count: int64(len(predicted) + len(others)), Together: d.together,
		Packed: d.packed, Scores: d.frames, Stride: d.stride, Frame: d.frame / 4,
	}
	h.Slots = d.put(slices.Concat(predicted, others))

	threads := d.model.device.tuning.MapThreads
	together := int64(d.model.device.tuning.Together)
	slots := int(max(1, min(h.Count, together/d.batch)))
	blocks := d.model.mapBlocks(slots * int(d.batch))
	if d.batch > 1 {
		h.Blocks = int64(blocks)
		at := int64(d.put(h))
		d.multiply(h.Scored, at)
		d.add("stats", blocks, slots, threads, at)
		d.add("degrees", blocks, slots, threads, at)
		return
	}
	scores := d.scores
	scores.Grid[1] = int(min((h.Scored+h.Together-1)/h.Together, together))
	scores.Grid[0] = max(1, min(scores.Grid[0], tiles(scoreTurns*d.resident, scores.Grid[1])))
	h.Blocks = int64(scores.Grid[0])
	scores.Argument = int64(d.put(h))
	d.launches = append(d.launches, scores)
	d.add("degrees", blocks, slots, threads, scores.Argument)
}

// multiply launches the kernels that score the given number of rows of each query of a batch; the rows are packed first.
func (d *degreeRecorder) multiply(rows, argument int64) {
	m := d.model
	all := rows * d.batch
	d.packedRows = max(d.packedRows, all)
	pack := cuda.Launch{Kernel: "efoc_fit_pack", Module: d.scores.Module, Grid: [3]int{int(rows), 1, int(d.batch)}, Threads: batchThreads, Shared: 4 * int(m.header.Stride), Argument: argument}
	products := pack
	products.Kernel = "efoc_fit_products"
	products.Grid = [3]int{tiles(int(all), tile) * tiles(int(m.header.N), tile), 1, 1}
	products.Shared = m.rows.batchShared
	d.launches = append(d.launches, pack, products)
}

// place returns the address of a region of the first query.
func (d *degreeRecorder) place(region int) cuda.Pointer {
	return d.frames + cuda.Pointer(d.offsets[region])
}
