//go:build cuda

package gpu

import (
	"github.com/efoc/efoc/codegen/shapes"
	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/kernels/cuda/driver"
	"github.com/efoc/efoc/runtime/device"
)

// generated are the plans that were generated ahead of time.
var generated = shapes.ShapesDevicePlans

// Open opens the first GPU.
func Open() (*device.Device, error) {
	return device.Open(func() (cuda.Driver, error) { return driver.Open(0) }, device.Tuning{})
}
