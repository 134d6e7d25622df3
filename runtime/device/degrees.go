package device

import "fmt"

// Degrees is a plan of truth degrees, which the kernels of package kernels/cuda/fit run op by
// op.
type Degrees struct {
	Ops []DegreeOp
	// Lists are the ops whose vectors are ranked: the answer, then the fuzzy sets.
	Lists []int
}

// DegreeOp is an op of truth degrees.
type DegreeOp struct {
	// Name is the op's name in plan text, and with a prefix the name of its kernel.
	Name string
	// Space is the space of the result.
	Space Space
	// Args are the numbers of earlier ops. A vector without them is the answer of message passing,
	// branches without them are a single one.
	Args []int
	// Const, Rel and Filter are slots.
	Const, Rel, Filter int
	Backward, Negated  bool
	// Rows says that the op makes rows, in sweeps of the entity table; other rows belong to an
	// inequality. Sweep is the number of the sweep that it shares with its neighbours, 0 for none.
	Rows  bool
	Sweep int
	// Extremes says that the op reads the largest degrees of its operand, Joins that it brings the
	// sets of all branches together.
	Extremes, Joins bool
	// Values is the number of candidates, for each of the K best.
	Values int
}

// kernel reports whether a kernel of its own makes the op.
func (o *DegreeOp) kernel() bool {
	given := len(o.Args) == 0 && (o.Space == VectorSpace || o.Space == BranchesSpace)
	return !o.Rows && !given
}

// Space is the kind of thing that a value of truth degrees ranges over.
type Space uint8

// The spaces of values.
const (
	// SetSpace has fuzzy sets: one, or one for each branch.
	SetSpace Space = iota
	// CandidatesSpace has the best entities of a variable, and RowsSpace a row for each.
	CandidatesSpace
	RowsSpace
	// BranchesSpace has the values that enumerated variables take together.
	BranchesSpace
	// VectorSpace has a number for each entity.
	VectorSpace
)

// String returns the name of the space in Go.
func (s Space) String() string {
	return [...]string{"SetSpace", "CandidatesSpace", "RowsSpace", "BranchesSpace", "VectorSpace"}[s]
}

// maxBranches is the bound of package fit on the branches of several enumerated variables, for
// each candidate.
const maxBranches = 64

// manyBranches is more than any memory holds, and small enough to be multiplied with.
const manyBranches = 1 << 36

// mostBytes is more than any memory has, and small enough to be added to.
const mostBytes = 1 << 60

// none stands where there is no op, region or vector.
const none = -1

// laidValue is a value of the plan, and where it is kept.
type laidValue struct {
	space Space
	// over is the op whose branches the sets are for, or whose candidates have the rows;
	// none for a single set.
	over int
	// most is how many sets, rows, candidates or branches there are at most, rows how many
	// candidates have theirs.
	most, rows int64
	// parts is into how many parts a choice of candidates or branches is divided first.
	parts int64
	// region is where it is, vector the number of a vector.
	region, vector int
}

// bounds holds everything that a layout depends on beside the plan.
type bounds struct {
	entities, candidates, batch int64
	// blocks of a sweep there are at most.
	blocks int64
	// messages is the vector of the answer of message passing, next the first free vector.
	messages, next int
	// parts of a choice there may be at most, and part is how many keys one has at least.
	parts, part int64
}

// layout says what memory a plan of truth degrees needs for models of n entities and k candidates:
// frames, one for each query of a batch, of regions. Degrees share regions that are free again.
type layout struct {
	bounds
	plan    *Degrees
	groups  [][]int // ops that are launched together: rows of one sweep, or one op
	n       int64
	k       int64 // candidates
	stride  int64 // degrees from set to set
	values  []laidValue
	regions []int64         // in bytes
	idle    map[int64][]int // regions by size
	vectors int             // the next number
	room    int64           // of single ops, in bytes
	// A frame begins with the room and then has the regions: offsets says where, frame how many bytes
	// it has.
	offsets []int64
	frame   int64
}

// newLayout lays out a plan.
func newLayout(p *Degrees, b bounds) (*layout, error) {
	l := &layout{
		bounds: b, plan: p, n: b.entities, k: min(b.candidates, b.entities), stride: (b.entities + 64) / 64 * 64,
		values: make([]laidValue, len(p.Ops)), idle: map[int64][]int{}, vectors: b.next,
	}
	last := make([]int, len(p.Ops))
	for i, o := range p.Ops {
		for _, a := range o.Args {
			if a < 0 || a >= i {
				return nil, fmt.Errorf("op %d, %s, reads op %d: generate the kernels again", i, o.Name, a)
			}
			last[a] = i
		}
		if i > 0 && o.Sweep > 0 && o.Sweep == p.Ops[i-1].Sweep {
			l.groups[len(l.groups)-1] = append(l.groups[len(l.groups)-1], i)
		} else {
			l.groups = append(l.groups, []int{i})
		}
	}
	for _, group := range l.groups {
		scored := int64(0)
		for _, i := range group {
			l.lay(i)
			scored += l.scored(i)
		}
		l.need(scored * (4*l.stride + 8*l.blocks)) // scores and the statistics of their softmax
		for a, end := range last[:group[len(group)-1]] {
			if v := l.values[a]; end >= group[0] && end <= group[len(group)-1] && v.degrees() {
				l.idle[l.regions[v.region]] = append(l.idle[l.regions[v.region]], v.region)
			}
		}
	}
	for _, i := range p.Lists {
		if i < 0 || i >= len(p.Ops) || l.values[i].space != VectorSpace {
			return nil, fmt.Errorf("op %d is ranked and no vector: generate the kernels again", i)
		}
	}
	l.frame = aligned(l.room)
	for _, bytes := range l.regions {
		l.offsets = append(l.offsets, l.frame)
		l.frame = min(l.frame+aligned(bytes), mostBytes)
	}
	return l, nil
}

// exact reports whether every entity has its rows.
func (l *layout) exact() bool { return l.k >= l.n }

// lay finds the place of the result of an op.
func (l *layout) lay(i int) {
	o := &l.plan.Ops[i]
	v := laidValue{space: o.Space, over: none, most: 1, region: none, vector: none}
	switch {
	case o.Space == VectorSpace && o.kernel():
		v.vector = l.vectors
		l.vectors++
	case o.Space == VectorSpace:
		v.vector = l.messages
	case o.Space == CandidatesSpace:
		v.most, v.rows = l.candidates(o)
		v.region = l.region(4 * (2 + v.most))
		l.divide(&v, l.n)
	case o.Space == BranchesSpace && o.kernel():
		v.over = o.Args[1]
		all := min(l.values[o.Args[2]].most*l.values[v.over].most, manyBranches)
		v.most = all
		if !l.exact() {
			v.most = min(all, max(maxBranches*l.k, l.values[v.over].most))
		}
		v.region = l.region(4 * (2 + 3*v.most))
		l.divide(&v, all)
	case o.Space == BranchesSpace:
		v.region = l.region(4 * (2 + 3*v.most))
	default:
		v.over = l.over(o)
		if v.over != none {
			v.most = l.values[v.over].most
		}
		l.need(16 * v.most) // extremes
		size := 4 * v.most * l.stride
		if idle := l.idle[size]; len(idle) > 0 {
			v.region = idle[0]
			l.idle[size] = idle[1:]
		} else {
			v.region = l.region(size)
		}
	}
	l.values[i] = v
}

// divide decides on the parts of a choice among count entities, which together keep half of them at
// most. Its room has the keys and degrees of the chosen entities, and the keys that each part keeps.
func (l *layout) divide(v *laidValue, count int64) {
	kept := v.most + 1
	v.parts = max(1, min(l.parts, count/l.part, count/(2*kept)))
	l.need(16*v.most + 8*v.parts*kept)
}

// need notes that an op needs room of its own.
func (l *layout) need(bytes int64) { l.room = max(l.room, bytes) }

// scored returns how many rows an op predicts at most.
func (l *layout) scored(i int) int64 {
	switch o := &l.plan.Ops[i]; {
	case !o.Rows:
		return 0
	case o.Space == RowsSpace:
		return l.values[l.values[i].over].rows
	}
	return 1
}

// candidates returns how many candidates an op finds at most, and how many of them have rows.
func (l *layout) candidates(o *DegreeOp) (most, rows int64) {
	if l.exact() {
		return l.n, l.n
	}
	most = min(l.n, int64(o.Values)*l.k)
	return most, min(l.k, most)
}

// over returns the branches of a set, or the candidates of rows: the ones that the op reads, or else
// the ones of the sets that it reads.
func (l *layout) over(o *DegreeOp) int {
	if o.Joins {
		return none
	}
	over := none
	for _, a := range o.Args {
		switch v := &l.values[a]; v.space {
		case CandidatesSpace, BranchesSpace:
			return a
		case SetSpace:
			over = max(over, v.over)
		}
	}
	return over
}

// degrees reports whether a value is degrees in a region.
func (v *laidValue) degrees() bool { return v.space == SetSpace || v.space == RowsSpace }

func (l *layout) region(bytes int64) int {
	l.regions = append(l.regions, bytes)
	return len(l.regions) - 1
}
