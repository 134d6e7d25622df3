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
	Count               int64
	Known               cuda.Pointer
	Constant            int64
	Most, Rows          int64
	All, Few            int64
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

// opTable lays out what kernels read of the ops, and says how to launch them. It is made
// twice: to know its size, and then of addresses.
type opTable struct {
	*layout
	base, truth, room, queries cuda.Pointer
	regions                    []cuda.Pointer
	vector                     func(number int) cuda.Pointer
	grid                       tableGrid
	bytes                      []byte
	launches                   []cuda.Launch
}

// tableGrid says how kernels are launched: blocks and threads of those that go over
// entities, threads of a single block, and of a pass that makes rows.
type tableGrid struct {
	mapBlocks, mapThreads, topThreads int
	scores                            cuda.Launch
	together                          int64
	suffix                            string // of kernels that read the entity table
}

// put appends a header and returns its address.
func (t *opTable) put(header any) cuda.Pointer {
	at := t.base + cuda.Pointer(len(t.bytes))
	t.bytes, _ = binary.Append(t.bytes, binary.LittleEndian, header) // headers have a fixed size
	return at
}

// value returns the address of the header of a value: these come first.
func (t *opTable) value(i int) cuda.Pointer {
	return t.base + cuda.Pointer(i*binary.Size(valueHeader{}))
}

func (t *opTable) make() {
	for i := range t.values {
		t.put(t.valueHeader(i))
	}
	for _, group := range t.groups {
		if name := t.plan.Ops[group[0]].Name; name == "row" || name == "rows" {
			t.makeRows(group)
			continue
		}
		for _, i := range group {
			t.launch(i)
		}
	}
}

func (t *opTable) valueHeader(i int) valueHeader {
	v, o := &t.values[i], t.plan.Ops[i]
	h := valueHeader{Stride: t.stride, Relation: int64(o.Rel), Backward: bit(o.Backward), Negated: bit(o.Negated)}
	if v.over != none {
		h.Over = t.value(v.over)
	}
	switch v.kind {
	case vectorKind:
		h.Degrees = t.vector(v.vector)
		return h
	case setKind, rowsKind:
		h.Degrees = t.regions[v.region]
	default:
		h.Counts = t.regions[v.region]
		h.IDs = h.Counts + 8
		h.Parents = h.IDs + cuda.Pointer(4*v.most)
		h.Weights = h.Parents + cuda.Pointer(4*v.most)
	}
	if o.Name == "others" {
		h.Negated, h.Unequal = 1, 1
	}
	return h
}

func bit(x bool) int64 {
	if x {
		return 1
	}
	return 0
}

// op appends the header of an op.
func (t *opTable) op(i int) cuda.Pointer {
	v, o := &t.values[i], t.plan.Ops[i]
	h := opHeader{Truth: t.truth, Result: t.value(i), Constant: none, Most: v.most, Rows: v.rows, All: bit(t.exact()), Room: t.room}
	args := o.Args
	switch o.Name {
	case "row", "except":
		h.Constant = int64(o.Const)
	case "narrow":
		h.Known, args = t.value(args[0]), args[1:]
	case "best", "every":
		h.Few = 1
	}
	h.Count = int64(len(args))
	pointers := make([]cuda.Pointer, len(args))
	for j, a := range args {
		pointers[j] = t.value(a)
	}
	h.Args = t.put(pointers)
	return t.put(h)
}

// kernels are those of an op, in order; the first of two is for the operand, with a block
// for each branch.
func (t *opTable) kernels(name string) []string {
	switch name {
	case "root", Messages:
		return nil
	case "any", "except":
		return []string{"fill"}
	case "narrow":
		return []string{"push"}
	case "best", "every", "values":
		return []string{"best"}
	case "leaf":
		if t.exact() {
			return []string{"push"}
		}
		return []string{"extremes", "leaf"}
	case "peak", "other":
		return []string{"extremes", name}
	}
	return []string{name}
}

// launch launches an op that makes no rows.
func (t *opTable) launch(i int) {
	names := t.kernels(t.plan.Ops[i].Name)
	if names == nil {
		return
	}
	at := t.op(i)
	sets := int(min(t.values[i].most, mostTogether))
	for _, name := range names {
		c := cuda.Launch{Kernel: "efoc_fit_" + name, Grid: [3]int{t.grid.mapBlocks, max(1, sets), 1}, Threads: t.grid.mapThreads, Argument: int64(at)}
		switch name {
		case "best", "branch":
			c.Grid, c.Threads = [3]int{1, 1, 1}, t.grid.topThreads
		case "extremes":
			c.Grid, c.Threads = [3]int{1, max(1, sets), 1}, t.grid.topThreads
		}
		t.launches = append(t.launches, c)
	}
}

// makeRows launches a pass that makes the rows of some ops.
func (t *opTable) makeRows(group []int) {
	var predicted, others []slotHeader
	for _, i := range group {
		at := t.op(i)
		for j := range t.values[i].most {
			s := slotHeader{at, j}
			if j < t.scored(i) {
				predicted = append(predicted, s)
			} else {
				others = append(others, s)
			}
		}
	}
	if len(predicted)+len(others) == 0 {
		return // no candidate has rows
	}
	h := rowsHeader{Scored: int64(len(predicted)), Count: int64(len(predicted) + len(others)), Together: t.grid.together, Queries: t.queries}
	h.Slots = t.put(slices.Concat(predicted, others))
	at := int64(t.put(h))
	scores := t.grid.scores
	scores.Grid[1] = int(min((h.Scored+h.Together-1)/h.Together, mostTogether))
	scores.Argument = at
	t.launches = append(t.launches,
		cuda.Launch{Kernel: "efoc_fit_project" + t.grid.suffix, Grid: [3]int{len(predicted), 1, 1}, Threads: t.grid.mapThreads, Argument: at},
		scores,
		cuda.Launch{Kernel: "efoc_fit_degrees", Grid: [3]int{int(h.Count), 1, 1}, Threads: t.grid.topThreads, Argument: at})
}
