package atoms

import (
	"context"

	"github.com/efoc/efoc/runtime/internal/drive"
	"github.com/efoc/efoc/runtime/internal/exchange"
	"github.com/efoc/efoc/runtime/internal/fuzzy"
	"github.com/efoc/efoc/runtime/internal/sweep"
	"github.com/efoc/efoc/runtime/model"
)

// Request asks for the rows that a plan needs next. The rows for all queries of a batch are made together.
type Request struct {
	rows    *Cache
	run     *drive.State // nil if no run waits for the rows
	charged *int64       // memory charged to the run
	facts   *model.Model // with the facts of the run
	scale   scale
	ctx     context.Context
	part    *exchange.Shard // of a split model, for the exchanges of all requests
	Before  func(more *sweep.Request) bool
	Beside  func() // for a worker, while others make rows of the results; nil if there is nothing to do
	Floats  bool   // read float rows of the table
	Keys    []Key
	Given   []Given // of the first keys
	Made    []*fuzzy.Set
	read    []*entry // until the query is done
	Err     error
	all     []*Request // requests served together; this one is the first
}

// Start begins a run on a model with the given settings.
func (r *Request) Start(c *Cache, run *drive.State, charged *int64, on *model.Model, d *model.Degrees) {
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
	r.Err = nil
}

// Empty drops given scores.
func (r *Request) Empty() {
	clear(r.Given)
	r.Given = r.Given[:0]
}

// Exceeded returns the error for a run that exceeds the memory budget.
func (r *Request) Exceeded() error { return r.rows.exceeded(*r.charged + r.rows.loose(r.read)) }

// Release releases the rows that the run has read.
func (r *Request) Release() {
	r.rows.release(r.read)
	clear(r.Made[:cap(r.Made)])
	clear(r.Given[:cap(r.Given)])
	clear(r.read)
	r.read = r.read[:0]
}

// Like reports whether equal keys of two requests name the same row.
func (r *Request) Like(o drive.Request) bool {
	x, ok := o.(*Request)
	return ok && r.rows == x.rows && r.Floats == x.Floats && r.facts.Graph == x.facts.Graph && r.scale == x.scale
}

// rest yields to other runs, unless the requests belong to a group or a batch.
func rest(all []*Request) {
	if run := all[0].run; run != nil && !run.Batched() {
		run.Rest()
	}
}

// ended returns the error of the requests' contexts if all of them have ended.
func ended(all []*Request) error {
	for _, r := range all {
		if r.ctx.Err() == nil {
			return nil
		}
	}
	return all[0].ctx.Err()
}

// Kind is Columns: rows are made from scores.
func (r *Request) Kind() drive.Kind { return drive.Columns }
