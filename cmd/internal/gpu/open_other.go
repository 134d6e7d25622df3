//go:build !cuda

package gpu

import (
	"errors"

	"github.com/efoc/efoc/runtime/device"
)

// generated plans are of no use without a GPU.
var generated []*device.Plan

// Open says how to build with a GPU.
func Open() (*device.Device, error) {
	return nil, errors.New("this efoc was built without CUDA: build it with go build -tags cuda ./cmd/efoc, " +
		"with cgo and the headers and libraries that kernels/cuda/toolkit/setup.sh fetches, and run it where there is an NVIDIA GPU")
}
