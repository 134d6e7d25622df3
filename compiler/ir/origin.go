package ir

import (
	"fmt"
	"strings"
)

// Origin is the part of the query that a value computes. Generated code and notes derive their wording from it.
// Plan text omits it, and no pass depends on it.
type Origin struct {
	Role Role
	// Disjunct counts from 0.
	Disjunct int
	// Layer counts from 1; it is 0 for values outside layers.
	Layer int
	// From is the source term of a message or a row; To is its target, or the variable that the value describes.
	From, To Term
	// Edges are the edges of the disjunct from which the value is computed; Filter is the index of the disjunct's filter.
	Edges  []Edge
	Filter int
}

// Term is a constant slot, or a variable of the disjunct.
type Term struct {
	Constant bool
	Index    int
}

// Edge is an edge of a disjunct, with the direction in which it is read.
type Edge struct {
	// Index is the index of the atom in the query graph.
	Index int
	// Inverse says that the atom is read from its tail.
	Inverse bool
}

// Role is the role of a value in the query. Intermediate values have the zero Role; they belong to the next
// value with a role.
type Role uint8

// The roles.
const (
	NoRole Role = iota

	Slot       // a constant
	Start      // the initial state of an unanchored variable
	MessageOf  // a message
	StateOf    // the state of a variable
	EmbeddedOf // the embedding of a state
	Excluded   // the entities that an inequality allows
	Meeting    // the entities that meet a filter
	AnswerOf   // the answer of a disjunct
	AllowedOf  // the answer without excluded entities
	UnionOf    // the answer of all disjuncts
	MixtureOf  // the mixture of probabilities and truth degrees

	DegreesOf    // the truth degrees of a variable
	CandidatesOf // the best entities of a variable
	ValuesOf     // the values of a variable in the cutset
	PeakOf       // the largest degree of a variable
	RowOf        // the rows of an atom
	PushOf       // the message from a variable to another
	EachOf       // the same for each branch
	ProposalOf   // values proposed by another variable
	RootOf       // the first branch
	BranchOf     // one branch per value of a variable
	JoinOf       // the best branch

	numRoles
)

// texts are the notes of the roles; words in upper case are replaced by the fields.
var texts = [numRoles]string{
	Slot: "FROM", Start: "TO by EDGES",
	MessageOf: "layer LAYER: FROM -> TO by EDGES",
	StateOf:   "layer LAYER: state of TO", EmbeddedOf: "layer LAYER: embedding of TO",
	Excluded: "EDGES", Meeting: "FILTER", AnswerOf: "readout of TO in SCQ DISJUNCT", AllowedOf: "readout of TO in SCQ DISJUNCT, without what is excluded",
	UnionOf: "union", MixtureOf: "mixture",
	DegreesOf: "degrees of TO", CandidatesOf: "candidates of TO", ValuesOf: "values of TO", PeakOf: "the best TO",
	RowOf: "EDGES", PushOf: "FROM -> TO by EDGES", EachOf: "each FROM -> TO by EDGES", ProposalOf: "FROM proposes values of TO",
	RootOf: "one branch", BranchOf: "a branch for each TO", JoinOf: "the best branch",
}

// Namer names the terms, edges and filters of a query.
type Namer interface {
	Term(disjunct int, t Term) string
	Edge(disjunct int, e Edge) string
	Filter(disjunct, index int) string
}

// Text describes the value in a few words, "" if it has no role.
func (o Origin) Text(n Namer) string {
	if o.Role == NoRole {
		return ""
	}
	edges := make([]string, len(o.Edges))
	for i, e := range o.Edges {
		edges[i] = n.Edge(o.Disjunct, e)
	}
	filter := ""
	if o.Role == Meeting {
		filter = n.Filter(o.Disjunct, o.Filter)
	}
	return strings.NewReplacer(
		"LAYER", fmt.Sprint(o.Layer), "DISJUNCT", fmt.Sprint(o.Disjunct),
		"FROM", n.Term(o.Disjunct, o.From), "TO", n.Term(o.Disjunct, o.To), "EDGES", strings.Join(edges, ", "), "FILTER", filter,
	).Replace(texts[o.Role])
}
