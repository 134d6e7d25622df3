package part

import "math/bits"

// appendRows appends the numbers of the rows whose bits are set.
func appendRows(to []float32, set []uint64, at func(row int32) float32) []float32 {
	for k, word := range set {
		for ; word != 0; word &= word - 1 {
			to = append(to, at(int32(64*k+bits.TrailingZeros64(word))))
		}
	}
	return to
}
