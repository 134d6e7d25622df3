package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	goruntime "runtime"
	"slices"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/table"
)

// Peer compares the speed of efoc with the speed of an implementation of NSMP in PyTorch 2, which runs in
// four modes: eager, compiled by torch.compile, with a bfloat16 table, and both. Its time for a shape is
// the least median of the modes.
//
//	go run . peer --python DIR/bin/python
//	go run . peer --shape all --limit 6
//	go run . peer --graph nell995 --queries sampled.jsonl --shape all --limit 4
//	go run . peer --threads 1 --shape 2p,3p --leave-out compile,compile+bf16 --table float32
//
// efoc has four columns: the layers as the paper states them, and of the compiled plans the
// scores of all entities; the 10 best answers, which need less, whereas PyTorch has both from one
// computation; and the 10 best by the default semantics, which computes truth degrees as well and
// has no counterpart in PyTorch.
//
// The figures are medians over the rounds; each number of threads has its own report, in which both sides
// run with that number. The answers to the first query of each shape are compared with the answers of the
// eager mode. With a table of less than float32 they may differ, unless the checkpoint is of that type,
// and the report says so; otherwise a difference is an error.
type Peer struct {
	Graph    string     `default:"fb15k-237" help:"Folder of the graph below data/."`
	Types    []string   `name:"shape" placeholder:"SHAPES" help:"Shapes, such as 2p,3p, or all; by default the ten of FIT."`
	Table    table.Type `placeholder:"TYPE" help:"Type of efoc's entity table; by default that of efoc import."`
	Threads  cli.Counts `default:"1,2" help:"Numbers of threads, a report each."`
	LeaveOut []string   `enum:"compile,bf16,compile+bf16" placeholder:"MODES" help:"Modes of PyTorch not to measure: compile, bf16, compile+bf16."`

	Limit  cli.Count `default:"20" help:"Number of queries of each shape."`
	Rounds cli.Count `default:"3" help:"Number of rounds."`

	Shared     string `env:"EFOC_SHARED" default:"../../../shared" placeholder:"DIR" help:"Folder of real inputs."`
	Python     string `default:"python3" placeholder:"FILE" help:"Python interpreter that has PyTorch 2, such as that of a virtual environment."`
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

// bestAnswers is how many answers two of efoc's columns are about.
const bestAnswers = 10

// The names of efoc's columns.
const (
	nameCompiled = "compiled"
	nameBest     = "10 best"
	nameDefault  = "10 best, default semantics"
	nameLayers   = "layers"
)

// columns are efoc's: best is the number of answers that are asked for, with their statuses, 0 for
// the scores of all entities.
var columns = []struct {
	name      string
	engine    compiler.Engine
	semantics model.Semantics
	best      int
}{
	{nameCompiled, compiler.EngineCompiled, model.NSMP, 0},
	{nameBest, compiler.EngineCompiled, model.NSMP, bestAnswers},
	{nameDefault, compiler.EngineCompiled, model.Mixed, bestAnswers},
	{nameLayers, compiler.EngineLayers, model.NSMP, 0},
}

// Validate reports mistakes in the command line.
func (cmd *Peer) Validate() error {
	cmd.Table = cmp.Or(cmd.Table, table.Default)
	if err := cmd.Table.Check(); err != nil {
		return fmt.Errorf("--table: %w", err)
	}
	switch {
	case len(cmd.Types) == 0:
		cmd.Types = eval.GroupShapes("F")
	case slices.Equal(cmd.Types, []string{"all"}):
		cmd.Types = nil
	}
	for _, name := range cmd.Types {
		if _, err := benchmark.Query(name); err != nil {
			return err
		}
	}
	return nil
}

// dir returns the folder of the graph among the real inputs.
func (cmd *Peer) dir() string { return filepath.Join(cmd.Shared, "data", cmd.Graph) }

// program returns the PyTorch program.
func (cmd *Peer) program() string { return filepath.Join(cmd.Shared, "peer", "nsmp_torch.py") }

// Run makes the comparison and prints it.
func (cmd *Peer) Run(ctx context.Context, out *cli.Output) error {
	version, err := checkPython(ctx, cmd.Python)
	if err != nil {
		return err
	}
	for _, threads := range cmd.Threads {
		r, err := cmd.measure(ctx, out, threads)
		if err != nil {
			return err
		}
		r.pytorch = version
		if err := r.write(out.Stdout); err != nil {
			return err
		}
	}
	return nil
}

// measure makes the comparison with a number of threads.
func (cmd *Peer) measure(ctx context.Context, out *cli.Output, threads int) (*speeds, error) {
	f := &field{cmd: cmd, threads: threads, out: out}
	defer f.close()
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(threads))
	f.say("threads: %d", threads)
	if err := f.open(ctx); err != nil {
		return nil, err
	}
	for _, m := range modes {
		if !slices.Contains(cmd.LeaveOut, m.name) {
			f.add(&contender{name: m.name, args: m.args})
		}
	}
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
		r, err := x.Ask(ctx, x.args[0], runtime.Options{K: x.best, Settings: &x.settings})
		if err != nil {
			return err
		}
		for _, a := range r.Rows {
			got[int(a.Values[0].ID)] = float64(a.Score)
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
