// Package quant turns rows of float32 into rows of 8-bit codes and queries into the
// integers that such rows are multiplied with, and bounds the error. The kernels on them
// are in package simd; package ref states what they compute.
//
// A row of w columns is padded with zeros to Columns(w), a multiple of 64, so that
// rows which follow one another start at multiples of 64 bytes if the first one does. Each
// row has codes of −127 to 127, a float32 scale and a float32 residual, ‖x − x̂‖ rounded up,
// where x̂_j = scale·code_j is the row that the codes stand for. On a trained table of 512
// columns the residual is 0.55% of the row's length.
//
// Quantising rounds to nearest, ties to even, and depends on the row alone. The package
// knows neither graphs nor models nor files.
package quant

import "github.com/efoc/efoc/kernels/ref"

// Columns returns the padded width of rows of the given width.
func Columns(width int) int {
	return (width + ref.I8Columns - 1) / ref.I8Columns * ref.I8Columns
}
