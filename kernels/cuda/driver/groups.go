//go:build cuda

package driver

import (
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/efoc/efoc/kernels/cuda/groups"
)

// groupsWork reports whether code in which warp groups multiply may be loaded: unless
// EFOC_NOWGMMA=1 says no, a small product is computed in both ways when it is first asked for.
func (g *gpu) groupsWork() bool {
	if g.groups == nil {
		works := os.Getenv("EFOC_NOWGMMA") != "1"
		if works {
			if err := g.compareGroups(); err != nil {
				slog.Warn("batches are slower than they could be: matrix products of warp groups are not used", "device", g.name, "reason", err,
					"advice", "if nothing else works now, start again with EFOC_NOWGMMA=1, which does not try them")
				works = false
			}
		}
		g.groups = &works
	}
	return *g.groups
}

// compareGroups returns an error unless both ways give the same product.
func (g *gpu) compareGroups() (err error) {
	source, err := groups.Source()
	if err != nil {
		return err
	}
	codes, err := source.Codes(g.capability)
	if err != nil {
		return err
	}
	if len(codes) == 0 || !codes[0].Specific() {
		return fmt.Errorf("%s was not compiled for them", source.Name)
	}
	m, err := load(codes[0].Bytes)
	if err != nil {
		return fmt.Errorf("cuModuleLoadData of %s for %s: %w", source.Name, codes[0].Arch, err)
	}
	defer func() { err = errors.Join(err, m.Unload()) }()
	at, err := g.Alloc(groups.AnswerBytes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Free(at)) }()
	r, err := g.Record(groups.Sequence(m, at))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	clear(r.In())
	if err := r.Replay(); err != nil {
		return err
	}
	if !groups.Equal(r.Out()) {
		return errors.New("they differ from those of warps")
	}
	return nil
}
