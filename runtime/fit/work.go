package fit

import (
	"unsafe"

	"github.com/efoc/efoc/runtime/internal/atoms"
	"github.com/efoc/efoc/runtime/internal/drive"
	"github.com/efoc/efoc/runtime/internal/fuzzy"
	"github.com/efoc/efoc/runtime/model"
)

// room is the memory of a run. It is pooled between runs.
type room struct {
	parts
	sets     fuzzy.Slab[Set]
	tops     fuzzy.Slab[Candidates]
	rows     fuzzy.Slab[AtomRows]
	cases    fuzzy.Slab[Branches]
	setLists fuzzy.Slab[*Set]
	rowLists fuzzy.Slab[*AtomRows]
	branches []branch
	ones     []float32
	own      []float32 // see otherThan
	led      []int32   // see met
	others   []pairs   // see linksOf
	places   []int32   // of a pusher; 0 between two uses
	helpers  []*work   // for each worker, with the memory for narrowAll
	charged  int64     // memory charged to the budget of all runs
}

// branch is a combination of values: a parent branch's, and a candidate.
type branch struct {
	parent, value int32
	weight        float32
}

// reset frees everything.
func (r *room) reset() {
	r.arena.Reset()
	r.sets.Forget()
	r.tops.Forget()
	r.rows.Forget()
	r.cases.Forget()
	r.setLists.Forget()
	r.rowLists.Forget()
	for _, h := range r.helpers {
		if h.room != nil {
			h.room.reset()
		}
	}
}

// bytes returns the memory of a room.
func (r *room) bytes() int64 {
	numbers := cap(r.ones) + cap(r.own) + cap(r.led) + cap(r.places)
	helpers := int64(0)
	for _, h := range r.helpers {
		if h.room != nil {
			helpers += h.room.bytes()
		}
	}
	return helpers + r.arena.Bytes() + r.sets.Bytes() + r.tops.Bytes() + r.rows.Bytes() + r.cases.Bytes() + r.setLists.Bytes() + r.rowLists.Bytes() +
		fuzzy.NumberBytes*int64(numbers) + int64(cap(r.branches))*int64(unsafe.Sizeof(branch{}))
}

// work is the state that the ops of a run share: memory, model, settings and requested rows.
type work struct {
	*room    // from Start until the query is done
	run      *drive.State
	cache    *atoms.Cache
	model    *model.Model // of this run, with its facts
	settings model.Degrees
	// rowsAlone ignores the contributions of entities without rows, as other engines do.
	rowsAlone bool

	request    atoms.Request
	constants  []*Set      // whose rows the request is for, first
	candidates []*AtomRows // and these after them

	pushing pusher
	narrow  func(worker, i int) // allocated once
}

// start begins a run on a model.
func (w *work) start(on *model.Model, d model.Degrees) {
	w.model = on
	w.settings = d.OrDefault()
	if w.room == nil {
		w.room = atoms.Reused[room](w.cache)
	}
	if w.room == nil {
		w.room = &room{}
		w.arena.N = on.NumEntities()
	}
	w.room.reset()
	w.arena.Norm = w.cache.Norm
	w.part = w.run.Part
	w.request.Start(w.cache, w.run, &w.charged, on, &w.settings)
	w.empty()
}

// empty drops the requests.
func (w *work) empty() {
	w.request.Empty()
	w.constants = w.constants[:0]
	w.candidates = w.candidates[:0]
}

// release ends the run and invalidates its results.
func (w *work) release() {
	w.request.Release()
	clear(w.constants[:cap(w.constants)])
	clear(w.candidates[:cap(w.candidates)])
	w.cache.Charge(w.room.bytes(), &w.charged)
	w.room.reset()
	w.part = nil
	w.cache.Put(w.room, w.charged)
	w.room = nil
}

// goesOn charges the run's memory to the budget, and reports whether the run may continue: it is within the budget,
// and not cancelled. Long ops call it repeatedly, and stop computing when it fails; the run has the error.
func (w *work) goesOn() bool {
	w.run.Rest()
	if w.run.Err() != nil {
		return false
	}
	if !w.cache.Charge(w.room.bytes(), &w.charged) {
		w.run.Fail(w.request.Exceeded())
		return w.run.Part != nil // the others continue to the next exchange
	}
	return true
}

// exact reports whether the run makes every row.
func (w *work) exact() bool { return w.settings.Candidates >= w.entities() }

// set returns a set of the given number of branches, to be filled in.
func (w *work) set(branches int, made origin) *Set {
	s := w.value(made)
	s.each = w.arena.Each.Take(branches)
	return s
}

// value returns a set that a step will evaluate.
func (w *work) value(made origin) *Set {
	s := w.sets.One()
	s.made = made
	return s
}

// eachBranch evaluates the branches of a set; partly keeps branches that equal the result of observed links.
func (w *work) eachBranch(s *Set, branches int, partly bool, evaluate func(b int) *fuzzy.Set) {
	before := s.each
	if !partly || len(before) != branches {
		before = nil
		s.each = w.arena.Each.Take(branches)
	}
	goes := w.goesOn()
	for b := range s.each {
		if before != nil && !s.made.changes(b) {
			continue
		}
		s.each[b] = fuzzy.None
		if goes {
			s.each[b] = evaluate(b)
			goes = b%someBranches > 0 && s.each[b].Full == nil || w.goesOn()
		}
	}
}

// someBranches are evaluated between calls of goesOn, unless one takes much memory.
const someBranches = 16

// product returns the product of the rows of candidate i.
func (w *work) product(rows []*AtomRows, i int32) *fuzzy.Set {
	x := rows[0].each[i]
	for _, r := range rows[1:] {
		x = w.arena.Mul(x, r.each[i])
	}
	return x
}

// signed returns a row, negated if its atom is.
func (w *work) signed(x *fuzzy.Set, negated bool) *fuzzy.Set {
	if negated {
		return w.arena.Negated(x, float32(w.settings.Negation))
	}
	return x
}
