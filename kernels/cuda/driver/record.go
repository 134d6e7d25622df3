//go:build cuda

package driver

import (
	"errors"
	"fmt"

	"gorgonia.org/cu"

	"github.com/efoc/efoc/kernels/cuda"
)

// recording is a sequence captured as a graph, with pinned memory for input and output.
type recording struct {
	*gpu
	sequence  cuda.Sequence
	functions []cu.Function
	in, out   pinned
	graph     graph
}

// Record prepares a sequence for replay.
func (g *gpu) Record(s cuda.Sequence) (cuda.Recording, error) {
	r := &recording{gpu: g, sequence: s}
	for _, l := range s.Launches {
		own := s.Module
		if l.Module != nil {
			own = l.Module
		}
		m, ok := own.(*module)
		if !ok {
			return nil, errForeign
		}
		f, err := m.function(l)
		if err != nil {
			return nil, err
		}
		r.functions = append(r.functions, f)
	}
	var err error
	r.in, err = pin(s.ToBytes)
	if err != nil {
		return nil, err
	}
	r.out, err = pin(s.FromBytes)
	if err != nil {
		return nil, errors.Join(err, r.in.free())
	}
	r.graph, err = capture(g.stream, r.issue)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("capture %d launches as a graph: %w", len(s.Launches), err), r.in.free(), r.out.free())
	}
	return r, nil
}

// issue puts the whole sequence on the stream.
func (r *recording) issue() error {
	s := &r.sequence
	if err := cu.MemcpyHtoDAsync(cu.DevicePtr(s.To), r.in.at, int64(s.ToBytes), r.stream); err != nil {
		return fmt.Errorf("cuMemcpyHtoDAsync: %w", err)
	}
	if err := r.beside.fork(r.stream); err != nil {
		return err
	}
	isBeside := false
	for i, l := range s.Launches {
		stream := r.stream
		if l.Beside {
			stream = r.beside.stream
		} else if isBeside {
			if err := r.beside.join(r.stream); err != nil {
				return err
			}
		}
		isBeside = l.Beside
		if err := launch(r.functions[i], l, stream, s); err != nil {
			return fmt.Errorf("launch of %s (%v blocks of %d threads, %d bytes shared): %w", l.Kernel, l.Grid, l.Threads, l.Shared, err)
		}
	}
	if err := r.beside.join(r.stream); err != nil {
		return err
	}
	return named(cu.MemcpyDtoHAsync(r.out.at, cu.DevicePtr(s.From), int64(s.FromBytes), r.stream), "cuMemcpyDtoHAsync")
}

func (r *recording) In() []byte  { return r.in.bytes }
func (r *recording) Out() []byte { return r.out.bytes }

// Replay runs the sequence once and waits.
func (r *recording) Replay() error {
	if err := r.graph.launch(r.stream); err != nil {
		return err
	}
	return named(r.stream.Synchronize(), "cuStreamSynchronize")
}

// Close frees the graph and the pinned memory.
func (r *recording) Close() error {
	return errors.Join(r.graph.destroy(), r.in.free(), r.out.free())
}
