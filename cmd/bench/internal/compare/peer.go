package compare

import (
	"context"
	"errors"
	"fmt"
	"math"
	goruntime "runtime"
	"time"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
)

// Peer compares the speed of efoc with that of an implementation of NSMP in PyTorch.
//
//	go run cmd/bench/main.go peer
//	go run cmd/bench/main.go peer --graph nell995 --types 2p,3p --limit 10 --rounds 5
//	go run cmd/bench/main.go peer --graph nell995 --queries fit.jsonl --table float16
//	go run cmd/bench/main.go peer --threads 2 --engines compiled,interpreted,layers --format markdown
//
// The figures are medians over the rounds. The answers to the first query of each shape
// are compared. With a table of half width they may differ, unless the checkpoint is of
// that type, and the report says so; otherwise a difference is an error.
type Peer struct {
	Graph   string   `default:"fb15k-237" help:"Folder of the graph below data/."`
	Types   Shapes   `placeholder:"SHAPES" help:"Shapes, such as 2p,3p, or all; the ten of FIT if not given."`
	Engines []string `enum:"compiled,interpreted,layers" default:"compiled" help:"Engines of efoc: compiled, interpreted, layers."`
	Table   string   `enum:"float32,bfloat16,float16" default:"float32" help:"Type of efoc's entity table: float32, bfloat16 or float16; the peer computes in float32 whatever its checkpoint holds."`
	Format  string   `enum:"table,markdown,json" default:"table" help:"Output: table, markdown or json."`

	Flags
	Peer       string   `placeholder:"FILE" help:"The PyTorch program; peer/nsmp_torch.py of the shared folder if not given."`
	Queries    string   `placeholder:"FILE.jsonl" help:"Queries; queries-dev.jsonl of the graph if not given."`
	Checkpoint string   `placeholder:"FILE" help:"Embeddings; the checkpoint in the graph's folder if not given."`
	Lambda     *float64 `placeholder:"λ" help:"Weight of the fuzzy state; 0.3, or 0.1 on nell995, if not given."`
	Alpha      *float64 `placeholder:"α" help:"Mass of a negated message; 100, or 1000 on nell995, if not given."`
}

// source says what to compare on.
func (cmd *Peer) source() source {
	s := source{
		types: cmd.Types.Names(), checkpoint: cmd.Checkpoint, settings: paperSettings(cmd.Graph), table: model.TableType(cmd.Table),
	}
	if len(cmd.Types) == 0 {
		s.types = eval.GroupShapes("F")
	}
	if cmd.Queries != "" {
		s.files = []string{cmd.Queries}
	}
	if cmd.Lambda != nil {
		s.settings.Lambda = *cmd.Lambda
	}
	if cmd.Alpha != nil {
		s.settings.Alpha = *cmd.Alpha
	}
	return s
}

// Run makes the comparison and prints it.
func (cmd *Peer) Run(ctx context.Context, out *cli.Output) error {
	f := &field{Flags: &cmd.Flags, graph: cmd.Graph, out: out}
	defer f.close()
	s := cmd.source()
	program := f.nsmp(cmd.Peer, s.settings)
	if err := f.check(program.Path); err != nil {
		return err
	}
	var err error
	if program.Python, err = findPython(ctx, cmd.Python); err != nil {
		return err
	}
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(int(cmd.Threads)))
	if err := f.open(ctx, s); err != nil {
		return err
	}
	f.add(&contender{series: "peer", program: program})
	for _, engine := range cmd.Engines {
		if _, err := f.prepare(engine, 0, compiler.PrepareOptions{Engine: compiler.Engine(engine)}); err != nil {
			return err
		}
	}
	const limit = 24 * time.Hour // none stops
	if err := f.rounds(ctx, limit, false); err != nil {
		return err
	}
	err = f.checkAnswers(ctx)
	differ := err != nil && ctx.Err() == nil && s.table != model.Float32
	if err != nil && !differ {
		return err
	}
	return f.speeds(cmd.Table, differ).write(out.Stdout, cmd.Format)
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

// checkAnswers checks that all give the first query of each shape the same answers as the
// peer, the first contender: a program that computes something else is not faster.
func (f *field) checkAnswers(ctx context.Context) error {
	var errs []error
	for i, g := range f.groups {
		want := f.contenders[0].results[i].answered
		if want == nil {
			return fmt.Errorf("the peer gave no answers of shape %s", g.Name)
		}
		for _, c := range f.contenders[1:] {
			x := c.queries[i]
			errs = append(errs, x.Scores(ctx, x.bindings[0], nil, func(got query.Vector, _ []query.Vector) error {
				for _, top := range want.Top {
					e := int(top[0])
					if e < 0 || e >= len(got) || !near(float64(got[e]), top[1]) {
						return fmt.Errorf("shape %s: engine %s and the peer differ on entity %d", g.Name, c.series, e)
					}
				}
				return nil
			}))
		}
	}
	return errors.Join(errs...)
}
