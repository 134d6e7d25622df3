// Package gpu brings models to a GPU for the commands.
package gpu

import (
	"github.com/efoc/efoc/codegen/cugen"
	"github.com/efoc/efoc/codegen/shapes"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/device/nvidia"
)

// Model is a model on the first GPU.
type Model struct {
	*device.Model
	device *device.Device
}

// Load opens the GPU and brings a model there.
func Load(m *runtime.Model) (*Model, error) {
	d, err := nvidia.Open()
	if err != nil {
		return nil, err
	}
	onDevice, err := d.Load(m)
	if err != nil {
		d.Close()
		return nil, err
	}
	return &Model{onDevice, d}, nil
}

// Prepare makes the kernels of a shape ready: a compiler.PrepareOptions.Device.
func (m *Model) Prepare(c *compiler.Compiled) (runtime.Runner, error) {
	for _, p := range shapes.ShapesDevicePlans {
		if p.Shape == c.Shape.Key && p.Layers == c.Layers {
			return m.Query(p)
		}
	}
	p, err := cugen.Plan(c)
	if err != nil {
		return nil, err
	}
	return m.Query(p)
}

// Name is the GPU's.
func (m *Model) Name() string { return m.device.Name() }

// Close frees the model and the GPU.
func (m *Model) Close() error {
	err := m.Model.Close()
	if closed := m.device.Close(); err == nil {
		err = closed
	}
	return err
}
