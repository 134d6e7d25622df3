//go:build cuda

package nvidia

import (
	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/kernels/cuda/driver"
	"github.com/efoc/efoc/runtime/device"
)

// Built says whether this build has CUDA.
const Built = true

// Open opens the first GPU.
func Open() (*device.Device, error) {
	return device.Open(func() (cuda.Driver, error) { return driver.Open(0) }, device.Tuning{})
}
