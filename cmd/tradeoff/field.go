package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/efoc/efoc/cmd/internal/fullfit"
	"github.com/efoc/efoc/cmd/internal/peer"
	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/fit"
)

// field is a graph with its queries and all that answer them.
type field struct {
	graph      string
	model      *runtime.Model
	groups     []*queryset.Group
	contenders []*contender
	matrices   *fullfit.Matrices // nil without exact FIT
	stderr     io.Writer
}

// say tells of progress.
func (f *field) say(format string, args ...any) {
	fmt.Fprintf(f.stderr, "%s: %s\n", f.graph, fmt.Sprintf(format, args...))
}

// measure measures one graph.
func (o *options) measure(ctx context.Context, graph string, stderr io.Writer) (*graphReport, error) {
	scratch, err := os.MkdirTemp("", "tradeoff-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	in := peer.Input{Shared: o.Shared, Graph: graph}
	if err := in.Check(); err != nil {
		return nil, err
	}
	f := &field{graph: graph, stderr: stderr}
	if err := f.read(ctx, o, in); err != nil {
		return nil, err
	}
	checkpoint, err := in.Checkpoint("")
	if err != nil {
		return nil, err
	}
	f.say("import")
	if f.model, err = in.Import(ctx, checkpoint, in.Settings(), runtime.Float32, scratch); err != nil {
		return nil, err
	}
	defer f.model.Close()
	if err := f.enter(ctx, o); err != nil {
		return nil, err
	}
	if o.has("pytorch") {
		f.enterPrograms(ctx, o, in, checkpoint, scratch)
	}
	for round := range o.Rounds {
		order := slices.Clone(f.contenders)
		if round%2 == 1 {
			slices.Reverse(order)
		}
		for _, c := range order {
			f.say("round %d of %d: %s", round+1, o.Rounds, c.name())
			if err := c.turn(ctx, f.groups, o.Cap, round == 0); err != nil {
				return nil, fmt.Errorf("%s: %w", c.name(), err)
			}
		}
	}
	return f.report(o), nil
}

// read reads the queries of the graph.
func (f *field) read(ctx context.Context, o *options, in peer.Input) error {
	var files []string
	for _, q := range o.Queries {
		if graph, file, _ := strings.Cut(q, "="); graph == f.graph {
			files = append(files, file)
		}
	}
	if files == nil {
		files = []string{filepath.Join(in.Dir(), "queries-dev.jsonl")}
	}
	for _, file := range files {
		set, warnings, err := queryset.Open(ctx, file, queryset.Options{Limit: o.Limit})
		if err != nil {
			return err
		}
		for _, w := range warnings {
			f.say("warning: %s", w)
		}
		for _, g := range set.Groups {
			if _, err := lang.ShapeQuery(g.Name); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			switch {
			case len(o.Types) > 0 && !slices.Contains(o.Types, g.Name):
			case slices.ContainsFunc(f.groups, func(x *queryset.Group) bool { return x.Name == g.Name }):
				return fmt.Errorf("%s: another file has queries of shape %s too", file, g.Name)
			default:
				f.groups = append(f.groups, g)
			}
		}
	}
	if len(f.groups) == 0 {
		return fmt.Errorf("%s has no queries of shapes %s", strings.Join(files, ", "), strings.Join(o.Types, ", "))
	}
	return nil
}

// The series of efoc's contenders but for NSMP, whose engines have one each.
const (
	seriesFIT   = "FIT, bounded"
	seriesMixed = "mixed"
	seriesExact = "exact FIT"
)

// enter makes the contenders of efoc ready.
func (f *field) enter(ctx context.Context, o *options) error {
	add := func(c *contender, err error) error {
		f.contenders = append(f.contenders, c)
		return err
	}
	if o.has("nsmp") {
		for _, e := range o.Engines {
			if err := add(f.prepare("NSMP, "+e, 0, compiler.PrepareOptions{Engine: compiler.Engine(e)})); err != nil {
				return err
			}
		}
	}
	for _, s := range []struct {
		part, series string
		semantics    fit.Semantics
	}{{"fit", seriesFIT, fit.FIT}, {"mixed", seriesMixed, fit.Mixed}} {
		for _, k := range o.Candidates {
			if !o.has(s.part) {
				continue
			}
			if err := add(f.prepare(s.series, k, compiler.PrepareOptions{Semantics: s.semantics})); err != nil {
				return err
			}
		}
	}
	if o.has("exact") {
		return add(f.exact(ctx, o))
	}
	return nil
}

// enterPrograms enters the implementations in PyTorch, as far as they are there.
func (f *field) enterPrograms(ctx context.Context, o *options, in peer.Input, checkpoint, scratch string) {
	python, err := peer.FindPython(ctx, o.Python)
	if err != nil {
		f.say("without PyTorch: %v", err)
		return
	}
	s := in.Settings()
	programs := []struct {
		series     string
		candidates int
		peer.Program
	}{{"NSMP, PyTorch", 0, in.NSMP("", s.Lambda, s.Alpha)}, {"FIT, PyTorch", o.PyTorch, in.FIT(o.PyTorch, s.Degrees)}}
	for _, p := range programs {
		if p.Once && filepath.Ext(checkpoint) != ".pt" {
			f.say("without %s, which does not read %s", p.series, filepath.Base(checkpoint))
			continue
		}
		if err := in.Check(p.Path); err != nil {
			f.say("without %s: %v", p.series, err)
			continue
		}
		p.Python, p.Checkpoint, p.Threads, p.Scratch = python, checkpoint, o.Threads, scratch
		f.contenders = append(f.contenders, &contender{
			series: p.series, candidates: p.candidates, program: &p.Program, results: make([]result, len(f.groups)),
		})
	}
}
