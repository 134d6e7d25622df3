package compare

import (
	"context"
	"errors"
	"fmt"
	"math"
	goruntime "runtime"
	"slices"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/table"
)

// modes are the ways in which the PyTorch program computes. The first is the one whose
// answers are compared.
var modes = []struct {
	name string
	args []string
}{
	{name: "eager"},
	{"compile", []string{"--compile"}},
	{"bf16", []string{"--bf16"}},
	{"compile+bf16", []string{"--compile", "--bf16"}},
}

// bestAnswers is how many answers two of efoc's columns are about.
const bestAnswers = 10

// nameDefault names the column that PyTorch has no counterpart of.
const nameDefault = "10 best, default semantics"

// columns are efoc's: best is the number of answers that are asked for, 0 for the scores of all entities.
var columns = []struct {
	name      string
	engine    compiler.Engine
	semantics model.Semantics
	best      int
}{
	{"compiled", compiler.EngineCompiled, model.NSMP, 0},
	{"10 best", compiler.EngineCompiled, model.NSMP, bestAnswers},
	{nameDefault, compiler.EngineCompiled, model.Mixed, bestAnswers},
	{"layers", compiler.EngineLayers, model.NSMP, 0},
}

// Run makes the comparison and prints it.
func (cmd *Peer) Run(ctx context.Context, out *cli.Output) error {
	version, err := checkPython(ctx, cmd.Python)
	if err != nil {
		return err
	}
	r, err := cmd.measure(ctx, out)
	if err != nil {
		return err
	}
	r.pytorch = version
	return r.write(out.Stdout)
}

// measure makes the comparison.
func (cmd *Peer) measure(ctx context.Context, out *cli.Output) (*speeds, error) {
	f := &field{cmd: cmd, out: out}
	defer f.close()
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(int(cmd.Threads)))
	if err := f.open(ctx); err != nil {
		return nil, err
	}
	for _, m := range modes {
		if !slices.Contains(cmd.LeaveOut, m.name) {
			f.add(&contender{name: m.name, args: m.args})
		}
	}
	f.model.DegreeCache().SetBudget(0) // PyTorch computes each query anew
	for _, c := range columns {
		if err := f.prepare(c.name, c.best, compiler.Options{Engine: c.engine, Semantics: &c.semantics}); err != nil {
			return nil, err
		}
	}
	if f.model.Access().Bounds {
		f.model.Readouts().Prepare() // as a model that has answered some queries
	}
	if err := f.rounds(ctx); err != nil {
		return nil, err
	}
	err := f.checkAnswers(ctx)
	differ := err != nil && ctx.Err() == nil && cmd.Table != table.Float32
	if err != nil && !differ {
		return nil, err
	}
	return f.speeds(differ), nil
}

// The tolerance of the semantics: two float32 implementations agree within
// relative 1e-4 on every entity whose probability is at least 1e-8, within
// absolute 1e-9 below that.
const (
	relative = 1e-4
	small    = 1e-8
	absolute = 1e-9
)

func near(got, want float64) bool {
	if want >= small {
		return math.Abs(got-want) <= relative*want
	}
	return math.Abs(got-want) <= absolute
}

// checkAnswers checks that all engines give the first query of each shape the same answers
// as PyTorch in float32, the first contender: a program that computes something else is
// not faster.
func (f *field) checkAnswers(ctx context.Context) error {
	var errs []error
	for i, g := range f.groups {
		want := f.contenders[0].results[i].answered
		if want == nil {
			return fmt.Errorf("the peer gave no answers of shape %s", g.Name)
		}
		for _, c := range f.contenders {
			if c.queries == nil || c.name == nameDefault {
				continue
			}
			if err := c.queries[i].check(ctx, want); err != nil {
				errs = append(errs, fmt.Errorf("shape %s: engine %s and the peer differ %w", g.Name, c.name, err))
			}
		}
	}
	return errors.Join(errs...)
}

// check compares the answers to the first query with the peer's.
func (x *prepared) check(ctx context.Context, want *Answered) error {
	got := map[int]float64{}
	if x.best > 0 {
		found, err := x.Best(ctx, x.args[0], x.best, nil)
		if err != nil {
			return err
		}
		for _, a := range found {
			got[int(a.Entity)] = float64(a.Score)
		}
	} else if err := x.Each(ctx, x.args[:1], nil, func(_ int, r *runtime.Run) error {
		scores := r.Scores()
		for e, s := range scores {
			got[e] = float64(s)
		}
		return nil
	}); err != nil {
		return err
	}
	for _, top := range want.Top {
		score, ok := got[int(top[0])]
		if ok && !near(score, top[1]) || !ok && x.best == 0 {
			return fmt.Errorf("on entity %d", int(top[0]))
		}
	}
	return nil
}
