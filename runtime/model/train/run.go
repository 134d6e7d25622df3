package train

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
)

// Schedule configures the length of a training and its validations.
type Schedule struct {
	// Epochs is the maximum number of epochs of a member.
	Epochs int `json:"epochs"`
	// Seconds, if not 0, limits the time of all members, who share it equally. A member whose time is over ends
	// within an epoch.
	Seconds float64 `json:"seconds,omitempty"`
	// Every is the number of epochs between validations.
	Every int `json:"every"`
	// Patience is the number of validations without a new best after which the training ends; 0 means no limit. After
	// half of them, the rate begins to fall.
	Patience int `json:"patience"`
}

// Validate reports the first setting outside its range.
func (s Schedule) Validate() error {
	switch {
	case s.Epochs < 1 || s.Epochs > 1<<30:
		return fmt.Errorf("epochs is %d, want 1 to %d", s.Epochs, 1<<30)
	case s.Every < 1:
		return fmt.Errorf("every is %d, want at least 1", s.Every)
	case s.Patience < 0:
		return fmt.Errorf("patience is %d, want at least 0", s.Patience)
	case !(s.Seconds >= 0):
		return fmt.Errorf("seconds is %v, want at least 0", s.Seconds)
	}
	return nil
}

// Point is one epoch on the learning curve, the last one possibly a part of an epoch.
type Point struct {
	Epoch int  `json:"epoch"`
	Loss  Loss `json:"loss"`
	// Seconds is the duration of the training so far.
	Seconds float64 `json:"seconds"`
	// Valid is nil after an epoch without validation.
	Valid *Metrics `json:"valid,omitempty"`
}

// Run is a training with its learning curve and its best model, or several such trainings, one after another.
type Run struct {
	Trainer  *Trainer
	Schedule Schedule
	// Curve has a point for each completed epoch of the current member.
	Curve []Point

	now     func() time.Time
	valid   *Test // nil without validation
	best    *snapshot
	members []snapshot // the best models of the members before the current one, empty once they are joined
	joined  int        // the number of members of the joint model, 0 without one
	end     int        // the last epoch of the current member if its rate falls early, otherwise 0
	seconds float64
	earlier float64 // the seconds of these members
	digest  string  // of the graph
}

// snapshot is a copy of the best model so far.
type snapshot struct {
	epoch               int
	entities, relations matrix
}

// NewRun returns a run before its first step. valid, if not nil, selects the best model and ends the run early.
func NewRun(g *graph.Graph, o Options, s Schedule, valid *Test, threads int) (*Run, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	t, err := New(g, o, threads)
	if err != nil {
		return nil, err
	}
	return &Run{Trainer: t, Schedule: s, now: time.Now, valid: valid, digest: digestOf(g)}, nil
}

// Hooks are callbacks of a run. Any may be nil.
type Hooks struct {
	// Step is called after every step.
	Step func()
	// Epoch receives every new point of the curve.
	Epoch func(Point)
	// Member is called after each member but the last one.
	Member func()
	// Unsaved receives the error of a checkpoint that could not be written. The run continues, and the previous
	// checkpoint remains.
	Unsaved func(error)
}

// Checkpoints configures where and how often a run is saved.
type Checkpoints struct {
	// Path is the file, empty for none.
	Path string
	// Interval is the time between checkpoints, 0 for none but the last one, at the end or when the run is interrupted.
	Interval time.Duration
}

// done reports whether the training is complete.
func (r *Run) done() bool { return r.ended() && r.Left() == 1 }

// ended reports whether the training of the current member is complete.
func (r *Run) ended() bool {
	return r.Trainer.order == nil && len(r.Curve) == max(1, r.Trainer.Epoch()) && (r.Share() >= 1 || r.stale())
}

// Share returns the share of the current member's training that is over: of its epochs or of its time, whichever is
// more.
func (r *Run) Share() float64 {
	share := r.Trainer.done() / float64(cmp.Or(r.end, r.Schedule.Epochs))
	if r.Schedule.Seconds > 0 {
		share = max(share, r.memberSeconds()/max(1e-9, (r.Schedule.Seconds-r.earlier)/float64(r.Left())))
	}
	return share
}

// Left returns the number of members to train, including the current one.
func (r *Run) Left() int { return max(1, r.Trainer.options.Members-len(r.members)) }

// stale reports whether Patience is exhausted.
func (r *Run) stale() bool {
	return r.Schedule.Patience > 0 && r.waited() >= r.Schedule.Patience
}

// waited returns the number of validations since the best one.
func (r *Run) waited() (validations int) {
	if r.best == nil {
		return 0
	}
	for _, p := range r.Curve[r.best.epoch:] {
		if p.Valid != nil {
			validations++
		}
	}
	return validations
}

// Do trains until the run is done, a step fails or ctx ends. Then it saves the run, except after a failed step, when
// the last checkpoint is better.
func (r *Run) Do(ctx context.Context, c Checkpoints, h Hooks) error {
	if h.Unsaved == nil {
		h.Unsaved = func(error) {}
	}
	save := func() {
		if c.Path == "" {
			return
		}
		if err := r.save(c.Path); err != nil {
			h.Unsaved(err)
		}
	}
	saved := r.now()
	for !r.done() {
		start := r.now()
		ended, err := r.advance(ctx, h)
		r.seconds += r.now().Sub(start).Seconds()
		if ctx.Err() != nil {
			save()
			return ctx.Err()
		}
		if err != nil {
			return err
		}
		if ended && h.Epoch != nil {
			h.Epoch(r.Curve[len(r.Curve)-1])
		}
		if r.ended() && !r.done() {
			if h.Member != nil {
				h.Member()
			}
			r.next()
		}
		if r.done() || c.Interval > 0 && r.now().Sub(saved) >= c.Interval {
			save()
			saved = r.now()
		}
	}
	return nil
}

// advance takes a step, or ends an epoch, and reports which.
func (r *Run) advance(ctx context.Context, h Hooks) (ended bool, err error) {
	share := r.Share()
	if share >= 1 {
		r.Trainer.cut()
	}
	if len(r.Curve) < r.Trainer.Epoch() {
		return true, r.endEpoch(ctx, share >= 1)
	}
	if _, err := r.Trainer.Step(share); err != nil {
		return false, fmt.Errorf("epoch %d, step %d: %w", r.Trainer.Epoch()+1, r.Trainer.step+1, err)
	}
	if h.Step != nil {
		h.Step()
	}
	return false, nil
}

// endEpoch adds the epoch to the curve, and validates it if that is due or it is the last one.
func (r *Run) endEpoch(ctx context.Context, last bool) error {
	p := Point{Epoch: r.Trainer.Epoch(), Loss: r.Trainer.Loss(), Seconds: r.seconds}
	if r.valid != nil && (last || p.Epoch%r.Schedule.Every == 0) {
		m, err := r.Trainer.Evaluate(ctx, r.valid, nil)
		if err != nil {
			return err
		}
		p.Valid = &m
	}
	r.Curve = append(r.Curve, p)
	if p.Valid != nil && (r.best == nil || p.Valid.MRR > r.Curve[r.best.epoch-1].Valid.MRR) {
		r.best = r.Trainer.snapshot(r.best)
	}
	decay := r.Trainer.options.Decay
	if r.end == 0 && decay > 0 && r.Schedule.Patience > 0 && r.waited() > r.Schedule.Patience/2 {
		r.end = int(min(float64(r.Schedule.Epochs), math.Ceil(float64(p.Epoch)/(1-decay))))
	}
	return nil
}

// Early reports whether the time ended the run while validation improved.
func (r *Run) Early() bool {
	return r.Schedule.Seconds > 0 && r.seconds >= r.Schedule.Seconds && r.end == 0
}

// Extend changes the number of epochs, and ends the limit of the time. A rate that fell rises again.
func (r *Run) Extend(epochs int) {
	r.Schedule.Epochs = epochs
	r.Schedule.Seconds = 0
	r.end = 0
}

// snapshot copies the model, into the memory of old if not nil.
func (t *Trainer) snapshot(old *snapshot) *snapshot {
	old = cmp.Or(old, &snapshot{})
	copied := func(to *matrix, from matrix) {
		from.data = append(to.data[:0], from.data...)
		*to = from
	}
	old.epoch = t.Epoch()
	copied(&old.entities, t.entities.values)
	copied(&old.relations, t.relations.values)
	return old
}

// Best returns the epoch with the best validation, or the last epoch without validations.
func (r *Run) Best() int {
	if r.best == nil {
		return r.Trainer.Epoch()
	}
	return r.best.epoch
}

// Evaluate ranks the facts of a test by the best model; after the training, by the model of all members together.
func (r *Run) Evaluate(ctx context.Context, s *Test, progress func(done, total int)) (Metrics, error) {
	entities, relations := r.model()
	return evaluate(ctx, entities, relations, r.Trainer.workers, s, progress)
}

// Predictor returns the best model in the form of bundles. It reuses the memory of the run and ends it: only the
// run's history remains usable.
func (r *Run) Predictor() (model.Predictor, error) {
	entities, relations := r.model()
	rank := r.rank()
	p := model.Predictor{Rank: rank, RelationTable: compact(relations, rank)}
	rows := compact(entities, rank)
	r.Trainer = r.Trainer.history()
	if r.best != nil {
		r.best = &snapshot{epoch: r.best.epoch}
	}
	var err error
	p.EntityTable, err = table.Make(rows, 2*rank, table.Float32, "")
	return p, err
}

// Seconds returns the duration of the run.
func (r *Run) Seconds() float64 { return r.seconds }

// memberSeconds returns the duration of the current member.
func (r *Run) memberSeconds() float64 { return r.seconds - r.earlier }

// Options returns the settings of the run.
func (r *Run) Options() Options {
	o := r.Trainer.options
	o.Seed -= uint64(len(r.members))
	return o
}

// history returns the trainer without its tables.
func (t *Trainer) history() *Trainer {
	return &Trainer{options: t.options, number: t.number, step: t.step, loss: t.loss, workers: t.workers}
}

// Options returns the settings of the training.
func (t *Trainer) Options() Options { return t.options }
