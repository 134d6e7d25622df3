package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"github.com/alecthomas/kong"

	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/shards"
	"github.com/efoc/efoc/runtime/shards/mpi"
)

// splitModelFlags are the flags of a command that can use a split model, which --model names by its folder. Otherwise
// the command needs no other processes.
type splitModelFlags struct {
	modelFlag
	ExchangeMax time.Duration `name:"exchange-max" default:"1m" placeholder:"TIME" needs:"mpi" help:"Time that the shards of a split model wait for one another before the job ends with an error (default: ${default}). Idle shards meet four times during it."`
}

func (f splitModelFlags) splitFlags() splitModelFlags { return f }

// isSplit reports whether the flag names a split model.
func (f modelFlag) isSplit() bool { return isFolder(f.Model) }

// ranks is the transport between the processes of an MPI job, nil outside one; all except the first only serve a
// shard.
var ranks shards.Transport

// joinRanks joins the ranks if the command uses a split model. It reports whether this process has served a shard to
// the end. A shard ignores interrupts: the first process decides when to end, so that running work can finish.
func joinRanks(ctx context.Context, command *kong.Context) (served bool, err error) {
	c, ok := command.Selected().Target.Addr().Interface().(interface{ splitFlags() splitModelFlags })
	if !ok {
		return false, nil
	}
	flags := c.splitFlags()
	if !flags.isSplit() {
		return false, nil
	}
	ranks, err = mpi.Start(flags.ExchangeMax)
	if err != nil || ranks == nil || ranks.Rank() == 0 {
		return false, err
	}
	lowerGCPercent()
	s, err := model.OpenShard(flags.Model, ranks.Rank(), ranks.Size())
	if err == nil {
		defer s.Close()
		err = shards.Serve(context.WithoutCancel(ctx), s, ranks, stages.Distributed)
	}
	if err != nil {
		ranks.Abort(fmt.Errorf("rank %d: %w", ranks.Rank(), err))
		return true, err
	}
	mpi.Stop()
	return true, nil
}

// openSplit opens the split model if the flag names one, otherwise the whole model.
func (f splitModelFlags) openSplit(a *app, how ...model.OpenOption) (*openModel, error) {
	if !f.isSplit() {
		return f.openAs(a, how...)
	}
	return await(a.ctx, f.openShards)
}

// openShards opens the split model.
func (f splitModelFlags) openShards() (*openModel, error) {
	lowerGCPercent()
	head, err := model.OpenHead(f.Model)
	if err != nil {
		return nil, err
	}
	of := head.Manifest.Shard.Of
	all := ranks
	here := &sync.WaitGroup{}
	if all == nil {
		all, err = f.serveHere(of, here)
	} else if all.Size() != of {
		return nil, errors.Join(fmt.Errorf("mpirun has started %d processes, but %s has %d shards: start as many", all.Size(), f.Model, of), head.Close())
	}
	var own *model.Model
	if err == nil {
		own, err = model.OpenShard(f.Model, 0, of)
	}
	var m *runtime.Model
	if err == nil {
		m, err = shards.Join(head, own, all, stages.Distributed)
	}
	if err != nil {
		all.Abort(err)
		here.Wait()
		return nil, errors.Join(err, head.Close())
	}
	return &openModel{Model: m, path: f.Model, shards: here}, nil
}

// serveHere serves all shards but the first in this process, until the first ends or aborts.
func (f splitModelFlags) serveHere(of int, served *sync.WaitGroup) (shards.Transport, error) {
	all := shards.Local(of, f.ExchangeMax)
	for i := 1; i < of; i++ {
		part, err := model.OpenShard(f.Model, i, of)
		if err != nil {
			return all[0], err
		}
		served.Go(func() {
			defer part.Close()
			_ = shards.Serve(context.Background(), part, all[i], stages.Distributed) // rank 0 receives its error
		})
	}
	return all[0], nil
}

// lowerGCPercent halves the permitted garbage, unless GOGC is set. Frequent collection is cheap: rows and facts are
// mapped, and the rest is mostly vectors without pointers.
func lowerGCPercent() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
}

type splitCmd struct {
	Model  string `arg:"" in:"" help:"Model to split, with the facts of its journal."`
	Shards int    `short:"n" required:"" least:"1" most:"65536" placeholder:"N" help:"Number of shards, one per process."`
	Output string `short:"o" required:"" placeholder:"FOLDER" out:"*" help:"New folder to write."`
}

func (c *splitCmd) Run(a *app) error {
	m, err := modelFlag{Model: c.Model}.openAs(a, model.ReadOnce())
	if err != nil {
		return err
	}
	defer m.Close()
	if n := m.NumEntities(); c.Shards > n {
		return usagef("-n %d: the model has %d entities, a shard needs at least one", c.Shards, n)
	}
	err = model.Split(a.ctx, c.Output, m.Now().Bundle(), c.Shards, func(written, total int64) { a.bar.Show("write shards", written, total) })
	if err != nil {
		return err
	}
	return a.printf("wrote %s: the head and %s of %d entities at most\n", c.Output, tables.Number(c.Shards, "shard"), (m.NumEntities()+c.Shards-1)/c.Shards)
}
