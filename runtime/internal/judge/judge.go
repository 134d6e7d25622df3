// Package judge says how entities relate to a question: whether one follows from the graph, and how likely it
// is to be true. Entities go in, findings come out. It knows facts and calibration, but names nothing.
package judge

import (
	"context"
	"sync"

	"github.com/efoc/efoc/runtime/internal/run"
	"github.com/efoc/efoc/runtime/internal/top"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/exact"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
)

// Asking is a question: the plan that answers it, the bindings of the plan's slots, and the options.
type Asking struct {
	run.Bound
	Bindings scq.Bindings
	// Degrees returns the plan of truth degrees that finds links, nil if there is none.
	Degrees  func() *run.Bound
	Settings *model.Settings
	// The best K answers after the first Offset ones are wanted, and the SetSize largest members of each fuzzy set.
	K, Offset, SetSize int
	Filter             AnswerFilter
	Coverage           float64 // share of questions for which the answers hold all true ones, 0 for none
	HeldOut            float64 // share of the facts held out of the graph for the question, 0 for an ordinary one
	NoStatus           bool    // statuses stay Unchecked
	Budget             int     // of each exact traversal
}

// AnswerFilter selects answers. The zero AnswerFilter selects all.
type AnswerFilter struct {
	Statuses      Status // a set; 0 allows any
	InRange       bool
	MinConfidence float64
	Type          model.Type
	Limit         model.Type // the type that the question itself asks for
}

// Any reports whether the filter leaves anything out.
func (f *AnswerFilter) Any() bool { return *f != AnswerFilter{} }

// Admits reports whether answers of a status pass.
func (f *AnswerFilter) Admits(s Status) bool { return f.Statuses == 0 || f.Statuses&s != 0 }

// Finding is an entity as an answer.
type Finding struct {
	Entity     graph.EntityID
	Score      float32
	Status     Status
	OutOfRange bool // no fact puts the entity where the answer variable stands
	Confidence float64
	Basis      *Basis
	place      int // in the ranking of all entities, from 1 on
}

// Judge judges the answers of one question. It is made once for a question, and is for one goroutine. Release
// lets another question use its memory.
type Judge struct {
	Asking
	ctx      context.Context
	filtered bool // the filter may leave answers out
	ranges   [][]graph.RelationID

	solver   exact.Solver
	facts    exact.Facts // observed, and held back if there are any; none without statuses
	statuses map[graph.EntityID]Status
	lettings []letting                  // none unless a filter takes unknown values
	chances  map[graph.EntityID]float64 // what ifMet returns

	scale
	uncalibrated string
	work         *plan.Workspace // has the links of answers; nil if a run of truth degrees finds them
	links        map[graph.EntityID]plan.Link
	most         float64      // bounds what a link adds to evidence
	mostLacking  float64      // the same by the claims of links whose head has no facts
	mostOdds     float64      // bounds the factor of the odds
	skipped      []top.Ranked // the best entities whose status has not been looked at yet
	known        int          // the number of known answers, if counted
	counted      bool
	best         top.Ranked // the best one that is not known, if hasBest
	hasBest      bool
	least        float64 // the evidence for best, once ready
	ready        bool

	filling // the page that is being filled
	scratch scratch
}

// filling is a page while it is filled.
type filling struct {
	skip  int          // findings to leave out before the first
	place int          // of the last entity in the ranking
	empty int          // places that stay empty
	list  []top.Ranked // entities whose statuses are found together
	size  int          // of the list
	full  bool         // the page takes no more
	err   error
}

// scratch is room that one call after the other uses.
type scratch struct {
	open      []int32          // of decide
	found     []int32          // of following
	unseen    []graph.EntityID // of look
	entities  []graph.EntityID // of foresee and confide
	page      []Finding        // of take
	findings  []*Finding       // of confideAll
	predicted []*Finding       // of confide
}

// emptied lets go of findings.
func (s scratch) emptied() scratch {
	clear(s.page[:cap(s.page)])
	clear(s.findings[:cap(s.findings)])
	clear(s.predicted[:cap(s.predicted)])
	return s
}

// judges are judges that were released.
var judges = sync.Pool{New: func() any {
	return &Judge{
		statuses: map[graph.EntityID]Status{}, chances: map[graph.EntityID]float64{}, links: map[graph.EntityID]plan.Link{},
		scale: scale{memo: memo{map[question]float64{}, map[graph.RelationID]string{}}},
	}
}}

// New returns the judge of a question.
func New(ctx context.Context, a Asking) *Judge {
	j := judges.Get().(*Judge)
	j.Asking = a
	j.ctx = ctx
	j.filtered = a.Filter.Any()
	j.rangesOf(a.Plan.Disjuncts, a.Bindings)
	if a.NoStatus {
		return j
	}
	j.solver.Reset(ctx, a.Budget)
	j.facts = appendFacts(j.facts, a.Model)
	j.lets()
	return j
}

// Release lets another question use the memory of the judge, which nobody may use any more.
func (j *Judge) Release() {
	clear(j.statuses)
	clear(j.chances)
	clear(j.links)
	clear(j.facts)
	clear(j.applying)
	clear(j.names)
	j.solver.Reset(context.Background(), 0)
	*j = Judge{
		statuses: j.statuses, chances: j.chances, links: j.links, facts: j.facts[:0], solver: j.solver,
		ranges: j.ranges[:0], skipped: j.skipped[:0], filling: filling{list: j.list[:0]}, scratch: j.scratch.emptied(),
		scale: scale{memo: j.memo},
	}
	judges.Put(j)
}

// searchBudgets is the number of budgets of an exact traversal that a search for answers may take.
const searchBudgets = 100

// spent reports whether the work for a filter has come to its bound.
func (j *Judge) spent() bool {
	return j.filtered && j.solver.Spent()/searchBudgets >= j.Budget
}

// rangesOf lists, for each disjunct, the relations of its positive atoms at the answer variable, read from there.
func (j *Judge) rangesOf(disjuncts []scq.Disjunct, b scq.Bindings) {
	for i := range disjuncts {
		var list []graph.RelationID
		if i < cap(j.ranges) {
			list = j.ranges[:i+1][i][:0]
		}
		for _, a := range disjuncts[i].Atoms {
			if a.Negated {
				continue
			}
			r := b.Relations[a.Relation]
			if a.Head == scq.Var(0) {
				list = append(list, r)
			}
			if a.Tail == scq.Var(0) {
				list = append(list, r.Inverse())
			}
		}
		j.ranges = append(j.ranges, list)
	}
}
