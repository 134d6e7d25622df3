package ir

import "cmp"

// Op is an operation of the plan language. The zero Op is invalid.
type Op uint8

// The operations, grouped by what they read.
const (
	Invalid Op = iota

	// Inputs: they read slots alone.
	Entity    // the embedding of a constant
	OneHot    // the fuzzy vector of a constant: 1 at the constant, 0 elsewhere
	Factors   // the degree to which each entity meets a filter
	Neighbors // one row of the adjacency: traverse of a constant's one-hot vector
	LoopScore // every entity's score with itself under a relation
	Loops     // the diagonal of the adjacency of a relation
	Ends      // the heads of a relation's facts, or their tails
	KeptVec   // a vector that was computed when the plan was bound
	KeptEmb   // an embedding that was computed when the plan was bound

	// One-hop inference.
	Project    // the embedding that a relation sends a state to
	Score      // inner product of an embedding with every entity's
	Softmax    // softmax over the entities
	Traverse   // product of a fuzzy vector with the adjacency of a relation
	Complement // α/n − x
	Elsewhere  // 1 − x: the mass of a state that is not at each entity
	Normalize  // N(x): entries below ε are cut, the rest is divided by its sum
	Blend      // a neural and a symbolic part, weighed
	Mul        // element-wise product (fuzzy conjunction)

	// Node states and the answer.
	Embed    // Σ_e x[e]·E_e
	Estimate // Σ_e g[e]·E_e for an estimate g of a state, made of raw scores and messages
	Correct  // Σ_e x[e]·E_e, from one or two estimates of it
	Cosine   // cosine of an embedding with every entity's; 0 for a zero vector
	Mix      // λ·x + (1−λ)·y
	Readout  // the answer, or a mixture's share of it: λ·x + (1−λ)·softmax_e cos(y, E_e); the best entities may suffice
	ScaleMax // x divided by its largest entry
	ScaleSum // x divided by its sum
	Max      // element-wise maximum (fuzzy disjunction)

	// Softmax, Normalize, ScaleMax and ScaleSum in two: a number that all entities
	// contribute to, and what each entry becomes by it. Pass SplitReductions makes them.
	SumExp  // the largest entry m, and Σ exp(x − m)
	SumCut  // Σ of the entries that are ε at least
	Sum     // Σ x
	Largest // the largest entry
	Share   // softmax, by its SumExp
	Cut     // normalize, by its SumCut
	Over    // x divided by a number

	// Messages and states as one value each, in plans for small tables. Pass Fuse makes them.
	Message // one-hop inference: the normalised blend of a softmax with observed links, or with their complement
	State   // the normalised product of messages

	// Truth degrees: the rows of atoms and the values made from them. Package fit of the
	// runtime states the semantics.
	Row      // the degrees of an atom with a constant, by its scores if message passing has them
	Any      // degree 1 everywhere
	Except   // degree 1 everywhere but at a constant
	Selected // the degrees to which entities meet a filter
	Peak     // the largest degree, everywhere
	Best     // the K best entities
	Every    // all entities if K is their number, otherwise none
	Values   // the entities that an enumerated variable takes
	Rows     // a row for each of the K best: a sweep of K rows
	Others   // a row of all other entities for each candidate
	Diagonal // the degrees of r(x,x)
	Push     // the best product of a variable's degree and of its rows: max-product
	Narrow   // the same, times the known degrees of the target variable
	Leaf     // push of a variable that no constant informs
	Other    // push along an inequality alone: the largest degree of another entity
	Root     // one branch, of weight 1
	Branch   // a branch for each value of a variable, in each branch
	Each     // the product of the rows of each branch's value
	Follow   // the degrees of each branch's parent
	Join     // the largest degree in any branch, times its weight
	Times    // product of degrees (fuzzy conjunction)
	Either   // probabilistic sum of degrees (fuzzy disjunction)
	Dense    // degrees as a fuzzy vector
	Mixture  // log-linear mixture of probabilities and degrees

	numOps
)

// Space is what a value ranges over: its type.
type Space uint8

// The spaces of values.
const (
	// Embedding values are the 2d coordinates of a point of the embedding space.
	Embedding Space = iota + 1
	// Entities values are fuzzy vectors: a number for each of the n entities.
	Entities
	// Degrees values are fuzzy sets of the n entities, listed where they differ from
	// the rest: one for all branches, or one for each.
	Degrees
	// Candidates are the best entities of a variable, and AtomRows a row for each.
	Candidates
	AtomRows
	// Branches are the values that enumerated variables take together.
	Branches
	// Number values are what a reduction over all entities gives: a number, or two.
	Number
)

// String returns the name that plan text uses.
func (s Space) String() string {
	return [...]string{"invalid", "emb", "vec", "deg", "cand", "rows", "branch", "num"}[s]
}

// Exchange is what an op tells other machines if the entities are split among several.
type Exchange uint8

// The exchanges. An op reduces the entities of its part first, or sends their numbers.
const (
	NoExchange Exchange = iota
	Reduce              // a sum or a maximum over the entities
	Add                 // a sum of rows
	At                  // numbers of some entities
	Along               // numbers over the links of a relation
	BestOf              // the k best entities
)

// Info is the row of the op table for one op.
type Info struct {
	// Name in plan text. Method names the runtime's method, if it is not Name with a capital.
	Name, Method string
	// Noun ends the name of a value in generated code: it says what the value is for what its
	// beginning names. States, messages and answers have none.
	Noun string
	// Args are the spaces of the operands.
	Args []Space
	// Variadic says that the last of Args may repeat, Optional that they may be left out.
	Variadic, Optional bool
	// Result is the space of the result.
	Result Space
	// Const, Rel, Filter, Dir and Neg tell which attributes the op has: a constant slot,
	// a relation slot, a filter slot, a direction, a sign.
	Const, Rel, Filter, Dir, Neg bool
	// Index says that the op has an index: into the values that binding kept, or of the atom whose rows the op
	// reads, or of the variable that the op processes.
	Index bool
	// Commutes says that the operands may be permuted.
	Commutes bool
	// Sweeps is the cost in sweeps of the whole entity table.
	Sweeps int
	// WholeSweeps is the further cost of all of the result, if it is wanted when the plan
	// has run: the best entities can be found without. The value is the answer, and the
	// last one of the plan, so that its operands are still there.
	WholeSweeps int
	// Raw says that the sweep makes raw scores: what else the same sweep computes may
	// read them row by row.
	Raw bool
	// Stored says that the result is read where it lies, in the entity table or among what
	// binding kept: it needs no buffer.
	Stored bool
	// InPlace says that the result may overwrite one of the first two operands, for it is
	// computed entry by entry; operands after these are taken in pair by pair.
	InPlace bool
	// Consumes says that the result overwrites the second operand, which belongs to it.
	Consumes bool
	// Tiles says that the op is in plans for small tables alone: see pass.Fuse.
	Tiles bool
	// Degrees says that the op is one of truth degrees, Rows that it makes rows of them.
	Degrees, Rows bool
	// Exchange is what the op exchanges between machines that have some of the entities each.
	// Ops of truth degrees do so for each branch, and Correct again if the first sum is too far off.
	Exchange Exchange
	// Formula is what the op computes, for documentation.
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
		KeptVec:    {Name: "keptvec", Args: none, Result: Entities, Index: true, Stored: true, Formula: "a vector kept by binding"},
		KeptEmb:    {Name: "keptemb", Args: none, Result: Embedding, Index: true, Stored: true, Formula: "an embedding kept by binding"},
		Project:    {Name: "project", Noun: "Query", Args: emb, Result: Embedding, Rel: true, Dir: true, Neg: true, Formula: "±r⊗x, or ±conj(r)⊗x backward"},
		Score:      {Name: "score", Noun: "Scores", Args: emb, Result: Entities, Sweeps: 1, Raw: true, Formula: "⟨x, E_e⟩"},
		Softmax:    {Name: "softmax", Noun: "Softmax", Args: vec, Result: Entities, InPlace: true, Exchange: Reduce, Formula: "softmax_e x"},
		Traverse:   {Name: "traverse", Noun: "Counts", Args: vec, Result: Entities, Rel: true, Dir: true, Exchange: Along, Formula: "x·M_r, or x·M_rᵀ backward"},
		Complement: {Name: "complement", Noun: "Absent", Args: vec, Result: Entities, InPlace: true, Formula: "α/n − x"},
		Elsewhere:  {Name: "elsewhere", Noun: "Elsewhere", Args: vec, Result: Entities, InPlace: true, Formula: "1 − x"},
		Normalize:  {Name: "normalize", Args: vec, Result: Entities, InPlace: true, Exchange: Reduce, Formula: "N(x)"},
		Blend:      {Name: "blend", Noun: "Blend", Args: vecvec, Result: Entities, InPlace: true, Formula: "2(1−w)·x + 2w·y"},
		Mul:        {Name: "mul", Noun: "Product", Args: vecvec, Variadic: true, Result: Entities, Commutes: true, InPlace: true, Formula: "x ∘ y ∘ …"},
		Embed:      {Name: "embed", Noun: "Emb", Args: vec, Result: Embedding, Sweeps: 1, Exchange: Add, Formula: "Σ_e x[e]·E_e"},
		Estimate:   {Name: "estimate", Noun: "Estimate", Args: vec, Variadic: true, Result: Embedding, Sweeps: 1, Formula: "Σ_e g[e]·E_e, g = exp(Σ scores − max) ∘ Π others"},
		Correct:    {Name: "correct", Noun: "Emb", Args: []Space{Entities, Embedding}, Variadic: true, Result: Embedding, Consumes: true, Exchange: Add, Formula: "Σ_e x[e]·E_e, from estimates of it"},
		Cosine:     {Name: "cosine", Noun: "Cosines", Args: emb, Result: Entities, Sweeps: 1, Formula: "cos(x, E_e)"},
		Mix:        {Name: "mix", Args: vecvec, Result: Entities, InPlace: true, Formula: "λ·x + (1−λ)·y"},
		Readout:    {Name: "readout", Args: []Space{Entities, Embedding}, Result: Entities, WholeSweeps: 1, Formula: "λ·x + (1−λ)·softmax_e cos(y, E_e)"},
		ScaleMax:   {Name: "scalemax", Method: "ScaleMax", Noun: "Scaled", Args: vec, Result: Entities, InPlace: true, Exchange: Reduce, Formula: "x / max x"},
		ScaleSum:   {Name: "scalesum", Method: "ScaleSum", Args: vec, Result: Entities, InPlace: true, Exchange: Reduce, Formula: "x / Σ x"},
		Max:        {Name: "max", Noun: "Max", Args: vecvec, Variadic: true, Result: Entities, Commutes: true, InPlace: true, Formula: "max(x, y, …)"},
		SumExp:     {Name: "sumexp", Args: vec, Result: Number, Exchange: Reduce, Formula: "m = max x, Σ exp(x − m)"},
		SumCut:     {Name: "sumcut", Args: vec, Result: Number, Exchange: Reduce, Formula: "Σ of x ≥ ε"},
		Sum:        {Name: "sum", Args: vec, Result: Number, Exchange: Reduce, Formula: "Σ x"},
		Largest:    {Name: "largest", Args: vec, Result: Number, Exchange: Reduce, Formula: "max x"},
		Share:      {Name: "share", Args: vecnum, Result: Entities, InPlace: true, Formula: "exp(x − m) / Σ exp(x − m)"},
		Cut:        {Name: "cut", Args: vecnum, Result: Entities, InPlace: true, Formula: "x / max(ε, a), 0 where x < ε"},
		Over:       {Name: "over", Args: vecnum, Result: Entities, InPlace: true, Formula: "x / a, 0 unless a > 0"},
		Message:    {Name: "message", Args: vecvec, Result: Entities, Neg: true, InPlace: true, Tiles: true, Formula: "N(2(1−w)·softmax_e x + 2w·N(y)), or with α/n − y"},
		State:      {Name: "state", Args: vec, Variadic: true, Result: Entities, InPlace: true, Tiles: true, Formula: "N(x ∘ y ∘ …)"},
		Row:        {Name: "row", Noun: "Row", Args: vec, Optional: true, Result: Degrees, Const: true, Rel: true, Dir: true, Neg: true, Index: true, Sweeps: 1, Degrees: true, Rows: true, Formula: "P_r(s), or 1 − min(1, ν·P_r(s))"},
		Any:        {Name: "any", Noun: "Any", Args: none, Result: Degrees, Degrees: true, Formula: "1"},
		Except:     {Name: "except", Noun: "Except", Args: none, Result: Degrees, Const: true, Degrees: true, Formula: "1, 0 at s"},
		Selected:   {Name: "selected", Noun: "Selected", Args: none, Result: Degrees, Filter: true, Degrees: true, Formula: "the degree to which e meets p"},
		Peak:       {Name: "peak", Noun: "Peak", Args: deg, Result: Degrees, Index: true, Degrees: true, Exchange: Reduce, Formula: "max_e x[e]"},
		Best:       {Name: "best", Noun: "Best", Args: deg, Result: Candidates, Degrees: true, Exchange: BestOf, Formula: "the K entities of largest x"},
		Every:      {Name: "every", Noun: "Every", Args: deg, Result: Candidates, Degrees: true, Exchange: BestOf, Formula: "best x if K = n, otherwise none"},
		Values:     {Name: "values", Noun: "Values", Args: deg, Variadic: true, Result: Candidates, Index: true, Degrees: true, Exchange: BestOf, Formula: "the i·K entities of largest x ∘ y ∘ …, K of them with rows"},
		Rows:       {Name: "rows", Noun: "Rows", Args: []Space{Candidates}, Result: AtomRows, Rel: true, Dir: true, Neg: true, Index: true, Sweeps: 1, Degrees: true, Rows: true, Formula: "P_r(c) for c in a, or 1 − min(1, ν·P_r(c))"},
		Others:     {Name: "others", Noun: "Others", Args: []Space{Candidates}, Result: AtomRows, Degrees: true, Formula: "1, 0 at c, for c in a"},
		Diagonal:   {Name: "diagonal", Noun: "Loops", Args: []Space{AtomRows}, Result: Degrees, Degrees: true, Formula: "R_c[c]"},
		Push:       {Name: "push", Noun: "Push", Args: degrows, Variadic: true, Result: Degrees, Index: true, Degrees: true, Exchange: At, Formula: "max_c x[c]·R_c ∘ S_c ∘ …"},
		Narrow:     {Name: "narrow", Noun: "Push", Args: []Space{Degrees, Degrees, AtomRows}, Variadic: true, Result: Degrees, Index: true, Degrees: true, Exchange: At, Formula: "x ∘ max_c y[c]·R_c ∘ S_c ∘ …"},
		Leaf:       {Name: "leaf", Noun: "Push", Args: degrows, Variadic: true, Result: Degrees, Index: true, Degrees: true, Exchange: Along, Formula: "push if K = n, otherwise x by observed links, or φ"},
		Other:      {Name: "other", Noun: "Other", Args: deg, Result: Degrees, Index: true, Degrees: true, Exchange: BestOf, Formula: "max_{c≠e} x[c]"},
		Root:       {Name: "root", Args: none, Result: Branches, Degrees: true, Formula: "one branch"},
		Branch:     {Name: "branch", Noun: "Branches", Args: []Space{Degrees, Candidates, Branches, AtomRows}, Variadic: true, Result: Branches, Index: true, Degrees: true, Exchange: At, Formula: "w_b·x_b[c] for c in a, b in B, but c that lead nowhere"},
		Each:       {Name: "each", Noun: "Each", Args: []Space{Branches, AtomRows}, Variadic: true, Result: Degrees, Degrees: true, Formula: "R_c ∘ S_c ∘ … of each branch's c"},
		Follow:     {Name: "follow", Noun: "Followed", Args: []Space{Degrees, Branches}, Result: Degrees, Degrees: true, Formula: "x of each branch's parent"},
		Join:       {Name: "join", Noun: "Joined", Args: []Space{Degrees, Branches}, Result: Degrees, Degrees: true, Formula: "max_b w_b·x_b"},
		Times:      {Name: "times", Noun: "Product", Args: degdeg, Variadic: true, Result: Degrees, Commutes: true, Degrees: true, Formula: "x ∘ y ∘ …"},
		Either:     {Name: "either", Args: degdeg, Variadic: true, Result: Degrees, Degrees: true, Formula: "1 − (1−x) ∘ (1−y) ∘ …"},
		Dense:      {Name: "dense", Noun: "Degrees", Args: deg, Result: Entities, Degrees: true, Formula: "x"},
		Mixture:    {Name: "mixture", Args: vecvec, Result: Entities, InPlace: true, Degrees: true, Formula: "(x+a)^(1−g) ∘ (y+b)^g, scaled to 0 for x = y = 0 and 1 for x = y = 1"},
	}
)

// Ops returns every op, in the order of the table.
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
