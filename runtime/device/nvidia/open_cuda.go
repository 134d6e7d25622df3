//go:build cuda

package nvidia

import (
	"os"

	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/kernels/cuda/driver"
	"github.com/efoc/efoc/runtime/device"
)

// Built says whether this build has CUDA.
const Built = true

// Open opens the first GPU. With EFOC_NOCOOPERATIVE set, no kernel's blocks wait for one another.
func Open() (*device.Device, error) {
	return device.Open(func() (cuda.Driver, error) { return driver.Open(0) }, device.Tuning{Apart: os.Getenv("EFOC_NOCOOPERATIVE") != ""})
}
