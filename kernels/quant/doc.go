// Package quant turns rows of float32 into rows of 8 and 4 bits and queries into the
// integers that such rows are multiplied with, and bounds the error. The kernels on them
// are in package simd; package ref states what they compute.
//
// Layouts. A row of w columns is padded with zeros to Columns(w), a multiple of 64, so
// rows that follow one another start at multiples of 64 bytes (8 bits) or 32 (4 bits)
// if the first one does. Beside the codes every row has a float32 scale and a float32
// residual, ‖x − x̂‖ rounded up, where x̂ is the row that the codes stand for.
//
//	      codes of a row                      multipliers       x̂_j
//	int8  Columns(w) bytes, −127 to 127       none              scale·code
//	int4  Columns(w)/2 bytes, −7 to 7         Columns(w)/32     scale·multiplier·code
//
// The multiplier of a block of 32 columns is 1 to 18, so that multiplier times code is an
// 8-bit code again: UnpackI4 makes rows of 8 bits of rows of 4, exactly, and says
// how codes lie in bytes. On a trained table of 512 columns such rows are 7.5% of their
// length off, with the best float32 scale for each block 7.3%, with one that maps the
// block's largest number to 7 8.0%; rows of 8 bits 0.55%.
//
// Quantising rounds to nearest, ties to even, and depends on the row alone. The package
// knows neither graphs nor models nor files.
package quant

import "github.com/efoc/efoc/kernels/ref"

// Columns returns the padded width of rows of the given width.
func Columns(width int) int {
	return (width + ref.I8Columns - 1) / ref.I8Columns * ref.I8Columns
}
