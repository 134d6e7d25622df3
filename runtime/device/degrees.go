package device

import "fmt"

// Degrees is a plan of truth degrees, whose ops the kernels of package kernels/cuda/fit run one by one.
type Degrees struct {
	Ops []DegreeOp
	// Lists are the ops with vectors to rank: the answer, then the fuzzy sets.
	Lists []int
}

// DegreeOp is an op of truth degrees.
type DegreeOp struct {
	// Name is the op's name in plan text and, with a prefix, its kernel's name.
	Name string
	// Space is the space of the result.
	Space Space
	// Args are the numbers of earlier ops. A vector without Args is the answer of message passing; branches without
	// Args are a single branch.
	Args []int
	// Const, Rel and Filter are slots.
	Const, Rel, Filter int
	Backward, Negated  bool
	// Rows says that the op makes rows, in sweeps of the entity table; other rows belong to an inequality. Sweep is
	// the number of the sweep shared with neighbouring ops, 0 for none.
	Rows  bool
	Sweep int
	// Extremes says that the op reads the largest degrees of its operand, Joins that it merges the sets of all
	// branches.
	Extremes, Joins bool
	// Values is the number of candidates per K.
	Values int
}

// kernel reports whether the op has a kernel of its own.
func (o *DegreeOp) kernel() bool {
	given := len(o.Args) == 0 && (o.Space == VectorSpace || o.Space == BranchesSpace)
	return !o.Rows && !given
}

// Space is the domain of a value of truth degrees.
type Space uint8

// The spaces of values.
const (
	// SetSpace has fuzzy sets: one, or one for each branch.
	SetSpace Space = iota
	// CandidatesSpace has the best entities of a variable, and RowsSpace a row for each.
	CandidatesSpace
	RowsSpace
	// BranchesSpace has the joint values of enumerated variables.
	BranchesSpace
	// VectorSpace has a number for each entity.
	VectorSpace
)

// String returns the name of the space in Go.
func (s Space) String() string {
	return [...]string{"SetSpace", "CandidatesSpace", "RowsSpace", "BranchesSpace", "VectorSpace"}[s]
}

// maxBranches is package fit's bound on the branches of several enumerated variables, per candidate.
const maxBranches = 64

// manyBranches exceeds any memory, but can be multiplied without overflow.
const manyBranches = 1 << 36

// mostBytes exceeds any memory, but can be added without overflow.
const mostBytes = 1 << 60

// none marks a missing op, region or vector.
const none = -1

// laidValue is a value of the plan with its location.
type laidValue struct {
	space Space
	// over is the op with the branches of the sets, or with the candidates of the rows; none for a single set.
	over int
	// most bounds the number of sets, rows, candidates or branches; rows bounds the candidates with rows.
	most, rows int64
	// parts is the number of parts that a choice of candidates or branches, or a search for extremes, starts from.
	parts int64
	// region is the location, vector the number of a vector.
	region, vector int
}

// bounds holds everything that a layout depends on besides the plan.
type bounds struct {
	entities, candidates, batch int64
	// blocks bounds the blocks that make the statistics of a row.
	blocks int64
	// messages is the vector of the answer of message passing, next the first free vector.
	messages, next int
	// parts bounds the parts of a choice or a search; part is the least number of keys in one.
	parts, part int64
}

// layout is the memory that a plan of truth degrees needs for n entities and k candidates: frames of regions, one
// frame per query of a batch. Degrees reuse free regions.
type layout struct {
	bounds
	plan    *Degrees
	groups  [][]int // ops launched together: rows of one sweep, or one op
	n       int64
	k       int64 // candidates
	stride  int64 // degrees from set to set
	values  []laidValue
	regions []int64         // in bytes
	idle    map[int64][]int // regions by size
	vectors int             // the next number
	room    int64           // for single ops, in bytes
	// A frame consists of the room and the regions: offsets are their positions, frame is the size in bytes.
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

// exact reports whether every entity has rows.
func (l *layout) exact() bool { return l.k >= l.n }

// lay allocates the result of an op.
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
		if o.Extremes {
			v.parts = max(1, min(l.parts, l.n/l.part))
			l.need(16 * v.most * v.parts)
		}
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

// divide chooses the parts of a choice among count entities, which together keep at most half of them. Its room holds
// the keys and degrees of the chosen entities, and the keys that each part keeps.
func (l *layout) divide(v *laidValue, count int64) {
	kept := v.most + 1
	v.parts = max(1, min(l.parts, count/l.part, count/(2*kept)))
	l.need(16*v.most + 8*v.parts*kept)
}

// need records that an op needs scratch room.
func (l *layout) need(bytes int64) { l.room = max(l.room, bytes) }

// scored bounds the rows that an op predicts.
func (l *layout) scored(i int) int64 {
	switch o := &l.plan.Ops[i]; {
	case !o.Rows:
		return 0
	case o.Space == RowsSpace:
		return l.values[l.values[i].over].rows
	}
	return 1
}

// candidates bounds the candidates that an op finds, and those with rows.
func (l *layout) candidates(o *DegreeOp) (most, rows int64) {
	if l.exact() {
		return l.n, l.n
	}
	most = min(l.n, int64(o.Values)*l.k)
	return most, min(l.k, most)
}

// over returns the branches of a set, or the candidates of rows: the op's own operand, otherwise the operand of the sets
// that it reads.
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

// degrees reports whether a value consists of degrees in a region.
func (v *laidValue) degrees() bool { return v.space == SetSpace || v.space == RowsSpace }

func (l *layout) region(bytes int64) int {
	l.regions = append(l.regions, bytes)
	return len(l.regions) - 1
}
