package fit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/runtime/internal/drive"
	"github.com/efoc/efoc/runtime/internal/fuzzy"
	"github.com/efoc/efoc/runtime/internal/top"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/modeltest"
)

// TestNext compares what is done with steps of each kind in each phase with a table.
func TestNext(t *testing.T) {
	operand := func(s state) *Set {
		return &Set{state: s, each: []*fuzzy.Set{{IDs: []int32{1, 2}, Deg: []float32{0.5, 0.5}}}}
	}
	rows := func(of *Set, withRows int, negated bool) *step {
		top := &Candidates{of: of, ids: []int32{1, 2}, withRows: []int32{0, 1}[:withRows]}
		return &step{rows: []*AtomRows{{top: top, negated: negated}}}
	}
	renewed := rows(operand(made), 0, false)
	renewed.rows[0].top.state = again
	unlike := operand(made)
	unlike.each[0].Deg[1] = 0.4
	push := func(of *Set) *step { return &step{set: &Set{made: origin{op: push, of: of}}} }
	dense := func(of *Set) *step { return &step{set: of, dst: make([]float32, 1)} }
	for _, c := range []struct {
		name string
		step *step
		want [4]action // by phase
	}{
		{"rows", rows(operand(made), 1, false), [4]action{wait, observe, renew, evaluate}},
		{"rows of no candidate", rows(operand(made), 0, false), [4]action{wait, observe, keep, evaluate}},
		{"rows of renewed candidates", renewed, [4]action{wait, observe, renew, evaluate}},
		{"negated rows, a value without a row is as good", rows(operand(made), 1, true), [4]action{wait, observe, renew, evaluate}},
		{"negated rows, a value without a row is worse", rows(unlike, 1, true), [4]action{evaluate, observe, renew, evaluate}},
		{"negated rows of all values", rows(operand(made), 2, true), [4]action{evaluate, observe, renew, evaluate}},
		{"a push", push(operand(made)), [4]action{evaluate, evaluate, keep, evaluate}},
		{"a push of a renewed set", push(operand(again)), [4]action{evaluate, evaluate, renew, evaluate}},
		{"a push of a set that waits", push(operand(waits)), [4]action{wait, evaluate, keep, evaluate}},
		{"degrees", dense(operand(made)), [4]action{evaluate, evaluate, keep, evaluate}},
		{"degrees of a renewed set", dense(operand(again)), [4]action{evaluate, evaluate, renew, evaluate}},
		{"degrees of a set that waits", dense(operand(waits)), [4]action{wait, evaluate, keep, evaluate}},
	} {
		for p, want := range c.want {
			d := deferral{phase: phase(p)}
			if got := d.next(c.step); got != want {
				t.Errorf("%s in phase %d: action %d, want %d", c.name, p, got, want)
			}
		}
	}
}

// program is a plan for one op behind rows of candidates, which wait where the machine defers.
type program struct {
	name   string
	bound  bool // degrees are at most what the exact method gives
	waits  bool // the answer waits, if rows do
	answer func(p *opPlan) *Set
}

// opPlan has the operands of a program.
type opPlan struct {
	*Machine
	rng      *rand.Rand
	x, known *Set // rows of constants
	top      *Candidates
}

// rowsOf asks for rows of candidates.
func (p *opPlan) rowsOf(top *Candidates, s graph.Sign) *AtomRows {
	return p.Rows(graph.RelationID(p.rng.IntN(4)), graph.Forward, s, 1, top)
}

// pushed is a push of the rows of candidates.
func (p *opPlan) pushed() *Set {
	rows := p.rowsOf(p.top, graph.Positive)
	p.Make(nil, nil)
	return p.Push(1, p.x, rows)
}

// branches conditions on a variable; rows lead on from its values.
func (p *opPlan) branches(from *Branches) (*Branches, *AtomRows) {
	top := p.Values(3, p.x)
	rows := p.rowsOf(top, graph.Positive)
	p.Make(nil, nil)
	return p.Branch(1, p.x, top, from, rows), rows
}

var programs = []program{
	{"push", true, true, func(p *opPlan) *Set { return p.pushed() }},
	{"push of two rows", true, true, func(p *opPlan) *Set {
		a := p.rowsOf(p.top, graph.Positive)
		b := p.rowsOf(p.top, graph.Positive)
		p.Make(nil, nil)
		return p.Push(1, p.x, a, b)
	}},
	{"push of negated rows", false, true, func(p *opPlan) *Set {
		a := p.rowsOf(p.top, graph.Positive)
		b := p.rowsOf(p.top, graph.Negated)
		p.Make(nil, nil)
		return p.Push(1, p.x, a, b)
	}},
	{"push of negated rows alone", false, true, func(p *opPlan) *Set {
		x := p.Any() // so that values without rows are as good as others
		rows := p.rowsOf(p.Values(3, x), graph.Negated)
		p.Make(nil, nil)
		return p.Times(p.known, p.Push(1, x, rows))
	}},
	{"others", true, false, func(p *opPlan) *Set {
		rows := p.rowsOf(p.top, graph.Positive)
		p.Make(nil, nil)
		return p.Push(1, p.x, rows, p.Others(p.top))
	}},
	{"narrow", true, true, func(p *opPlan) *Set {
		rows := p.rowsOf(p.top, graph.Positive)
		p.Make(nil, nil)
		return p.Narrow(1, p.known, p.x, rows)
	}},
	{"best of what waits", true, true, func(p *opPlan) *Set {
		y := p.pushed()
		rows := p.rowsOf(p.Best(y), graph.Positive)
		p.Make(nil, nil)
		return p.Push(2, y, rows)
	}},
	{"times", true, true, func(p *opPlan) *Set { return p.Times(p.pushed(), p.known) }},
	{"either", true, true, func(p *opPlan) *Set { return p.Either(p.pushed(), p.known, p.pushed()) }},
	{"peak", true, false, func(p *opPlan) *Set { return p.Times(p.known, p.Peak(1, p.pushed())) }},
	{"other", true, false, func(p *opPlan) *Set { return p.Times(p.known, p.Other(1, p.pushed())) }},
	{"leaf", false, false, func(p *opPlan) *Set {
		y := p.pushed()
		rows := p.rowsOf(p.Every(y), graph.Positive)
		p.Make(nil, nil)
		return p.Times(p.known, p.Leaf(2, p.Any(), rows), y)
	}},
	{"diagonal", true, false, func(p *opPlan) *Set {
		y := p.pushed()
		rows := p.rowsOf(p.Best(y), graph.Positive)
		p.Make(nil, nil)
		return p.Times(y, p.Diagonal(rows))
	}},
	{"branch, each and join", true, true, func(p *opPlan) *Set {
		b, rows := p.branches(p.Root())
		return p.Join(p.Each(b, rows), b)
	}},
	{"follow", true, true, func(p *opPlan) *Set {
		outer, rows := p.branches(p.Root())
		inner, more := p.branches(outer)
		return p.Join(p.Times(p.Follow(p.Each(outer, rows), inner), p.Each(inner, more)), inner)
	}},
}

// TestPhases runs every op behind rows that wait, in each phase, and compares the answers with those of a machine
// that defers nothing, and with the exact method.
func TestPhases(t *testing.T) {
	const n, k = 120, 5
	m, _ := modeltest.Coded(t, n, 40, 0.4)
	for _, x := range programs {
		deferred := 0
		for seed := range uint64(6) {
			run := func(candidates int, w Want, finish func(m *Machine)) []float32 {
				p, degrees := start(m, seed, model.Degrees{Candidates: candidates, Threshold: 0.0005}, w)
				s := x.answer(p)
				p.Answer(s)
				p.Dense(degrees, s)
				if p.defers && s.state == waits {
					deferred++
				}
				finish(p.Machine)
				return degrees
			}
			best := Want{Best: true}
			all := run(4, Want{}, func(m *Machine) { m.Finish(0) })
			exact := run(n, Want{}, func(m *Machine) { m.Finish(0) })
			for e, d := range all {
				if x.bound && d > exact[e]*(1+1e-5) {
					t.Errorf("%s, seed %d: entity %d has degree %v, but %v by the exact method", x.name, seed, e, d, exact[e])
				}
			}
			for e, d := range run(4, best, func(m *Machine) { m.Finish(0) }) {
				if d != all[e] {
					t.Errorf("%s, seed %d, all rows: entity %d has degree %v, want %v", x.name, seed, e, d, all[e])
				}
			}
			for e, d := range run(4, best, (*Machine).Least) {
				if d > all[e]*(1+1e-5) {
					t.Errorf("%s, seed %d, observed links: entity %d has degree %v, more than %v", x.name, seed, e, d, all[e])
				}
			}
			completed := run(4, best, func(m *Machine) { m.Finish(k) })
			for i, want := range top.Of(all, k) {
				got := top.Of(completed, k)[i]
				if fmt.Sprintf("%.4g", got.Score) != fmt.Sprintf("%.4g", want.Score) {
					t.Errorf("%s, seed %d, completed: answer %d is %v, want %v", x.name, seed, i, got, want)
				}
			}
			for e, d := range completed {
				if d > all[e]*(1+1e-5) {
					t.Errorf("%s, seed %d, completed: entity %d has degree %v, more than %v", x.name, seed, e, d, all[e])
				}
			}
		}
		if x.waits != (deferred > 0) {
			t.Errorf("%s: %d answers wait", x.name, deferred)
		}
	}
}

// start starts a program with random constants.
func start(m *model.Model, seed uint64, d model.Degrees, w Want) (*opPlan, []float32) {
	var state drive.State
	state.Begin(context.Background(), nil)
	machine := NewMachine(uncached(m), &state)
	machine.Start(m, d.OrDefault(), w)
	rng := rand.New(rand.NewPCG(seed, 46))
	p := &opPlan{Machine: machine, rng: rng}
	row := func() *Set {
		return p.Row(graph.EntityID(rng.IntN(m.NumEntities())), graph.RelationID(rng.IntN(4)), graph.Forward, graph.Positive, 0, nil)
	}
	p.x = row()
	p.known = row()
	p.Make(nil, nil)
	p.top = p.Best(p.x)
	return p, make([]float32, m.NumEntities())
}
