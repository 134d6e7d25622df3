//go:build !cuda

package nvidia

import (
	"errors"

	"github.com/efoc/efoc/runtime/device"
)

// Built says whether this build has CUDA.
const Built = false

// Open says how to build with a GPU.
func Open() (*device.Device, error) {
	return nil, errors.New("this program was built without CUDA: build it with go build -tags cuda, " +
		"with cgo and the headers and libraries that kernels/cuda/toolkit/setup.sh of efoc fetches, and run it where there is an NVIDIA GPU")
}
