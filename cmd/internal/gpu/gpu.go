// Package gpu provides GPU kernels for the commands.
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

// ReadyKernels is Kernels for servers: if the kernels of a shape are not compiled yet, it returns
// compiler.ErrNoKernels, since compiling them would block the device and all its users for about a second.
func ReadyKernels(c *stages.Compiled) (*device.Kernels, error) {
	if c.Semantics != model.FIT && compiledAhead(c) == nil {
		return nil, compiler.ErrNoKernels
	}
	return Kernels(c)
}

// compiledAhead returns the message passing kernels of a benchmark shape, nil for others.
func compiledAhead(c *stages.Compiled) *device.Kernels {
	for _, p := range shapes.ShapesDevicePlans {
		if p.Shape == c.Shape.Key && p.Layers == c.Layers {
			return p
		}
	}
	return nil
}
