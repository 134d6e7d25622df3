package runtime

// Pattern is the query graph of one SCQ over slots: what must hold of the
// observed graph for an answer to be known. Generated plans carry one a
// disjunct.
type Pattern struct {
	// Variables are the names of the variables; Variables[0] is the free one.
	Variables []string
	// Atoms are the literals of the SCQ.
	Atoms []PatternAtom
}

// PatternAtom is the literal r(head, tail) or its negation.
type PatternAtom struct {
	// Relation is a relation slot.
	Relation   int
	Head, Tail PatternTerm
	Negated    bool
}

// PatternTerm is a constant slot or a variable.
type PatternTerm struct {
	// Constant says that Index is a constant slot, otherwise it is an index
	// into Pattern.Variables.
	Constant bool
	Index    int
}

// Const returns the term for constant slot i.
func Const(i int) PatternTerm { return PatternTerm{Constant: true, Index: i} }

// Var returns the term for variable i of the pattern.
func Var(i int) PatternTerm { return PatternTerm{Index: i} }

// Bindings gives the slots of a plan their values.
type Bindings struct {
	// Constants holds the entity of each constant slot.
	Constants []EntityID
	// Relations holds the relation of each relation slot.
	Relations []RelationID
}
