//go:build !noasm

package avx2

// SumRowsI8 computes acc[j] += Σ_i weights[i]·scales[i]·rows[i*w+j], where w = len(acc), in integers,
// 64 rows at a time: the product of weight and scale is rounded to a multiple of 1/32512 of the
// largest in the group. A group whose largest product is not an ordinary number is summed in float32.
func SumRowsI8(acc []float32, rows []int8, scales, weights []float32) {
	w := len(acc)
	if w == 0 {
		return
	}
	var ints [64]int16
	for lo := 0; lo < len(weights); lo += 64 {
		hi := min(lo+64, len(weights))
		largest := groupWeights16(&ints, weights[lo:hi], scales[lo:hi])
		addGroup16(acc, rows[lo*w:hi*w], scales[lo:hi], weights[lo:hi], &ints, largest)
	}
}

// SumRows2I8 is SumRowsI8 for two sums.
func SumRows2I8(acc0, acc1 []float32, rows []int8, scales, weights0, weights1 []float32) {
	w := len(acc0)
	if w == 0 {
		return
	}
	var ints0, ints1 [64]int16
	for lo := 0; lo < len(weights0); lo += 64 {
		hi := min(lo+64, len(weights0))
		rows := rows[lo*w : hi*w]
		scales := scales[lo:hi]
		weights0 := weights0[lo:hi]
		weights1 := weights1[lo:hi]
		largest0 := groupWeights16(&ints0, weights0, scales)
		largest1 := groupWeights16(&ints1, weights1, scales)
		if Ordinary8(largest0) && Ordinary8(largest1) {
			addTwice16(&acc0[0], &acc1[0], &rows[0], &ints0, &ints1, largest0/32512, largest1/32512, hi-lo, w)
			continue
		}
		addGroup16(acc0, rows, scales, weights0, &ints0, largest0)
		addGroup16(acc1, rows, scales, weights1, &ints1, largest1)
	}
}

// Ordinary8 reports whether the products of a group can be integers, given the largest of them.
func Ordinary8(largest float32) bool { return largest > 0x1p-100 && largest < 0x1p100 }

// addGroup16 adds a group of rows with the weights in ints, computed by groupWeights16.
func addGroup16(acc []float32, rows []int8, scales, weights []float32, ints *[64]int16, largest float32) {
	switch {
	case largest == 0:
	case Ordinary8(largest):
		addRows16(&acc[0], &rows[0], ints, largest/32512, len(weights), len(acc))
	default:
		sumRows8(acc, rows, scales, weights)
	}
}

// groupWeights16 is weights16 for at most 64 weights.
func groupWeights16(ints *[64]int16, weights, scales []float32) float32 {
	if len(weights) == 64 {
		return weights16(ints, &weights[0], &scales[0])
	}
	var w, s [64]float32
	copy(w[:], weights)
	copy(s[:], scales)
	return weights16(ints, &w[0], &s[0])
}
