package ir

import "cmp"

// Op is an operation of the plan language. The zero Op is invalid.
type Op uint8

// The operations, grouped by their inputs.
const (
	Invalid Op = iota

	// Inputs: they read only slots.
	Entity    // the embedding of a constant
	OneHot    // the fuzzy vector of a constant: 1 at the constant, 0 elsewhere
	Factors   // the degree to which each entity meets a filter
	Neighbors // one row of the adjacency: traverse of a constant's one-hot vector
	LoopScore // every entity's score with itself under a relation
	Loops     // the diagonal of the adjacency of a relation
	Ends      // the heads, or the tails, of a relation's facts

	// One-hop inference.
	Project    // a relation applied to an embedding
	Score      // inner product of an embedding with every entity's
	Softmax    // softmax over the entities
	Traverse   // product of a fuzzy vector with the adjacency of a relation
	Complement // α/n − x
	Elsewhere  // 1 − x: the mass of a state outside each entity
	Normalize  // N(x): entries below ε are set to 0, the others divided by their sum
	Blend      // weighted sum of a neural and a symbolic part
	Mul        // element-wise product (fuzzy conjunction)

	// Node states and the answer.
	Embed    // Σ_e x[e]·E_e
	Estimate // Σ_e g[e]·E_e for an estimate g of a state, computed from raw scores and messages
	Correct  // Σ_e x[e]·E_e, by correcting one or two estimates
	Cosine   // cosine of an embedding with every entity's; 0 for a zero vector
	Mix      // λ·x + (1−λ)·y
	Readout  // the answer, or its message-passing part in a mixture: λ·x + (1−λ)·softmax_e cos(y, E_e); only the best entities may be computed
	ScaleMax // x divided by its largest entry
	ScaleSum // x divided by its sum
	Max      // element-wise maximum (fuzzy disjunction)

	// Softmax, Normalize, ScaleMax and ScaleSum, each split into a reduction over all entities and the element-wise
	// op that uses it. Made by pass SplitReductions.
	SumExp  // the largest entry m, and Σ exp(x − m)
	SumCut  // Σ of the entries of at least ε
	Sum     // Σ x
	Largest // the largest entry
	Share   // softmax, given SumExp
	Cut     // normalize, given SumCut
	Over    // x divided by a number

	// Messages and states as single values, in plans for small tables. Made by pass Fuse.
	Message // one-hop inference: the normalised blend of a softmax with observed links, or with their complement
	State   // the normalised product of messages

	// Truth degrees: the rows of atoms and values computed from them. Package fit of the runtime defines the
	// semantics.
	Row      // the degrees of an atom with a constant, from its scores if message passing has computed them
	Any      // degree 1 everywhere
	Except   // degree 1 everywhere except at a constant
	Selected // the degrees to which entities meet a filter
	Peak     // the largest degree, everywhere
	Best     // the K best entities
	Every    // all entities if K is their number, otherwise none
	Values   // the values of an enumerated variable
	Rows     // a row for each of the K best: a sweep of K rows
	Others   // for each candidate, a row of all other entities
	Diagonal // the degrees of r(x,x)
	Push     // the largest product of a variable's degree and its rows: max-product
	Narrow   // the same, times the known degrees of the target variable
	Leaf     // push of a variable that is not connected to a constant by positive atoms
	Other    // push along only an inequality: the largest degree of another entity
	Root     // one branch, of weight 1
	Branch   // one branch per value of a variable and parent branch
	Each     // the product of the rows of each branch's value
	Follow   // the degrees of each branch's parent branch
	Join     // the largest degree in any branch, multiplied by its weight
	Times    // product of degrees (fuzzy conjunction)
	Either   // probabilistic sum of degrees (fuzzy disjunction)
	Dense    // degrees as a fuzzy vector
	Mixture  // log-linear mixture of probabilities and degrees

	numOps
)

// Space is the type of a value.
type Space uint8

// The spaces of values.
const (
	// Embedding values are the 2d coordinates of a point in the embedding space.
	Embedding Space = iota + 1
	// Entities values are fuzzy vectors: one number for each of the n entities.
	Entities
	// Degrees values are sparse fuzzy sets of the n entities, with a default degree: one for all branches, or one
	// per branch.
	Degrees
	// Candidates are the best entities of a variable; AtomRows are a row for each.
	Candidates
	AtomRows
	// Branches are joint assignments of the enumerated variables.
	Branches
	// Number values are the result of a reduction over all entities: one number or two.
	Number
)

// String returns the name in plan text.
func (s Space) String() string {
	return [...]string{"invalid", "emb", "vec", "deg", "cand", "rows", "branch", "num"}[s]
}

// Info is the row of the op table for one op.
type Info struct {
	// Name in plan text. Method names the runtime's method, if it is not the capitalised Name.
	Name, Method string
	// Noun is the suffix of a value's name in generated code and says what the value is. States, messages and
	// answers have none.
	Noun string
	// Args are the spaces of the operands.
	Args []Space
	// Variadic says that the last of Args may repeat, Optional that it may be omitted.
	Variadic, Optional bool
	// Result is the space of the result.
	Result Space
	// Const, Rel, Filter, Dir and Neg say which attributes the op has: a constant slot, a relation slot, a filter
	// slot, a direction, a sign.
	Const, Rel, Filter, Dir, Neg bool
	// Index says that the op has an index: of the atom whose rows it reads, or of the variable that it processes.
	Index bool
	// Commutes says that the operands may be permuted.
	Commutes bool
	// Sweeps is the cost in sweeps of the whole entity table.
	Sweeps int
	// WholeSweeps is the additional cost of the whole result, if that is read after the run; the best entities
	// alone do not need it. The value is the answer and comes last in the plan, so that its operands are still
	// available.
	WholeSweeps int
	// Raw says that the sweep makes raw scores, which other ops of the same sweep may read row by row.
	Raw bool
	// Stored says that the result is read in place, from the entity table, and needs no buffer.
	Stored bool
	// InPlace says that the result may overwrite one of the first two operands, because it is computed entry by
	// entry; further operands are combined in one after the other.
	InPlace bool
	// Consumes says that the result overwrites the second operand, which has no other use.
	Consumes bool
	// Tiles says that the op occurs only in plans for small tables: see pass.Fuse.
	Tiles bool
	// Degrees says that the op belongs to truth degrees, Rows that it makes rows of them.
	Degrees, Rows bool
	// Exchanges says that machines that have part of the entities each exchange data for the op: sums and maxima, links of
	// other machines, or the best entities. Ops of truth degrees exchange once per branch; Correct exchanges again if the
	// first sum is too inaccurate.
	Exchanges bool
	// Formula documents the computation.
	Formula string
}

var (
	none    []Space
	emb     = []Space{Embedding}
	vec     = []Space{Entities}
	vecnum  = []Space{Entities, Number}
	vecvec  = []Space{Entities, Entities}
	deg     = []Space{Degrees}
	degdeg  = []Space{Degrees, Degrees}
	degrows = []Space{Degrees, AtomRows}
	opTable = [numOps]Info{
		Entity:     {Name: "entity", Args: none, Result: Embedding, Const: true, Stored: true, Formula: "E_s"},
		OneHot:     {Name: "onehot", Method: "OneHot", Noun: "OneHot", Args: none, Result: Entities, Const: true, Formula: "1 at s"},
		Factors:    {Name: "factors", Noun: "Factors", Args: none, Result: Entities, Filter: true, Formula: "the degree to which e meets p"},
		Neighbors:  {Name: "neighbors", Noun: "Counts", Args: none, Result: Entities, Const: true, Rel: true, Dir: true, Formula: "row s of M_r, or of its transpose"},
		LoopScore:  {Name: "loopscore", Method: "LoopScore", Noun: "Scores", Args: none, Result: Entities, Rel: true, Neg: true, Sweeps: 1, Raw: true, Formula: "±⟨r⊗E_e, E_e⟩"},
		Loops:      {Name: "loops", Noun: "Counts", Args: none, Result: Entities, Rel: true, Formula: "diag M_r"},
		Ends:       {Name: "ends", Noun: "Ends", Args: none, Result: Entities, Rel: true, Dir: true, Formula: "1 where M_r has a row, or a column backward"},
		Project:    {Name: "project", Noun: "Query", Args: emb, Result: Embedding, Rel: true, Dir: true, Neg: true, Formula: "±r⊗x, or ±conj(r)⊗x backward"},
		Score:      {Name: "score", Noun: "Scores", Args: emb, Result: Entities, Sweeps: 1, Raw: true, Formula: "⟨x, E_e⟩"},
		Softmax:    {Name: "softmax", Noun: "Softmax", Args: vec, Result: Entities, InPlace: true, Exchanges: true, Formula: "softmax_e x"},
		Traverse:   {Name: "traverse", Noun: "Counts", Args: vec, Result: Entities, Rel: true, Dir: true, Exchanges: true, Formula: "x·M_r, or x·M_rᵀ backward"},
		Complement: {Name: "complement", Noun: "Absent", Args: vec, Result: Entities, InPlace: true, Formula: "α/n − x"},
		Elsewhere:  {Name: "elsewhere", Noun: "Elsewhere", Args: vec, Result: Entities, InPlace: true, Formula: "1 − x"},
		Normalize:  {Name: "normalize", Args: vec, Result: Entities, InPlace: true, Exchanges: true, Formula: "N(x)"},
		Blend:      {Name: "blend", Noun: "Blend", Args: vecvec, Result: Entities, InPlace: true, Formula: "2(1−w)·x + 2w·y"},
		Mul:        {Name: "mul", Noun: "Product", Args: vecvec, Variadic: true, Result: Entities, Commutes: true, InPlace: true, Formula: "x ∘ y ∘ …"},
		Embed:      {Name: "embed", Noun: "Emb", Args: vec, Result: Embedding, Sweeps: 1, Exchanges: true, Formula: "Σ_e x[e]·E_e"},
		Estimate:   {Name: "estimate", Noun: "Estimate", Args: vec, Variadic: true, Result: Embedding, Sweeps: 1, Formula: "Σ_e g[e]·E_e, g = exp(Σ scores − max) ∘ Π others"},
		Correct:    {Name: "correct", Noun: "Emb", Args: []Space{Entities, Embedding}, Variadic: true, Result: Embedding, Consumes: true, Exchanges: true, Formula: "Σ_e x[e]·E_e, from estimates of it"},
		Cosine:     {Name: "cosine", Noun: "Cosines", Args: emb, Result: Entities, Sweeps: 1, Formula: "cos(x, E_e)"},
		Mix:        {Name: "mix", Args: vecvec, Result: Entities, InPlace: true, Formula: "λ·x + (1−λ)·y"},
		Readout:    {Name: "readout", Args: []Space{Entities, Embedding}, Result: Entities, WholeSweeps: 1, Formula: "λ·x + (1−λ)·softmax_e cos(y, E_e)"},
		ScaleMax:   {Name: "scalemax", Method: "ScaleMax", Noun: "Scaled", Args: vec, Result: Entities, InPlace: true, Exchanges: true, Formula: "x / max x"},
		ScaleSum:   {Name: "scalesum", Method: "ScaleSum", Args: vec, Result: Entities, InPlace: true, Exchanges: true, Formula: "x / Σ x"},
		Max:        {Name: "max", Noun: "Max", Args: vecvec, Variadic: true, Result: Entities, Commutes: true, InPlace: true, Formula: "max(x, y, …)"},
		SumExp:     {Name: "sumexp", Args: vec, Result: Number, Exchanges: true, Formula: "m = max x, Σ exp(x − m)"},
		SumCut:     {Name: "sumcut", Args: vec, Result: Number, Exchanges: true, Formula: "Σ of x ≥ ε"},
		Sum:        {Name: "sum", Args: vec, Result: Number, Exchanges: true, Formula: "Σ x"},
		Largest:    {Name: "largest", Args: vec, Result: Number, Exchanges: true, Formula: "max x"},
		Share:      {Name: "share", Args: vecnum, Result: Entities, InPlace: true, Formula: "exp(x − m) / Σ exp(x − m)"},
		Cut:        {Name: "cut", Args: vecnum, Result: Entities, InPlace: true, Formula: "x / max(ε, a), 0 where x < ε"},
		Over:       {Name: "over", Args: vecnum, Result: Entities, InPlace: true, Formula: "x / a, 0 unless a > 0"},
		Message:    {Name: "message", Args: vecvec, Result: Entities, Neg: true, InPlace: true, Tiles: true, Formula: "N(2(1−w)·softmax_e x + 2w·N(y)), or with α/n − y"},
		State:      {Name: "state", Args: vec, Variadic: true, Result: Entities, InPlace: true, Tiles: true, Formula: "N(x ∘ y ∘ …)"},
		Row:        {Name: "row", Noun: "Row", Args: vec, Optional: true, Result: Degrees, Const: true, Rel: true, Dir: true, Neg: true, Index: true, Sweeps: 1, Degrees: true, Rows: true, Formula: "P_r(s), or 1 − min(1, ν·P_r(s))"},
		Any:        {Name: "any", Noun: "Any", Args: none, Result: Degrees, Degrees: true, Formula: "1"},
		Except:     {Name: "except", Noun: "Except", Args: none, Result: Degrees, Const: true, Degrees: true, Formula: "1, 0 at s"},
		Selected:   {Name: "selected", Noun: "Selected", Args: none, Result: Degrees, Filter: true, Degrees: true, Formula: "the degree to which e meets p"},
		Peak:       {Name: "peak", Noun: "Peak", Args: deg, Result: Degrees, Index: true, Degrees: true, Exchanges: true, Formula: "max_e x[e]"},
		Best:       {Name: "best", Noun: "Best", Args: deg, Result: Candidates, Degrees: true, Exchanges: true, Formula: "the K entities of largest x"},
		Every:      {Name: "every", Noun: "Every", Args: deg, Result: Candidates, Degrees: true, Exchanges: true, Formula: "best x if K = n, otherwise none"},
		Values:     {Name: "values", Noun: "Values", Args: deg, Variadic: true, Result: Candidates, Index: true, Degrees: true, Exchanges: true, Formula: "the i·K entities of largest x ∘ y ∘ …, K of them with rows"},
		Rows:       {Name: "rows", Noun: "Rows", Args: []Space{Candidates}, Result: AtomRows, Rel: true, Dir: true, Neg: true, Index: true, Sweeps: 1, Degrees: true, Rows: true, Formula: "P_r(c) for c in a, or 1 − min(1, ν·P_r(c))"},
		Others:     {Name: "others", Noun: "Others", Args: []Space{Candidates}, Result: AtomRows, Degrees: true, Formula: "1, 0 at c, for c in a"},
		Diagonal:   {Name: "diagonal", Noun: "Loops", Args: []Space{AtomRows}, Result: Degrees, Degrees: true, Formula: "R_c[c]"},
		Push:       {Name: "push", Noun: "Push", Args: degrows, Variadic: true, Result: Degrees, Index: true, Degrees: true, Exchanges: true, Formula: "max_c x[c]·R_c ∘ S_c ∘ …"},
		Narrow:     {Name: "narrow", Noun: "Push", Args: []Space{Degrees, Degrees, AtomRows}, Variadic: true, Result: Degrees, Index: true, Degrees: true, Exchanges: true, Formula: "x ∘ max_c y[c]·R_c ∘ S_c ∘ …"},
		Leaf:       {Name: "leaf", Noun: "Push", Args: degrows, Variadic: true, Result: Degrees, Index: true, Degrees: true, Exchanges: true, Formula: "push if K = n, otherwise x by observed links, or φ"},
		Other:      {Name: "other", Noun: "Other", Args: deg, Result: Degrees, Index: true, Degrees: true, Exchanges: true, Formula: "max_{c≠e} x[c]"},
		Root:       {Name: "root", Args: none, Result: Branches, Degrees: true, Formula: "one branch"},
		Branch:     {Name: "branch", Noun: "Branches", Args: []Space{Degrees, Candidates, Branches, AtomRows}, Variadic: true, Result: Branches, Index: true, Degrees: true, Exchanges: true, Formula: "w_b·x_b[c] for c in a, b in B, but c that lead nowhere"},
		Each:       {Name: "each", Noun: "Each", Args: []Space{Branches, AtomRows}, Variadic: true, Result: Degrees, Degrees: true, Formula: "R_c ∘ S_c ∘ … of each branch's c"},
		Follow:     {Name: "follow", Noun: "Followed", Args: []Space{Degrees, Branches}, Result: Degrees, Degrees: true, Formula: "x of each branch's parent"},
		Join:       {Name: "join", Noun: "Joined", Args: []Space{Degrees, Branches}, Result: Degrees, Degrees: true, Formula: "max_b w_b·x_b"},
		Times:      {Name: "times", Noun: "Product", Args: degdeg, Variadic: true, Result: Degrees, Commutes: true, Degrees: true, Formula: "x ∘ y ∘ …"},
		Either:     {Name: "either", Args: degdeg, Variadic: true, Result: Degrees, Degrees: true, Formula: "1 − (1−x) ∘ (1−y) ∘ …"},
		Dense:      {Name: "dense", Noun: "Degrees", Args: deg, Result: Entities, Degrees: true, Formula: "x"},
		Mixture:    {Name: "mixture", Args: vecvec, Result: Entities, InPlace: true, Degrees: true, Formula: "(x+a)^(1−g) ∘ (y+b)^g, scaled to 0 for x = y = 0 and 1 for x = y = 1"},
	}
)

// Ops returns all ops, in the order of the table.
func Ops() []Op {
	ops := make([]Op, 0, numOps-1)
	for op := Invalid + 1; op < numOps; op++ {
		ops = append(ops, op)
	}
	return ops
}

// Info returns the op's row of the op table; the row of an unknown op is empty.
func (op Op) Info() Info {
	if op >= numOps {
		return Info{}
	}
	return opTable[op]
}

// String returns the op's name in plan text.
func (op Op) String() string {
	return cmp.Or(op.Info().Name, "invalid")
}
