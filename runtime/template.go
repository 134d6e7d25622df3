package runtime

import (
	"context"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
)

// Template is a query template with parameters P, bound to one model. The methods of generated
// types call it. It is safe for concurrent use.
type Template[P any] struct {
	query *Query
	bind  func(P) scq.Bindings
	show  []string
}

// NewTemplate returns the template of a query. bind fills the slots of its plan; show are the
// variables to show if Options.Show is nil.
func NewTemplate[P any](q *Query, bind func(P) scq.Bindings, show ...string) Template[P] {
	return Template[P]{query: q, bind: bind, show: show}
}

// Warning is Query.Warning.
func (t *Template[P]) Warning() string { return t.query.Warning() }

// Answer ranks the entities by how likely each is to be the query's free variable.
func (t *Template[P]) Answer(ctx context.Context, p P, o Options) (*Reply, error) {
	return t.query.Answer(ctx, t.bind(p), t.options(o))
}

// options fills in what the template says.
func (t *Template[P]) options(o Options) Options {
	if o.Show == nil {
		o.Show = t.show
	}
	return o
}

// AnswerBatch answers for several parameters, one result each, in order.
func (t *Template[P]) AnswerBatch(ctx context.Context, batch []P, o Options) ([]*Reply, error) {
	bindings := make([]scq.Bindings, len(batch))
	for i, p := range batch {
		bindings[i] = t.bind(p)
	}
	return t.query.AnswerBatch(ctx, bindings, t.options(o))
}

// Count estimates how many answers the query has.
func (t *Template[P]) Count(ctx context.Context, p P, o Options) (*Count, error) {
	return t.query.Count(ctx, t.bind(p), o)
}

// Why explains answers, in order: by the values of the existential variables in the best witness, and
// by whether the link of each atom is observed or predicted. Without answers it explains the ones that
// Answer returns.
func (t *Template[P]) Why(ctx context.Context, p P, o Options, answers ...model.EntityID) ([]Witness, error) {
	return t.query.Why(ctx, t.bind(p), o, answers...)
}

// ClaimOf is a claim of a sentence with parameters P.
type ClaimOf[P any] struct {
	query  *Query
	bind   func(P) scq.Bindings
	param  string
	entity func(P) model.EntityID
}

// NewClaim returns the claim that a query has an answer. bind fills the slots of its plan; entity
// says which one the answer must be, and is nil if any will do. param is the parameter that entity
// returns, empty if it is none.
func NewClaim[P any](q *Query, bind func(P) scq.Bindings, param string, entity func(P) model.EntityID) *ClaimOf[P] {
	return &ClaimOf[P]{q, bind, param, entity}
}

// Sentence is a template of sentences with parameters P, bound to one model. The methods of
// generated types call it. It is safe for concurrent use.
type Sentence[P any] struct {
	disjuncts [][]int
	claims    []*ClaimOf[P]
}

// NewSentence returns the template of sentences with some claims, which its disjuncts name by
// index.
func NewSentence[P any](disjuncts [][]int, claims ...*ClaimOf[P]) Sentence[P] {
	return Sentence[P]{disjuncts, claims}
}

// Decide answers the sentence: see the function Decide.
func (s *Sentence[P]) Decide(ctx context.Context, p P, o Options) (*Verdict, error) {
	claims := make([]Claim, len(s.claims))
	for i, c := range s.claims {
		claims[i] = Claim{Question{c.query, c.bind(p)}, AnyEntity}
		if c.entity == nil {
			continue
		}
		e := c.entity(p)
		if size := c.query.model.NumEntities(); e < 0 || int(e) >= size {
			return nil, c.query.fail(&ParamError{c.param, "entity", int(e), size})
		}
		claims[i].Entity = e
	}
	return Decide(ctx, s.disjuncts, claims, o)
}

// Warning is Query.Warning.
func (s *Sentence[P]) Warning() string { return s.claims[0].query.Warning() }
