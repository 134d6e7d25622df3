package peer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/cmd/bench/internal/compare"
	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
)

// bench is the comparison as far as it got.
type bench struct {
	command *Command
	peer    *compare.Program
	model   *query.Model
	groups  []*queryset.Group
	// prepared holds, for each group, the engines of efoc.
	prepared [][]*compare.Prepared
	// peerTimes and times are milliseconds a query: [group][round], and
	// [group][engine][round].
	peerTimes [][]float64
	times     [][][]float64
	// peerAnswers are those of the first query of each shape.
	peerAnswers map[string]compare.Answered
	// differ says that the answers are not the same, for a table of half width.
	differ  bool
	scratch string
}

// newBench reads the queries, imports the graph into a temporary bundle and
// prepares the queries.
func (c *Command) newBench(ctx context.Context, python string, out *cli.Output) (b *bench, err error) {
	b = &bench{command: c, peerAnswers: map[string]compare.Answered{}}
	defer func() {
		if err != nil {
			b.close()
		}
	}()
	b.groups, err = compare.ReadQueries(ctx, out, c.Queries, queryset.Options{Shapes: c.Types.Names(), Limit: int(c.Limit)})
	if err != nil {
		return b, err
	}
	if b.scratch, err = os.MkdirTemp("", "bench-peer-"); err != nil {
		return b, err
	}
	checkpoint, err := c.input().Checkpoint(c.Checkpoint)
	if err != nil {
		return b, err
	}
	program := c.input().NSMP(c.Peer, *c.Lambda, *c.Alpha)
	program.Python, program.Checkpoint, program.Threads, program.Scratch = python, checkpoint, int(c.Threads), b.scratch
	b.peer = &program
	out.Progress("importing %s", c.Graph)
	settings := model.DefaultSettings()
	settings.Lambda, settings.Alpha = *c.Lambda, *c.Alpha
	if b.model, err = c.input().Import(ctx, checkpoint, settings, model.TableType(c.Table), b.scratch); err != nil {
		return b, err
	}
	return b, b.prepare()
}

// prepare binds the queries of every group to every engine.
func (b *bench) prepare() error {
	for _, g := range b.groups {
		engines := make([]*compare.Prepared, len(b.command.Engines))
		for j, engine := range b.command.Engines {
			var err error
			if engines[j], err = compare.Prepare(b.model, g, compiler.PrepareOptions{Engine: compiler.Engine(engine)}); err != nil {
				return err
			}
		}
		b.prepared = append(b.prepared, engines)
		b.times = append(b.times, make([][]float64, len(engines)))
	}
	b.peerTimes = make([][]float64, len(b.groups))
	return nil
}

// close closes the model and removes the temporary files.
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
	if err != nil && ctx.Err() == nil && b.model.Predictor.EntityTable.Type() != model.Float32 {
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
	ignore := func(query.Vector, []query.Vector) error { return nil }
	for i := range b.groups {
		for j, x := range b.prepared[i] {
			if err := x.Scores(ctx, x.Bindings[0], nil, ignore); err != nil {
				return err
			}
			start := time.Now()
			for _, q := range x.Bindings {
				if err := x.Scores(ctx, q, nil, ignore); err != nil {
					return err
				}
			}
			perQuery := time.Since(start).Seconds() * 1000 / float64(len(x.Bindings))
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
// a program that computes something else is not faster.
func (b *bench) compare(ctx context.Context) error {
	var errs []error
	for i, g := range b.groups {
		want, ok := b.peerAnswers[g.Name]
		if !ok {
			return fmt.Errorf("the peer gave no answers of shape %s", g.Name)
		}
		for j, x := range b.prepared[i] {
			err := x.Scores(ctx, x.Bindings[0], nil, func(got query.Vector, _ []query.Vector) error {
				for _, top := range want.Top {
					e := int(top[0])
					if e < 0 || e >= len(got) || !near(float64(got[e]), top[1]) {
						return fmt.Errorf("shape %s: engine %s and the peer differ on entity %d", g.Name, b.command.Engines[j], e)
					}
				}
				return nil
			})
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
