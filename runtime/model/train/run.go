package train

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
)

// Schedule configures the length of a training and its validations.
type Schedule struct {
	// Epochs is the maximum number of epochs.
	Epochs int `json:"epochs"`
	// Every is the number of epochs between validations.
	Every int `json:"every"`
	// Patience is the number of validations without a new best after which the training ends; 0 means no limit.
	Patience int `json:"patience"`
	// Steps, if not 0, limits the training to that many steps of the first epoch.
	Steps int `json:"steps,omitempty"`
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
	case s.Steps < 0:
		return fmt.Errorf("steps is %d, want at least 0", s.Steps)
	}
	return nil
}

// Point is one epoch on the learning curve.
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

	valid   *Test // nil without validation
	best    *snapshot
	members []snapshot // the best models of the members before the current one, empty once they are joined
	joined  int        // the number of members of the joint model, 0 without one
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
	return &Run{Trainer: t, Schedule: s, valid: valid, digest: digestOf(g)}, nil
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
	// Interval is the time between checkpoints within an epoch. Every validation is followed by one too.
	Interval time.Duration
}

// done reports whether the training is complete.
func (r *Run) done() bool { return r.ended() && (r.cut() || r.Left() == 1) }

// ended reports whether the training of the current member is complete.
func (r *Run) ended() bool {
	return r.cut() || len(r.Curve) == r.Trainer.Epoch() && (len(r.Curve) >= r.Schedule.Epochs || r.stale())
}

// Left returns the number of members to train, including the current one.
func (r *Run) Left() int { return max(1, r.Trainer.options.Members-len(r.members)) }

// cut reports whether the training ended within its first epoch.
func (r *Run) cut() bool {
	done, _ := r.Trainer.Steps()
	return r.Schedule.Steps > 0 && r.Trainer.Epoch() == 0 && done >= r.Schedule.Steps
}

// stale reports whether Patience is exhausted.
func (r *Run) stale() bool {
	return r.Schedule.Patience > 0 && r.Waited() >= r.Schedule.Patience
}

// Waited returns the number of validations since the best one.
func (r *Run) Waited() (validations int) {
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
	saved := time.Now()
	for !r.done() {
		start := time.Now()
		validated, err := r.advance(ctx, h)
		r.seconds += time.Since(start).Seconds()
		if ctx.Err() != nil {
			save()
			return ctx.Err()
		}
		if err != nil {
			return err
		}
		if validated && h.Epoch != nil {
			h.Epoch(r.Curve[len(r.Curve)-1])
		}
		if r.ended() && !r.done() {
			if h.Member != nil {
				h.Member()
			}
			r.next()
		}
		if validated || c.Interval > 0 && time.Since(saved) >= c.Interval {
			save()
			saved = time.Now()
		}
	}
	if r.cut() {
		save()
	}
	return nil
}

// advance takes a step, or ends an epoch, and reports which.
func (r *Run) advance(ctx context.Context, h Hooks) (ended bool, err error) {
	if len(r.Curve) < r.Trainer.Epoch() {
		return true, r.endEpoch(ctx)
	}
	if _, err := r.Trainer.Step(); err != nil {
		return false, fmt.Errorf("epoch %d, step %d: %w", r.Trainer.Epoch()+1, r.Trainer.step+1, err)
	}
	if h.Step != nil {
		h.Step()
	}
	return false, nil
}

// endEpoch adds the epoch to the curve, and validates it if due.
func (r *Run) endEpoch(ctx context.Context) error {
	p := Point{Epoch: r.Trainer.Epoch(), Loss: r.Trainer.Loss(), Seconds: r.seconds}
	if r.valid != nil && (p.Epoch%r.Schedule.Every == 0 || p.Epoch == r.Schedule.Epochs) {
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
	return nil
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

// MemberSeconds returns the duration of the current member.
func (r *Run) MemberSeconds() float64 { return r.seconds - r.earlier }

// End changes the number of epochs, and the number of final epochs in which the rate falls, even if it has already
// begun to fall.
func (r *Run) End(epochs, decay int) {
	o := &r.Trainer.options
	r.Schedule.Epochs = epochs
	o.Decay = decay
	o.Hold = max(0, epochs-decay)
}

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
