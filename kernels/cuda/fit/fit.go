// Package fit holds the kernels of truth degrees, which all plans share: data describe what an op
// reads and writes, and package runtime/device lays them out. The package knows no plans.
package fit

import (
	_ "embed"

	"github.com/efoc/efoc/kernels/cuda"
)

//go:embed fit.cu
var text string

// Source returns the module, with what it was compiled to in builds with the tag cuda.
func Source() cuda.Source {
	return cuda.Source{Name: "fit.cu", Text: text, Compiled: compiled}
}
