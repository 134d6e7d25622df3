package fit

import (
	"context"

	"github.com/efoc/efoc/runtime/internal/drive"
	"github.com/efoc/efoc/runtime/internal/part"
	"github.com/efoc/efoc/runtime/internal/pass"
	"github.com/efoc/efoc/runtime/model"
)

// request asks for the rows that a plan needs next. The rows for all queries of a batch are made
// together.
type request struct {
	rows    *Rows
	run     *drive.State // nil if no run waits for the rows
	charged *int64       // memory that counts for the run
	facts   *model.Model // with the facts of the run
	scale   scale
	ctx     context.Context
	part    *part.Part // of a split model, for the exchanges of all requests
	before  func(more *pass.Request) bool
	keys    []key
	given   []given // of the first keys
	made    []*fuzzy
	read    []*entry // until the query is done
	err     error
	all     []*request // requests served together; this one is the first
}

// start begins a run on a model by some settings.
func (r *request) start(c *Rows, run *drive.State, charged *int64, on *model.Model, d *model.Degrees) {
	r.rows = c
	r.run = run
	r.charged = charged
	r.facts = on
	r.scale = scaleOf(on, d)
	r.ctx = run.Context()
	r.part = nil
	if run.Part != nil {
		r.part = run.Part.Whole()
	}
	r.err = nil
}

// empty lets go of given scores.
func (r *request) empty() {
	clear(r.given)
	r.given = r.given[:0]
}

// exceeded is the error of a run that has taken too much memory.
func (r *request) exceeded() error { return r.rows.exceeded(*r.charged + r.rows.loose(r.read)) }

// release lets go of the rows that the run has read.
func (r *request) release() {
	r.rows.release(r.read)
	clear(r.made[:cap(r.made)])
	clear(r.given[:cap(r.given)])
	clear(r.read)
	r.read = r.read[:0]
}

// Like reports whether equal keys of two requests name the same row.
func (r *request) Like(o drive.Request) bool {
	x, ok := o.(*request)
	return ok && r.rows == x.rows && r.facts.Graph == x.facts.Graph && r.scale == x.scale
}

// rest lets others run, unless the requests belong to a group or a batch.
func rest(all []*request) {
	if run := all[0].run; run != nil && !run.Batched() {
		run.Rest()
	}
}

// ended returns the error of the contexts of requests if all of them have ended.
func ended(all []*request) error {
	for _, r := range all {
		if r.ctx.Err() == nil {
			return nil
		}
	}
	return all[0].ctx.Err()
}

// Kind is Columns: rows are made from scores.
func (r *request) Kind() drive.Kind { return drive.Columns }
