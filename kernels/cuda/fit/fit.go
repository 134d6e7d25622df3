// Package fit holds the kernels of truth degrees, which are the same for all plans: what an
// op reads and writes is data, which package runtime/device lays out. It knows no plans.
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
