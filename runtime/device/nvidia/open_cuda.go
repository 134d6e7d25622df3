//go:build cuda

package nvidia

import (
	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/kernels/cuda/driver"
	"github.com/efoc/efoc/runtime/device"
)

// Open opens the first GPU.
func Open() (*device.Device, error) {
	return device.Open(func() (cuda.Driver, error) { return driver.Open(0) }, device.Tuning{})
}
