// Package fit holds the kernels of truth degrees, which all plans share: data laid out by package
// runtime/device describe the inputs and outputs of an op. The package does not depend on plans.
package fit

import (
	_ "embed"

	"github.com/efoc/efoc/kernels/cuda"
)

//go:embed fit.cu
var text string

// Source returns the module, with its compiled code in builds with the tag cuda.
func Source() cuda.Source {
	return cuda.Source{Name: "fit.cu", Text: text, Compiled: compiled}
}
