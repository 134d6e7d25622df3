package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"time"

	"github.com/efoc/efoc/cmd/internal/peer"
	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/codegen/shapes"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
)

// bench is the comparison as far as it got.
type bench struct {
	options *options
	peer    *peer.Program
	model   *runtime.Model
	groups  []*queryset.Group
	// prepared holds, for each group, the engines of efoc.
	prepared [][]contender
	// peerTimes and times are milliseconds a query: [group][round], and
	// [group][engine][round].
	peerTimes [][]float64
	times     [][][]float64
	// peerAnswers are those of the first query of each shape.
	peerAnswers map[string]peer.Answered
	// differ says that the answers are not the same, for a table of half width.
	differ  bool
	scratch string
}

// contender is an engine with the queries of a group bound to it.
type contender struct {
	query    *runtime.Query
	bindings []runtime.Bindings
}

// newBench reads the queries, imports the graph into a temporary bundle and
// prepares the queries.
func (o *options) newBench(ctx context.Context, python string, stderr io.Writer) (b *bench, err error) {
	b = &bench{options: o, peerAnswers: map[string]peer.Answered{}}
	defer func() {
		if err != nil {
			b.close()
		}
	}()
	set, warnings, err := queryset.Open(ctx, o.Queries, queryset.Options{Shapes: o.Types, Limit: o.Limit})
	if err != nil {
		return b, err
	}
	for _, w := range warnings {
		fmt.Fprintf(stderr, "warning: %s\n", w)
	}
	if err := checkShapes(set); err != nil {
		return b, err
	}
	b.groups = set.Groups
	if b.scratch, err = os.MkdirTemp("", "peerbench-"); err != nil {
		return b, err
	}
	checkpoint, err := o.input().Checkpoint(o.Checkpoint)
	if err != nil {
		return b, err
	}
	program := o.input().NSMP(o.Peer, *o.Lambda, *o.Alpha)
	program.Python, program.Checkpoint, program.Threads, program.Scratch = python, checkpoint, o.Threads, b.scratch
	b.peer = &program
	fmt.Fprintf(stderr, "importing %s\n", o.Graph)
	settings := runtime.DefaultSettings()
	settings.Lambda, settings.Alpha = *o.Lambda, *o.Alpha
	if b.model, err = o.input().Import(ctx, checkpoint, settings, runtime.TableType(o.Table), b.scratch); err != nil {
		return b, err
	}
	return b, b.prepare()
}

// checkShapes reports queries of shapes that the peer does not know.
func checkShapes(set *queryset.Set) error {
	for _, g := range set.Groups {
		if _, err := lang.ShapeQuery(g.Name); err != nil {
			return fmt.Errorf("the peer knows the benchmark's shapes alone: %w", err)
		}
	}
	return nil
}

// prepare binds the queries of every group to every engine.
func (b *bench) prepare() error {
	for _, g := range b.groups {
		var contenders []contender
		for _, engine := range b.options.Engines {
			p, err := compiler.Prepare(b.model, g.Template, compiler.PrepareOptions{Engine: compiler.Engine(engine), Plans: shapes.ShapesPlans})
			if err != nil {
				return err
			}
			c := contender{query: p.Query}
			for _, query := range g.Queries {
				bindings, err := p.BindingsByID(query.Args)
				if err != nil {
					return fmt.Errorf("shape %s: %w", g.Name, err)
				}
				c.bindings = append(c.bindings, bindings)
			}
			contenders = append(contenders, c)
		}
		b.prepared = append(b.prepared, contenders)
		b.peerTimes = append(b.peerTimes, nil)
		b.times = append(b.times, make([][]float64, len(contenders)))
	}
	return nil
}

// close lets the model and the temporary files go.
func (b *bench) close() {
	if b.model != nil {
		b.model.Close()
	}
	if b.scratch != "" {
		os.RemoveAll(b.scratch)
	}
}

// round lets both answer all queries; which of them begins changes from round to
// round. The first round compares the answers too.
func (b *bench) round(ctx context.Context, round int) error {
	turns := []func(context.Context) error{b.peerTurn, b.turn}
	if round%2 == 1 {
		slices.Reverse(turns)
	}
	for _, turn := range turns {
		if err := turn(ctx); err != nil {
			return err
		}
	}
	if round > 0 {
		return nil
	}
	err := b.compare(ctx)
	if err != nil && ctx.Err() == nil && b.model.Predictor.EntityTable.Type() != runtime.Float32 {
		b.differ, err = true, nil
	}
	return err
}

// peerTurn times the peer.
func (b *bench) peerTurn(ctx context.Context) error {
	measured, answers, err := b.peer.Run(ctx, b.groups)
	if err != nil {
		return err
	}
	for i, g := range b.groups {
		b.peerTimes[i] = append(b.peerTimes[i], measured[g.Name].Milliseconds)
	}
	for _, a := range answers {
		b.peerAnswers[a.Type] = a
	}
	return nil
}

// turn times the engines of efoc, after an answer each that is not timed.
func (b *bench) turn(ctx context.Context) error {
	ignore := func(runtime.Vector, []runtime.Vector) error { return nil }
	for i := range b.groups {
		for j, c := range b.prepared[i] {
			if err := c.query.Scores(ctx, c.bindings[0], nil, ignore); err != nil {
				return err
			}
			start := time.Now()
			for _, x := range c.bindings {
				if err := c.query.Scores(ctx, x, nil, ignore); err != nil {
					return err
				}
			}
			perQuery := time.Since(start).Seconds() * 1000 / float64(len(c.bindings))
			b.times[i][j] = append(b.times[i][j], perQuery)
		}
	}
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

// compare checks that both give the first query of each shape the same answers:
// a faster program that computes something else is none.
func (b *bench) compare(ctx context.Context) error {
	var errs []error
	for i, g := range b.groups {
		want, ok := b.peerAnswers[g.Name]
		if !ok {
			return fmt.Errorf("the peer gave no answers of shape %s", g.Name)
		}
		for j, c := range b.prepared[i] {
			err := c.query.Scores(ctx, c.bindings[0], nil, func(x runtime.Vector, _ []runtime.Vector) error {
				for _, top := range want.Top {
					e := int(top[0])
					if e < 0 || e >= len(x) || !near(float64(x[e]), top[1]) {
						return fmt.Errorf("shape %s: engine %s and the peer differ on entity %d", g.Name, b.options.Engines[j], e)
					}
				}
				return nil
			})
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
