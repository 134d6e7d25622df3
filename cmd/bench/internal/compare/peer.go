package compare

import (
	"context"
	"errors"
	"fmt"
	"math"
	goruntime "runtime"
	"slices"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
)

// Peer compares the speed of efoc with that of an implementation of NSMP in PyTorch 2,
// which runs in four modes: eager, compiled by torch.compile, with a bfloat16 table, and
// both. Its time for a shape is that of the mode with the least median.
//
//	go run cmd/bench/main.go peer --python DIR/bin/python
//	go run cmd/bench/main.go peer --shape all --limit 6
//	go run cmd/bench/main.go peer --graph nell995 --queries sampled.jsonl --shape all --limit 4
//	go run cmd/bench/main.go peer --threads 1 --shape 2p,3p --leave-out compile,compile+bf16 --table float32
//
// The compiled plans have three columns: the scores of all entities; the 10 best answers, which
// need less, whereas PyTorch has both from one computation; and the 10 best by the default
// semantics, which computes truth degrees as well and has no counterpart in PyTorch.
//
// The figures are medians over the rounds; each number of threads has its own report, in
// which both sides run with that number. The answers to the first query of each shape are
// compared with those of the eager mode. With a table of less than float32 they may differ,
// unless the checkpoint is of that type, and the report says so; otherwise a difference is
// an error.
type Peer struct {
	Graph    string     `default:"fb15k-237" help:"Folder of the graph below data/."`
	Types    Shapes     `name:"shape" placeholder:"SHAPES" help:"Shapes, such as 2p,3p, or all; by default the ten of FIT."`
	Engines  []string   `enum:"compiled,interpreted,layers" default:"compiled,layers" help:"Engines of efoc: compiled, interpreted, layers."`
	Table    string     `placeholder:"TYPE" help:"Type of efoc's entity table; by default that of efoc import."`
	Threads  cli.Counts `default:"1,2" help:"Numbers of threads, a report each."`
	LeaveOut []string   `enum:"compile,bf16,compile+bf16" placeholder:"MODES" help:"Modes of PyTorch not to measure: compile, bf16, compile+bf16."`
	Format   string     `enum:"table,markdown,json" default:"table" help:"Output: table, markdown or json."`

	Limit  cli.Count `default:"20" help:"Number of queries of each shape."`
	Rounds cli.Count `default:"3" help:"Number of rounds."`

	Shared     string `env:"EFOC_SHARED" default:"../shared" placeholder:"DIR" help:"Folder of real inputs."`
	Python     string `placeholder:"FILE" help:"Python interpreter, such as that of a virtual environment; by default the first python3 that has PyTorch 2."`
	Peer       string `placeholder:"FILE" help:"The PyTorch program; by default peer/nsmp_torch.py of the shared folder."`
	Queries    string `placeholder:"FILE.jsonl" help:"Queries; by default queries-dev.jsonl of the graph."`
	Checkpoint string `placeholder:"FILE" help:"Embeddings; by default the checkpoint in the graph's folder."`
}

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

// Validate reports mistakes in the command line.
func (cmd *Peer) Validate() error {
	if err := cmd.table().Check(); err != nil {
		return fmt.Errorf("--table: %w", err)
	}
	return nil
}

// table returns the type of efoc's entity table.
func (cmd *Peer) table() model.TableType {
	if cmd.Table == "" {
		return model.DefaultTable
	}
	return model.TableType(cmd.Table)
}

// types returns the shapes to compare on, nil for all.
func (cmd *Peer) types() []string {
	if len(cmd.Types) == 0 {
		return eval.GroupShapes("F")
	}
	return cmd.Types.Names()
}

// Run makes the comparison and prints it.
func (cmd *Peer) Run(ctx context.Context, out *cli.Output) error {
	python, version, err := findPython(ctx, cmd.Python)
	if err != nil {
		return err
	}
	for _, threads := range cmd.Threads {
		r, err := cmd.measure(ctx, out, python, threads)
		if err != nil {
			return err
		}
		r.PyTorch = version
		if err := r.write(out.Stdout, cmd.Format); err != nil {
			return err
		}
	}
	return nil
}

// measure makes the comparison with a number of threads.
func (cmd *Peer) measure(ctx context.Context, out *cli.Output, python string, threads int) (*speeds, error) {
	f := &field{cmd: cmd, threads: threads, settings: paperSettings(cmd.Graph), out: out}
	defer f.close()
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(threads))
	f.say("threads: %d", threads)
	if err := cmd.check(f.nsmp().Path); err != nil {
		return nil, err
	}
	if err := f.open(ctx); err != nil {
		return nil, err
	}
	for _, m := range modes {
		if !slices.Contains(cmd.LeaveOut, m.name) {
			p := f.nsmp(m.args...)
			p.Python = python
			f.add(&contender{name: m.name, program: p})
		}
	}
	for _, engine := range cmd.Engines {
		o := compiler.PrepareOptions{Engine: compiler.Engine(engine), Semantics: new(model.NSMP)}
		if _, err := f.prepare(engine, o); err != nil {
			return nil, err
		}
		if o.Engine == compiler.EngineCompiled {
			if err := f.prepareBest(nameBest, o); err != nil {
				return nil, err
			}
			o.Semantics = new(model.Mixed)
			if err := f.prepareBest(nameDefault, o); err != nil {
				return nil, err
			}
		}
	}
	if err := f.rounds(ctx); err != nil {
		return nil, err
	}
	err := f.checkAnswers(ctx)
	differ := err != nil && ctx.Err() == nil && cmd.table() != model.Float32
	if err != nil && !differ {
		return nil, err
	}
	return f.speeds(differ), nil
}

// bestAnswers is how many answers the other columns of the compiled plans are about, and
// nameBest and nameDefault are their names.
const (
	bestAnswers = 10
	nameBest    = "10 best"
	nameDefault = "10 best, default semantics"
)

// prepareBest adds the compiled plans again, asked for the best answers with their statuses,
// not for the scores of all entities. PyTorch has both from one computation.
func (f *field) prepareBest(name string, o compiler.PrepareOptions) error {
	c, err := f.prepare(name, o)
	if err != nil {
		return err
	}
	for _, x := range c.queries {
		x.best = bestAnswers
	}
	f.model.Readouts().Prepare() // as a model that has answered some queries
	return nil
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
			if c.program != nil || c.name == nameDefault {
				continue
			}
			if err := c.queries[i].check(ctx, want); err != nil {
				errs = append(errs, fmt.Errorf("shape %s: engine %s and the peer differ %w", g.Name, c.name, err))
			}
		}
	}
	return errors.Join(errs...)
}

// check compares the answers to the first query with those of the peer.
func (x *prepared) check(ctx context.Context, want *Answered) error {
	if x.best > 0 {
		scores := map[int]float64{}
		for _, top := range want.Top {
			scores[int(top[0])] = top[1]
		}
		r, err := x.Answer(ctx, x.bindings[0], runtime.Options{K: x.best, Settings: &x.settings})
		if err != nil {
			return err
		}
		for _, a := range r.Answers {
			if score, ok := scores[int(a.Entity)]; ok && !near(float64(a.Score), score) {
				return fmt.Errorf("on entity %d", a.Entity)
			}
		}
		return nil
	}
	return x.Scores(ctx, x.bindings[0], nil, func(got plan.Vector, _ []plan.Vector) error {
		for _, top := range want.Top {
			e := int(top[0])
			if e < 0 || e >= len(got) || !near(float64(got[e]), top[1]) {
				return fmt.Errorf("on entity %d", e)
			}
		}
		return nil
	})
}
