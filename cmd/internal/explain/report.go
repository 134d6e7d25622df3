package explain

import (
	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/plan"
)

// Report holds the facts about a compiled query.
type Report struct {
	// Query is the query in canonical form, with the user's names.
	Query string `json:"query"`
	// Shape is the canonical text of the query's shape.
	Shape string `json:"shape,omitempty"`
	// ShapeName is the benchmark's name of the shape, empty where it has none.
	ShapeName string `json:"shape_name,omitempty"`
	// Semantics is the semantics of the answers.
	Semantics model.Semantics `json:"semantics"`
	// Disjuncts are the conjunctive queries.
	Disjuncts []Disjunct `json:"disjuncts,omitempty"`
	// Degrees are the steps of computing truth degrees, none for model.NSMP.
	Degrees []DegreeStep `json:"degrees,omitempty"`
	// Cost compares the plan before and after the passes.
	Cost Cost `json:"cost,omitzero"`
	// Plans are the plan after lowering and after each pass.
	Plans []Plan `json:"plans,omitempty"`
	// Parts are the queries with one answer variable that answer one with several. Of the fields above, such a query
	// only has Query and Semantics.
	Parts []Part `json:"parts,omitempty"`
	// Warnings are warnings about the query.
	Warnings []lang.Warning `json:"warnings,omitempty"`
}

// Part is a part of a query with several answer variables.
type Part struct {
	// Asks describes the purpose of the part.
	Asks string `json:"asks"`
	*Report
}

// DegreeStep is a step of computing truth degrees.
type DegreeStep struct {
	// Op is the operation of the plan.
	Op string `json:"op"`
	// Sweep is the number of the entity table sweep that makes the rows of an op rows.
	Sweep int `json:"sweep,omitempty"`
	// What names the atoms and variables.
	What string `json:"what"`
}

// Disjunct is a conjunctive query: its graph and its schedule.
type Disjunct struct {
	// Terms are the nodes: the free variable, the existential ones, the constants.
	Terms []Term `json:"terms"`
	// Edges are the atoms in canonical order, and then the inequalities.
	Edges []Edge `json:"edges"`
	// Filters are the conditions on the values of variables.
	Filters []FilterAtom `json:"filters,omitempty"`
	// D is the number of variables, L the number of layers, of message passing.
	D int `json:"d"`
	L int `json:"l,omitempty"`
	// Starts are the variables that no entity anchors, with their states before the first layer.
	Starts []Start `json:"starts,omitempty"`
	// Layers are the messages of each layer.
	Layers []Layer `json:"layers,omitempty"`
}

// TermKind is the kind of a node of a query graph.
type TermKind string

// The kinds of terms.
const (
	Free        TermKind = "free"
	Existential TermKind = "existential"
	Constant    TermKind = "constant"
)

// Term is a node of the query graph.
type Term struct {
	// ID is the canonical name: f, e1, s1, ….
	ID string `json:"id"`
	// Name is the name in the query: quoted for a constant, with $ for a parameter.
	Name string   `json:"name"`
	Kind TermKind `json:"kind"`
}

// Edge is an atom: a signed edge of the query graph, from head to tail.
type Edge struct {
	// Text is the canonical atom, such as !r2(e1,f), or inequality, such as f!=s2.
	Text string `json:"text"`
	// Atom is the same in the query's notation, an inequality with its terms in the order of Text.
	Atom string `json:"atom"`
	// ReadAs is the atom read from head to tail; it is set if the query writes it from tail to head.
	ReadAs string `json:"read_as,omitempty"`
	// Slot is the relation slot: r1, r2, …; empty for an inequality.
	Slot string `json:"slot"`
	// Relation is the content of the slot, in the names of the query; != for an inequality.
	Relation string `json:"relation"`
	// Head and Tail are the canonical names of the ends.
	Head    string `json:"head"`
	Tail    string `json:"tail"`
	Negated bool   `json:"negated"`
	Unequal bool   `json:"unequal,omitempty"`
}

// FilterAtom is a condition on the values of a variable.
type FilterAtom struct {
	// Text is the canonical filter, such as p1(f), Condition the same in the query's notation.
	Text      string `json:"text"`
	Condition string `json:"condition"`
	// Term is the canonical name of the variable.
	Term string `json:"term"`
}

// Start is the state of a variable before the first layer: the entities at its ends of observed facts.
type Start struct {
	// Term is the canonical name of the variable.
	Term string `json:"term"`
	// Edges are indices into the disjunct's edges: the entities are at that end of a fact of each.
	Edges []int `json:"edges"`
}

// Layer is one layer of message passing.
type Layer struct {
	// Layer counts from 1.
	Layer int `json:"layer"`
	// Messages are all messages that the edges could carry, in sending order.
	Messages []Message `json:"messages"`
}

// State says whether a message is computed, or why not.
type State string

// The states of messages.
const (
	// Sent messages are computed in their layer.
	Sent State = "sent"
	// Shared messages equal an earlier one, which is computed once.
	Shared State = "shared"
	// Pruned messages are not sent: the sender is uninitialised.
	Pruned State = "pruned"
	// Dead messages never reach the free variable and are not computed.
	Dead State = "dead"
)

// Message is an edge in one direction in one layer.
type Message struct {
	// Edge is an index into the disjunct's edges.
	Edge int    `json:"edge"`
	From string `json:"from"`
	To   string `json:"to"`
	// Backward says that the message goes from tail to head.
	Backward bool  `json:"backward"`
	State    State `json:"state"`
	// SharedWith is the message that a shared one equals.
	SharedWith *Origin `json:"shared_with,omitempty"`
}

// Origin identifies the message that others equal.
type Origin struct {
	// Disjunct is an index into the disjuncts, Layer counts from 1, Edge is an
	// index into the disjunct's edges.
	Disjunct int `json:"disjunct"`
	Layer    int `json:"layer"`
	Edge     int `json:"edge"`
}

// Cost is the cost of the plan before and after the passes.
type Cost struct {
	// Messages counts them by state.
	Messages Counts `json:"messages"`
	// SweepsBefore and SweepsAfter are the entity table sweeps for the best answers, SweepsWhole those for a full
	// ranking.
	SweepsBefore int `json:"table_sweeps_before"`
	SweepsAfter  int `json:"table_sweeps_after"`
	SweepsWhole  int `json:"table_sweeps_whole"`
	// Steps are lowering and the passes, in order.
	Steps []Step `json:"steps"`
	// Ops are the operations used, in the order of the op table.
	Ops []Op `json:"ops"`
	// Table describes the table of a model, if one was given.
	Table *Table `json:"table,omitempty"`
}

// Table is the entity table of a model.
type Table struct {
	// Rows is the number of entities, Width the length of a row.
	Rows  int `json:"rows"`
	Width int `json:"width"`
	// SweepBytes is the number of bytes read by a sweep, CacheBytes the size of the second-level cache.
	SweepBytes int `json:"sweep_bytes"`
	CacheBytes int `json:"cache_bytes"`
	// Access is how plans read it.
	Access plan.Access `json:"access"`
	// Codes describes the error of the codes, if sweeps read codes.
	Codes *Codes `json:"codes,omitempty"`
}

// Codes are the codes of the entity table of a model.
type Codes struct {
	// Table is the type of the codes, Exact the type of the rows besides them, empty if there are none.
	Table table.Type `json:"table"`
	Exact table.Type `json:"exact,omitempty"`
	// Error is the error of a row relative to its length, which bounds the error of a score relative to the lengths
	// of row and query.
	Error model.CodeError `json:"error"`
}

// TableOf describes the entity table of a model.
func TableOf(m *model.Model) *Table {
	t := &m.Predictor.EntityTable
	access := plan.AccessTo(m)
	d := &Table{Rows: t.Rows(), Width: t.Width(), SweepBytes: access.SweepBytes(m), CacheBytes: simd.CacheSize(), Access: access}
	if !access.Floats {
		d.Codes = &Codes{Table: table.Int8, Error: m.Predictor.CodeError()}
		if t.Type().IsFloat() {
			d.Codes.Exact = t.Type()
		}
	}
	return d
}

// sweeps returns the number of sweeps for the best answers under an access to the table.
func (c *Cost) sweeps(a plan.Access) int {
	n := c.SweepsAfter
	if !a.Bounds {
		n = c.SweepsWhole
	}
	if !a.Estimates {
		for _, o := range c.Ops {
			if o.Name == ir.Correct.String() {
				n += o.After
			}
		}
	}
	return n
}

// Counts are numbers of messages.
type Counts struct {
	Sent   int `json:"sent"`
	Shared int `json:"shared"`
	Pruned int `json:"pruned"`
	Dead   int `json:"dead"`
}

// Step is lowering or a pass, and the plan's size after it.
type Step struct {
	Name string `json:"name"`
	// Doc describes the step.
	Doc     string `json:"doc"`
	Changed bool   `json:"changed"`
	Values  int    `json:"values"`
	Sweeps  int    `json:"table_sweeps"`
}

// Op counts the uses of an operation.
type Op struct {
	Name string `json:"name"`
	// Formula is the op's result.
	Formula string `json:"formula"`
	// Sweeps is the cost of one use in entity table sweeps.
	Sweeps int `json:"table_sweeps"`
	Before int `json:"before"`
	After  int `json:"after"`
}

// Plan is the text of the plan after a step.
type Plan struct {
	// After is the step's name.
	After   string `json:"after"`
	Changed bool   `json:"changed"`
	Text    string `json:"text"`
}
