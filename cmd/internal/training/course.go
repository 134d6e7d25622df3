package training

import (
	"math"

	"github.com/efoc/efoc/runtime/model/train"
)

// Course describes a training in a given time.
type Course struct {
	Size train.Size
	// ValidRanks is the number of ranks of a validation.
	ValidRanks int
	// Most bounds the number of epochs; 0 means no bound besides the time.
	Most int
	// EpochsGiven keeps the schedule's number of epochs.
	EpochsGiven bool
}

// Plan returns a schedule that takes about the given seconds after the tables are made: as many epochs as fit, or
// part of one. Validations take less than a fifth of the time, but there is one at the end.
func (c *Course) Plan(t Timing, s train.Schedule, seconds float64) train.Schedule {
	s.Every = max(s.Every, int(math.Ceil(4*float64(c.ValidRanks)*t.Rank/t.Epoch(c.Size))))
	if !c.EpochsGiven {
		each := t.Epoch(c.Size) + float64(c.ValidRanks)*t.Rank/float64(s.Every)
		s.Epochs = int(max(0, min(seconds/each, mostEpochsPlanned)))
		if c.Most > 0 {
			s.Epochs = min(s.Epochs, c.Most)
		}
	}
	if s.Epochs < 1 {
		s.Epochs = 1
		s.Steps = max(1, int(seconds/t.Step))
	}
	s.Every = min(s.Every, s.Epochs)
	return s
}

// mostEpochsPlanned bounds the epochs of a plan; patience ends a training earlier.
const mostEpochsPlanned = 1000

// Seconds returns the time of a schedule's epochs and validations.
func (c *Course) Seconds(t Timing, s train.Schedule) float64 {
	if s.Steps > 0 {
		return float64(s.Steps) * t.Step
	}
	return float64(s.Epochs)*t.Epoch(c.Size) + float64(s.Epochs/s.Every*c.ValidRanks)*t.Rank
}

// Pace adapts a run to the remaining time, and starts the decay of the rate once the run stops improving.
type Pace struct {
	// Left returns the seconds that remain for epochs of all members; nil keeps the number of epochs.
	Left func() float64
	// Falls says that the rate decays at the end.
	Falls bool
}

// left returns the seconds that remain for the current member: the members left share the time equally.
func (p *Pace) left(run *train.Run) float64 {
	spent := run.MemberSeconds()
	return (p.Left()+spent)/float64(run.Left()) - spent
}

// Adapt changes the number of epochs, between two of them. Once the rate decays it changes nothing.
func (p *Pace) Adapt(run *train.Run) {
	o := run.Trainer.Options()
	done := len(run.Curve)
	if p.Left == nil || done == 0 {
		return
	}
	run.Schedule.Steps = 0 // an epoch fits
	if o.Decay > 0 && done >= o.Hold {
		return
	}
	each := run.MemberSeconds() / float64(done)
	epochs := done + int(max(0, min(p.left(run)/each, mostEpochsPlanned)))
	if p.Falls && run.Waited() > run.Schedule.Patience/2 && run.Schedule.Patience > 0 {
		epochs = min(epochs, done+max(2, done/4))
	}
	decay := 0
	if p.Falls {
		decay = min(epochs/5, epochs-done)
	}
	run.End(epochs, decay)
}

// adaptSteps ends a run within its first epoch once the time is over, after any step: a measurement is short, and the
// machine may be busier later.
func (p *Pace) adaptSteps(run *train.Run) {
	done, _ := run.Trainer.Steps()
	if p.Left == nil || run.Trainer.Epoch() > 0 || done == 0 {
		return
	}
	if done == 1 { // the first step allocates memory and is not representative
		run.Schedule.Steps = 2
		return
	}
	each := run.MemberSeconds() / float64(done-1) // the time excludes the last step
	run.Schedule.Steps = done + int(max(0, min(p.left(run)/each, mostStepsPlanned)))
}

// mostStepsPlanned bounds the steps of a partial epoch.
const mostStepsPlanned = 1 << 30
