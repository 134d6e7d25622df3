package tradeoff

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/cmd/bench/internal/compare"
	"github.com/efoc/efoc/cmd/bench/internal/fullfit"
	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
)

// field is a graph with its queries and all that answer them.
type field struct {
	graph      string
	model      *query.Model
	groups     []*queryset.Group
	contenders []*contender
	matrices   *fullfit.Matrices // nil without exact FIT
	out        *cli.Output
}

// say reports progress.
func (f *field) say(format string, args ...any) {
	f.out.Progress("%s: %s", f.graph, fmt.Sprintf(format, args...))
}

// measure measures one graph.
func (cmd *Command) measure(ctx context.Context, graph string, out *cli.Output) (*graphReport, error) {
	scratch, err := os.MkdirTemp("", "bench-tradeoff-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	in := compare.Input{Shared: cmd.Shared, Graph: graph}
	if err := in.Check(); err != nil {
		return nil, err
	}
	f := &field{graph: graph, out: out}
	if err := f.read(ctx, cmd, in); err != nil {
		return nil, err
	}
	checkpoint, err := in.Checkpoint("")
	if err != nil {
		return nil, err
	}
	f.say("import")
	if f.model, err = in.Import(ctx, checkpoint, in.Settings(), model.Float32, scratch); err != nil {
		return nil, err
	}
	defer f.model.Close()
	if err := f.enter(ctx, cmd); err != nil {
		return nil, err
	}
	if cmd.has("pytorch") {
		f.enterPrograms(ctx, cmd, in, checkpoint, scratch)
	}
	for round := range int(cmd.Rounds) {
		order := slices.Clone(f.contenders)
		if round%2 == 1 {
			slices.Reverse(order)
		}
		for _, c := range order {
			f.say("round %d of %d: %s", round+1, cmd.Rounds, c.name())
			if err := c.turn(ctx, f.groups, cmd.Cap, round == 0); err != nil {
				return nil, fmt.Errorf("%s: %w", c.name(), err)
			}
		}
	}
	return f.report(cmd), nil
}

// read reads the queries of the graph.
func (f *field) read(ctx context.Context, cmd *Command, in compare.Input) error {
	var files []string
	for _, q := range cmd.Queries {
		if graph, file, _ := strings.Cut(q, "="); graph == f.graph {
			files = append(files, file)
		}
	}
	if files == nil {
		files = []string{filepath.Join(in.Dir(), "queries-dev.jsonl")}
	}
	types := cmd.Types.Names()
	for _, file := range files {
		groups, err := compare.ReadQueries(ctx, f.out, file, queryset.Options{Limit: int(cmd.Limit)})
		if err != nil {
			return err
		}
		for _, g := range groups {
			switch {
			case len(types) > 0 && !slices.Contains(types, g.Name):
			case slices.ContainsFunc(f.groups, func(x *queryset.Group) bool { return x.Name == g.Name }):
				return fmt.Errorf("%s: another file has queries of shape %s too", file, g.Name)
			default:
				f.groups = append(f.groups, g)
			}
		}
	}
	if len(f.groups) == 0 {
		return fmt.Errorf("%s has no queries of shapes %s", strings.Join(files, ", "), strings.Join(types, ", "))
	}
	return nil
}

// The series of efoc's contenders; those of NSMP are named after their engines.
const (
	seriesFIT   = "FIT, bounded"
	seriesMixed = "mixed"
	seriesExact = "exact FIT"
)

// enter makes the contenders of efoc ready.
func (f *field) enter(ctx context.Context, cmd *Command) error {
	add := func(c *contender, err error) error {
		f.contenders = append(f.contenders, c)
		return err
	}
	if cmd.has("nsmp") {
		for _, e := range cmd.Engines {
			if err := add(f.prepare("NSMP, "+e, 0, compiler.PrepareOptions{Engine: compiler.Engine(e)})); err != nil {
				return err
			}
		}
	}
	for _, s := range []struct {
		part, series string
		semantics    model.Semantics
	}{{"fit", seriesFIT, model.FIT}, {"mixed", seriesMixed, model.Mixed}} {
		for _, k := range cmd.Candidates {
			if !cmd.has(s.part) {
				continue
			}
			if err := add(f.prepare(s.series, k, compiler.PrepareOptions{Semantics: s.semantics})); err != nil {
				return err
			}
		}
	}
	if cmd.has("exact") {
		return add(f.exact(ctx, cmd))
	}
	return nil
}

// enterPrograms enters the implementations in PyTorch, as far as they are there.
func (f *field) enterPrograms(ctx context.Context, cmd *Command, in compare.Input, checkpoint, scratch string) {
	python, err := compare.FindPython(ctx, cmd.Python)
	if err != nil {
		f.say("without PyTorch: %v", err)
		return
	}
	s := in.Settings()
	programs := []struct {
		series     string
		candidates int
		compare.Program
	}{{"NSMP, PyTorch", 0, in.NSMP("", s.Lambda, s.Alpha)}, {"FIT, PyTorch", int(cmd.PyTorch), in.FIT(int(cmd.PyTorch), s.Degrees)}}
	for _, p := range programs {
		if p.Once && filepath.Ext(checkpoint) != ".pt" {
			f.say("without %s, which does not read %s", p.series, filepath.Base(checkpoint))
			continue
		}
		if err := in.Check(p.Path); err != nil {
			f.say("without %s: %v", p.series, err)
			continue
		}
		p.Python, p.Checkpoint, p.Threads, p.Scratch = python, checkpoint, int(cmd.Threads), scratch
		f.contenders = append(f.contenders, &contender{
			series: p.series, candidates: p.candidates, program: &p.Program, results: make([]result, len(f.groups)),
		})
	}
}
