// Package gpu has the kernels with which a GPU answers, for the commands.
package gpu

import (
	"github.com/efoc/efoc/codegen/cugen"
	"github.com/efoc/efoc/codegen/shapes"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/model"
)

// Kernels returns the kernels of a shape. It serves as compiler.Options.Kernels.
func Kernels(c *stages.Compiled) (*device.Kernels, error) {
	ready := compiledAhead(c)
	if ready != nil && c.Semantics == model.NSMP {
		return ready, nil
	}
	p, err := cugen.Plan(c)
	if err == nil && ready != nil && p.Messages != nil {
		p.Messages = ready
	}
	return p, err
}

// ReadyKernels is Kernels for programs that answer anybody's questions: where the kernels of a
// shape would have to be compiled first, which takes a device about a second, and all who wait for
// it as long, it returns compiler.ErrNoKernels.
func ReadyKernels(c *stages.Compiled) (*device.Kernels, error) {
	if c.Semantics != model.FIT && compiledAhead(c) == nil {
		return nil, compiler.ErrNoKernels
	}
	return Kernels(c)
}

// compiledAhead returns the kernels of message passing for a benchmark shape, nil for
// another.
func compiledAhead(c *stages.Compiled) *device.Kernels {
	for _, p := range shapes.ShapesDevicePlans {
		if p.Shape == c.Shape.Key && p.Layers == c.Layers {
			return p
		}
	}
	return nil
}
