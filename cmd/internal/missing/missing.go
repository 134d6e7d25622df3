// Package missing finds the facts that a graph most likely lacks: it asks a model r(h, y) for heads h and relations
// r. It knows neither formulas nor the command line.
package missing

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
)

// Defaults of Options.
const (
	DefaultK             = 100
	DefaultQuestions     = 100_000
	DefaultMinConfidence = 0.01
)

// Options configure a search. The zero Options are good defaults.
type Options struct {
	// Head, if not nil, is the only entity to ask about, by its plausible relations.
	Head *graph.EntityID
	// Relation, if not nil, is the only relation to ask by. An inverse asks about the entities at its other end.
	Relation *graph.RelationID
	// Type, unless it is zero, is the type of the heads.
	Type model.Type
	// K is the number of facts, MinConfidence their minimum confidence; 0 means the default.
	K             int
	MinConfidence float64
	// Questions bounds the questions; 0 means DefaultQuestions. If there are more, the search asks only by relations
	// plausible for a head, about heads spread evenly over the graph.
	Questions int
	// Semantics is the semantics of the answers; nil means the model's own.
	Semantics *model.Semantics
	// Progress, if not nil, receives the number of questions asked and their total, or a bound on it.
	Progress func(done, total int)
}

// Fact is a fact that the graph lacks and the model predicts.
type Fact struct {
	Head       runtime.Value  `json:"head"`
	Relation   string         `json:"relation"`
	Tail       runtime.Value  `json:"tail"`
	Confidence float64        `json:"confidence"`
	Status     runtime.Status `json:"status"`
	// Witness are stored facts for judging it: other facts of the two entities, then facts of the relation and the
	// head of the question.
	Witness []runtime.WitnessAtom `json:"witness"`

	asked  runtime.LinkQuestion
	triple graph.Triple
}

// Result holds the most likely facts.
type Result struct {
	Facts []Fact `json:"facts"`
	// Heads and Questions count the heads and questions asked about, Possible all possible questions.
	Heads     int `json:"heads"`
	Questions int `json:"questions"`
	Possible  int `json:"possible"`
	// Stopped says that the search ended early.
	Stopped bool `json:"stopped,omitempty"`
}

// Search is a search before its start.
type Search struct {
	Options
	model     *runtime.Model
	heads     []graph.EntityID
	relations []graph.RelationID
	found     []Fact // unordered, at most twice as many as wanted
	least     float64
	result    Result
}

// New checks the options and lists the heads and relations to ask about. It fails if the model has no confidence.
func New(m *runtime.Model, o Options) (*Search, error) {
	m = m.Now()
	if why := m.Uncalibrated(o.Semantics); why != "" {
		return nil, fmt.Errorf("facts are ranked by confidence, and there is none: %s", why)
	}
	o.K = cmp.Or(o.K, DefaultK)
	o.Questions = cmp.Or(o.Questions, DefaultQuestions)
	o.MinConfidence = cmp.Or(o.MinConfidence, DefaultMinConfidence)
	s := &Search{Options: o, model: m, least: o.MinConfidence, found: []Fact{}}

	for r := graph.RelationID(0); int(r) < m.NumRelations(); r++ {
		if m.Bundle().Complete(r) {
			continue
		}
		if wanted := o.Relation; wanted != nil && r == *wanted || wanted == nil && (o.Head != nil || !r.IsInverse()) {
			s.relations = append(s.relations, r)
		}
	}
	for e := range graph.EntityID(m.NumEntities()) {
		if o.Head != nil && e != *o.Head || o.Type != (model.Type{}) && !m.Bundle().Graph.Has(e, o.Type.Relation.ID(), o.Type.Entity.ID()) {
			continue
		}
		s.heads = append(s.heads, e)
	}
	s.result.Possible = len(s.heads) * len(s.relations)
	return s, nil
}

// Whole reports whether the search asks about every head by every relation.
func (s *Search) Whole() bool { return s.Head == nil && s.result.Possible <= s.Questions }

// Cost describes the number of questions of the search.
func (s *Search) Cost() string {
	if s.Whole() {
		return fmt.Sprintf("asks %d questions: each of %d heads by each of %d relations", s.result.Possible, len(s.heads), len(s.relations))
	}
	if s.Head != nil {
		return "asks about one entity, by the relations that are plausible for it"
	}
	return fmt.Sprintf("asks at most %d of %d questions: heads spread evenly, by the relations that are plausible for each", s.Questions, s.result.Possible)
}

// together is the number of questions asked together, or fewer if their scores would exceed togetherScores numbers;
// each is the initial number of answers per question.
const (
	together       = 64
	togetherScores = 1 << 26
	each           = 64
)

// Run asks the questions and returns the most likely facts. If ctx ends first, it returns the facts found so far,
// with the error. Each call starts a new search.
func (s *Search) Run(ctx context.Context) (*Result, error) {
	running := *s
	return running.run(ctx)
}

// run is Run on a copy of the search, whose state it changes.
func (s *Search) run(ctx context.Context) (*Result, error) {
	var err error
	for batch := range s.batches(max(1, min(together, togetherScores/s.model.NumEntities()))) {
		s.progress()
		err = s.ask(ctx, batch)
		if err != nil {
			break
		}
	}
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	s.cut()
	s.result.Stopped = err != nil
	s.result.Facts = s.found
	for i := range s.found {
		s.name(&s.found[i])
	}
	return &s.result, err
}

func (s *Search) progress() {
	if s.Progress != nil {
		s.Progress(s.result.Questions, min(s.Questions, s.result.Possible))
	}
}

// batches yields the questions in batches of the given size.
func (s *Search) batches(size int) iter.Seq[[]runtime.LinkQuestion] {
	return func(yield func([]runtime.LinkQuestion) bool) {
		var batch []runtime.LinkQuestion
		left := s.Questions
		for e := range s.spread() {
			if left == 0 {
				break
			}
			for i, r := range s.relationsOf(e) {
				if left == 0 {
					break
				}
				if i == 0 {
					s.result.Heads++
				}
				left--
				batch = append(batch, runtime.LinkQuestion{Head: e, Relation: r})
				if len(batch) == size {
					if !yield(batch) {
						return
					}
					batch = batch[:0]
				}
			}
		}
		if len(batch) > 0 {
			yield(batch)
		}
	}
}

// relationsOf returns the relations by which to ask about an entity.
func (s *Search) relationsOf(e graph.EntityID) []graph.RelationID {
	if s.Whole() {
		return s.relations
	}
	return slices.DeleteFunc(Plausible(s.model, e), func(r graph.RelationID) bool { return !slices.Contains(s.relations, r) })
}

// spread yields the heads in steps of about the golden ratio, so that any prefix is spread evenly over all of them.
func (s *Search) spread() iter.Seq[graph.EntityID] {
	return func(yield func(graph.EntityID) bool) {
		n := len(s.heads)
		step := max(1, int(0.6180339887*float64(n)))
		for gcd(step, n) > 1 {
			step++
		}
		at := 0
		for range n {
			if !yield(s.heads[at]) {
				return
			}
			at = (at + step) % n
		}
	}
}

func gcd(a, b int) int {
	if b == 0 {
		return a
	}
	return gcd(b, a%b)
}

// ask asks a batch of questions and keeps the likely answers.
func (s *Search) ask(ctx context.Context, batch []runtime.LinkQuestion) error {
	o := runtime.LinkOptions{Semantics: s.Semantics}
	o.K = each
	o.Filter = runtime.AnswerFilter{Statuses: runtime.Predicted | runtime.Confirmed | runtime.Undecided, MinConfidence: s.least}
	replies, err := s.model.Links(ctx, batch, o)
	if err != nil {
		return err
	}
	for i, r := range replies {
		if r.Next > 0 { // there may be more
			o.K = s.model.NumEntities()
			all, err := s.model.Links(ctx, batch[i:i+1], o)
			if err != nil {
				return err
			}
			r = all[0]
		}
		for _, row := range r.Rows {
			s.take(batch[i], &row)
		}
	}
	s.result.Questions += len(batch)
	return nil
}

// take adds an answer to the facts found, unless it is marked as not true.
func (s *Search) take(q runtime.LinkQuestion, row *runtime.Row) {
	t := graph.TripleOf(q.Head, q.Relation, row.Values[0].ID)
	if u := s.model.Bundle().Untrue; u != nil && u.Has(t.Head, graph.RelationID(2*t.Relation), t.Tail) {
		return
	}
	s.found = append(s.found, Fact{Confidence: row.Confidence, Status: row.Status, asked: q, triple: t})
	if len(s.found) >= 2*s.K {
		s.cut()
	}
}

// cut sorts the facts found by confidence, ties in the order of storage, removes duplicates and keeps the K best.
func (s *Search) cut() {
	slices.SortFunc(s.found, func(a, b Fact) int {
		return cmp.Or(cmp.Compare(b.Confidence, a.Confidence), a.triple.Compare(b.triple))
	})
	seen := map[graph.Triple]bool{}
	s.found = slices.DeleteFunc(s.found, func(f Fact) bool {
		again := seen[f.triple]
		seen[f.triple] = true
		return again
	})
	if len(s.found) >= s.K {
		s.found = s.found[:s.K]
		s.least = max(s.least, s.found[s.K-1].Confidence)
	}
}

// mostValues bounds the other tails of a head that are listed with a fact.
const mostValues = 3

// name sets the names of a fact and lists stored facts for judging it.
func (s *Search) name(f *Fact) {
	m := s.model
	r := graph.RelationID(2 * f.triple.Relation)
	f.Head = m.Named(int32(f.triple.Head))
	f.Tail = m.Named(int32(f.triple.Tail))
	f.Relation = m.RelationName(r)
	f.Witness = []runtime.WitnessAtom{}
	for other := graph.RelationID(0); int(other) < m.NumRelations(); other++ {
		if other != r && m.Bundle().Graph.Has(f.triple.Head, other, f.triple.Tail) {
			f.Witness = append(f.Witness, m.Stored(f.triple.Head, other, f.triple.Tail))
		}
	}
	values := m.Bundle().Graph.Tails(f.asked.Head, f.asked.Relation)
	for _, t := range values[:min(len(values), mostValues)] {
		f.Witness = append(f.Witness, m.Stored(f.asked.Head, f.asked.Relation, graph.EntityID(t)))
	}
}
