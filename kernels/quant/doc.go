// Package quant quantises float32 rows to rows of 8-bit codes and queries to the integers by which such rows
// are multiplied, and bounds the error. The kernels on them are in package simd; package ref specifies them.
//
// A row of w columns is padded with zeros to Columns(w), a multiple of 64, so that consecutive rows start at
// multiples of 64 bytes if the first one does. Each row has codes of −127 to 127, a float32 scale and a float32
// residual, ‖x − x̂‖ rounded up, where x̂_j = scale·code_j is the quantised row. On a trained table of 512
// columns the residual is 0.55% of the row's length.
//
// Quantisation rounds to nearest, ties to even, and depends only on the row. The package is independent of
// graphs, models and files.
package quant

import "github.com/efoc/efoc/kernels/internal/ref"

// Columns returns the padded width of rows of the given width.
func Columns(width int) int {
	return (width + ref.I8Columns - 1) / ref.I8Columns * ref.I8Columns
}
