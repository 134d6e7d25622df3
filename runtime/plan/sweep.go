package plan

import (
	"github.com/efoc/efoc/kernels/product"
	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/internal/drive"
	"github.com/efoc/efoc/runtime/internal/rows"
	"github.com/efoc/efoc/runtime/internal/sweep"
	"github.com/efoc/efoc/runtime/model/graph"
)

// Sweep reads the entity table once and computes several results: scores, readouts, weighted sums of rows, and rows
// of truth degrees. A plan describes the sweep, then runs it. Its operands must be complete before it runs; its
// results may be read afterwards. No two of them may share a buffer.
//
// Package sweep implements it; the queries of a batch share one. Cached rows of truth degrees need no sweep, deferred
// rows wait (see package fit), and the rows of a batch have a separate sweep. reread.go says which results are
// repaired after reading codes.
type Sweep struct {
	w      *Workspace
	reader sweep.Sweep
	scores []sweepScore // of each column
	loops  []Vec        // the values of loop scores
	states []sweep.Sum  // to sum by Correct
	rows   bool         // rows of truth degrees are requested
	made   bool         // the sweep is done
	whole  bool         // and its results are repaired
	along  func(more *sweep.Request) bool
	beside func()
	again  rereads
	recall recall
}

// sweepScore is the value of a column, with the observed links of its message if known.
type sweepScore struct {
	value Vec
	links Vector
}

// Sweep starts the description of a sweep of the table.
func (w *Workspace) Sweep() *Sweep {
	s := &w.sweep
	s.w = w
	s.reader.Begin()
	s.scores = s.scores[:0]
	s.loops = s.loops[:0]
	s.states = s.states[:0]
	s.rows = false
	s.made = false
	s.whole = false
	return s
}

// Score adds dst[e] = ⟨x, E_e⟩. Like all methods that describe a sweep, it returns the future result. links, at most
// one, are the observed links of the score's message, as for Workspace.Message: if the table has codes, the rows at
// their ends are checked more closely.
func (s *Sweep) Score(dst Vec, x Emb, links ...Vec) Vec {
	s.column(dst, x, false)
	for _, l := range links {
		s.scores[len(s.scores)-1].links = s.w.Vector(l)
	}
	return dst
}

// Cosine adds dst[e] = cos(x, E_e).
func (s *Sweep) Cosine(dst Vec, x Emb) Vec {
	s.column(dst, x, true)
	return dst
}

// column adds a column of scores or cosines.
func (s *Sweep) column(dst Vec, x Emb, cosine bool) {
	s.reader.Columns = append(s.reader.Columns, rows.Column{Dst: s.w.Vector(dst), Query: s.w.Embedding(x), Cosine: cosine})
	s.scores = append(s.scores, sweepScore{value: dst})
}

// LoopScore adds dst[e] = ±⟨r⊗E_e, E_e⟩.
func (s *Sweep) LoopScore(dst Vec, r graph.RelationID, sign graph.Sign) Vec {
	s.reader.Loops = append(s.reader.Loops, rows.Loop{Dst: s.w.Vector(dst), Relation: s.w.model.Predictor.Relation(r), Negated: bool(sign)})
	s.loops = append(s.loops, dst)
	return dst
}

// Embed adds dst = Σ_e x[e]·E_e.
func (s *Sweep) Embed(dst Emb, x Vec) Emb {
	sum := sweep.AddSum(&s.reader.Sums, s.w.Embedding(dst), nil)
	sum.Weights = append(sum.Weights, s.w.Vector(x))
	return dst
}

// Estimate adds dst = Σ_e g[e]·E_e, where g estimates a state: the exponential of the sum of the factors that this
// sweep scores, times the other factors. g is stored, up to a constant factor, for Correct. Add all scores first. If
// Correct sums the rows, Estimate computes nothing.
func (s *Sweep) Estimate(dst Emb, g Vec, factors ...Vec) Estimate {
	sweep.AddSum(s.estimates(), s.w.Embedding(dst), s.w.Vector(g))
	for _, f := range factors {
		s.factor(f)
	}
	return Estimate{dst, g}
}

// estimates returns the list that estimates are added to.
func (s *Sweep) estimates() *[]sweep.Sum {
	if s.w.sumsLater() {
		return &s.states
	}
	return &s.reader.Sums
}

// factor adds a factor to the latest estimate.
func (s *Sweep) factor(x Vec) {
	list := *s.estimates()
	sum := &list[len(list)-1]
	for i := range s.scores {
		if s.scores[i].value == x {
			sum.Scores = append(sum.Scores, i)
			return
		}
	}
	for i, v := range s.loops {
		if v == x {
			sum.Scores = append(sum.Scores, -1-i)
			return
		}
	}
	sum.Weights = append(sum.Weights, s.w.Vector(x))
}

// Row adds the row of truth degrees of an entity, as fit.Machine.Row. scores, at most one, are the scores that this
// sweep computes for the message along the same atom.
func (s *Sweep) Row(e graph.EntityID, r graph.RelationID, d graph.Direction, sign graph.Sign, atom int, scores ...Vec) *fit.Set {
	s.rows = true
	var of Vector
	exact := !s.w.Degrees().ReadsCodes()
	for _, x := range scores {
		of = s.w.Vector(x)
		for i := range s.scores {
			if s.scores[i].value == x {
				s.reader.Columns[i].Wide = exact
			}
		}
	}
	return s.w.degrees.Row(e, r, d, sign, atom, of)
}

// Rows adds the rows of truth degrees of candidates, as fit.Machine.Rows.
func (s *Sweep) Rows(r graph.RelationID, d graph.Direction, sign graph.Sign, atom int, top *fit.Candidates) *fit.AtomRows {
	s.rows = true
	return s.w.degrees.Rows(r, d, sign, atom, top)
}

// Run makes the sweep, unless the workspace has an error. A batch that only has estimates needs none. A query alone
// makes rows of truth degrees in the same pass.
func (s *Sweep) Run() {
	switch {
	case !s.rows:
		s.run()
	case s.reader.Empty():
		s.w.degrees.Make(nil, nil)
	case s.w.Batched() || s.w.Part != nil:
		s.run()
		s.w.degrees.Make(nil, nil)
	case s.recalled():
		s.w.degrees.Make(nil, nil)
	default:
		if s.along == nil {
			s.along = s.serveWith
			s.beside = s.completeAlone
		}
		s.w.degrees.Make(s.along, s.beside)
		switch {
		case s.whole:
		case s.made:
			s.complete()
		case s.w.Err() == nil:
			s.readTable()
		}
	}
}

// run makes the sweep without rows of truth degrees.
func (s *Sweep) run() {
	if s.w.Err() != nil || s.reader.Empty() {
		return
	}
	s.runSweep()
	for i := range s.reader.Sums { // corrections add the sums of estimates over all parts
		if s.reader.Sums[i].G == nil {
			s.w.Part.AddLater(s.reader.Sums[i].Dst)
		}
	}
}

// serveWith makes the sweep, and with it another request if dot products can serve both; it reports whether they did.
func (s *Sweep) serveWith(more *sweep.Request) bool {
	p := &s.reader
	own := len(s.reader.Columns)
	joins := !s.w.ranksAll && rows.ByDots(s.w.model.Model, more.Columns)
	if joins {
		p.Columns = append(p.Columns, more.Columns...)
		p.Exponentials = more.Exponentials
	}
	s.serve(p, 0)
	clear(p.Columns[own:])
	p.Columns = p.Columns[:own]
	p.Exponentials = nil
	s.made = true
	return joins
}

// runSweep makes the sweep, unless its results are cached.
func (s *Sweep) runSweep() {
	if !s.recalled() {
		s.readTable()
	}
}

// readTable makes the sweep.
func (s *Sweep) readTable() {
	if s.w.Ask(s) {
		s.complete()
	}
}

// completeAlone is complete without the workers, which make rows of truth degrees.
func (s *Sweep) completeAlone() {
	s.reader.ServedFrom(s.reader.Source(), nil)
	s.complete()
	s.whole = true
}

// complete repairs the results of the sweep, and caches them.
func (s *Sweep) complete() {
	s.readAgain()
	s.keep()
}

// Serve makes one sweep for all requests.
func (s *Sweep) Serve(all []drive.Request) {
	if !s.w.Batched() {
		s.serve(&s.reader, 0)
		return
	}
	model := s.w.model
	p, _ := model.merged.Get().(*sweep.Sweep)
	if p == nil {
		p = &sweep.Sweep{}
	}
	p.Begin()
	for _, r := range all {
		one := r.(*Sweep)
		p.Columns = append(p.Columns, one.reader.Columns...)
		p.Loops = append(p.Loops, one.reader.Loops...)
		p.Sums = append(p.Sums, one.reader.Sums...)
	}
	terms := product.Terms(0)
	if len(all) > 1 {
		terms = product.Two
	}
	s.serve(p, terms)
	for _, r := range all {
		r.(*Sweep).reader.ServedBy(p)
	}
	p.Forget()
	model.merged.Put(p) // not after a panic, which leaves it in an unknown state
}

// serve makes the sweep p in the workspace of s. If terms is not 0, it may use products of matrices.
func (s *Sweep) serve(p *sweep.Sweep, terms product.Terms) {
	m := s.w.model.Model
	p.Terms = terms
	p.Within = sweep.MaxCodeError
	p.Run(rows.Fastest(m, &p.Work, len(p.Sums), s.w.ranksAll || s.w.access.Floats), s.w.Workers)
}

// Like reports whether a request sweeps as many entities and reads the same rows: a group's queries may have begun
// before others were added.
func (s *Sweep) Like(o drive.Request) bool {
	one, ok := o.(*Sweep)
	return ok && one.w.model.NumEntities() == s.w.model.NumEntities() && one.w.ranksAll == s.w.ranksAll && one.w.access == s.w.access
}

// Kind separates sweeps with sums of rows, which most other sweeps of a batch lack.
func (s *Sweep) Kind() drive.Kind {
	if len(s.reader.Sums) > 0 {
		return drive.Sums
	}
	return drive.Columns
}
