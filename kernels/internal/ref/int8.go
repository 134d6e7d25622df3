package ref

// The kernels in this file are over tables of 8 bits. A row of such a table
// is w codes of −127 to 127 and one scale, which they are multiplied by; w is a
// multiple of 64, and codes that fill a row up are 0.
//
// A query for such a table is w integers of 16 bits, which are multiplied by a scale
// too. It is 2·w long: PackQuery says what the second half holds. Its sum of products
// with any row must fit in 32 bits; then every product of a row and a query
// is exact up to the rounding to float32, and has the same bits on every machine.

// I8Columns divides the width of a table of 8 bits.
const I8Columns = 64

// PackQuery fills the second half of q, a query of w integers: with their low bytes,
// then their high bytes, both signed, in the order in which memory has them on a
// little-endian machine. An integer x is 256·high + low; it lies within ±32512.
func PackQuery(q []int16) {
	w := len(q) / 2
	low := q[w : w+w/2]
	high := q[w+w/2:]
	for k := 0; k < w; k += 2 {
		x := q[k]
		y := q[k+1]
		hx := (int(x) + 128) >> 8
		hy := (int(y) + 128) >> 8
		low[k/2] = int16(uint16(uint8(x)) | uint16(uint8(y))<<8)
		high[k/2] = int16(uint16(uint8(hx)) | uint16(uint8(hy))<<8)
	}
}

// DotRowsI8 computes dst[i] = by·scales[i]·Σ_j rows[i*w+j]·q[j], where w = len(q)/2. far,
// which does not change the result, says to prefetch later rows: they come from memory,
// and no sum of the same rows follows, which prefetches them too.
func DotRowsI8(dst []float32, rows []int8, scales []float32, q []int16, by float32, far bool) {
	w := len(q) / 2
	for i := range dst {
		sum := int32(0)
		for j, c := range rows[i*w : (i+1)*w] {
			sum += int32(c) * int32(q[j])
		}
		dst[i] = float32(float64(sum) * (float64(scales[i]) * float64(by)))
	}
}

// DotRows2I8 computes dstk[i] = by[k]·scales[i]·Σ_j rows[i*w+j]·q[k*2*w+j] for both
// queries k, where w = len(q)/4. far is as of DotRowsI8.
func DotRows2I8(dst0, dst1 []float32, rows []int8, scales []float32, q []int16, by []float32, far bool) {
	DotRowsI8(dst0, rows, scales, q[:len(q)/2], by[0], far)
	DotRowsI8(dst1[:len(dst0)], rows, scales, q[len(q)/2:], by[1], far)
}

// DotRows4I8 computes dstk[i] = by[k]·scales[i]·Σ_j rows[i*w+j]·q[k*2*w+j] for four
// queries k, where w = len(q)/8. far is as of DotRowsI8.
func DotRows4I8(dst0, dst1, dst2, dst3 []float32, rows []int8, scales []float32, q []int16, by []float32, far bool) {
	n := len(dst0)
	size := len(q) / 4
	for k, dst := range [4][]float32{dst0, dst1[:n], dst2[:n], dst3[:n]} {
		DotRowsI8(dst, rows, scales, q[k*size:(k+1)*size], by[k], far)
	}
}

// DotRowsI16 computes dst[i] = by·scales[i]·Σ_j (rows[i*w+j]·q[j] + lows[i*w+j]·h[j]), where
// w = len(q)/2 and h[j] is the high byte of q[j]: the product of q with rows of 16-bit integers,
// 256·rows + lows, over 256, without the products of low bytes. far is as of DotRowsI8.
func DotRowsI16(dst []float32, rows, lows []int8, scales []float32, q []int16, by float32, far bool) {
	w := len(q) / 2
	for i := range dst {
		sum := int32(0)
		for j, c := range rows[i*w : (i+1)*w] {
			sum += int32(c)*int32(q[j]) + int32(lows[i*w+j])*((int32(q[j])+128)>>8)
		}
		dst[i] = float32(float64(sum) * (float64(scales[i]) * float64(by)))
	}
}

// DotRows2I16 computes DotRowsI16 for two queries, as DotRows2I8 computes DotRowsI8.
func DotRows2I16(dst0, dst1 []float32, rows, lows []int8, scales []float32, q []int16, by []float32, far bool) {
	DotRowsI16(dst0, rows, lows, scales, q[:len(q)/2], by[0], far)
	DotRowsI16(dst1[:len(dst0)], rows, lows, scales, q[len(q)/2:], by[1], far)
}

// DotRows4I16 computes DotRowsI16 for four queries, as DotRows4I8 computes DotRowsI8.
func DotRows4I16(dst0, dst1, dst2, dst3 []float32, rows, lows []int8, scales []float32, q []int16, by []float32, far bool) {
	n := len(dst0)
	size := len(q) / 4
	for k, dst := range [4][]float32{dst0, dst1[:n], dst2[:n], dst3[:n]} {
		DotRowsI16(dst, rows, lows, scales, q[k*size:(k+1)*size], by[k], far)
	}
}

// AxpyAtI8 computes acc[j] += Σ_i weights[i]·scales[index[i]]·rows[index[i]*w+j], where
// w = len(acc).
func AxpyAtI8(acc []float32, rows []int8, scales []float32, index []int32, weights []float32) {
	w := len(acc)
	for i, a := range weights {
		at := int(index[i])
		a *= scales[at]
		for j, c := range rows[at*w : (at+1)*w] {
			acc[j] += float32(a * float32(c))
		}
	}
}

// SumRowsI8 computes acc[j] += Σ_i weights[i]·scales[i]·rows[i*w+j], where w = len(acc), but
// may round: in every 64 rows from the first on, the product of weight and scale to a multiple
// of 1/32512 of the largest of these products.
func SumRowsI8(acc []float32, rows []int8, scales, weights []float32) {
	w := len(acc)
	for i, a := range weights {
		a *= scales[i]
		for j, c := range rows[i*w : (i+1)*w] {
			acc[j] += float32(a * float32(c))
		}
	}
}

// SumRows2I8 computes acck[j] += Σ_i weightsk[i]·scales[i]·rows[i*w+j] for both sums k, where
// w = len(acc0), each to the bit as SumRowsI8 does.
func SumRows2I8(acc0, acc1 []float32, rows []int8, scales, weights0, weights1 []float32) {
	SumRowsI8(acc0, rows, scales, weights0)
	SumRowsI8(acc1[:len(acc0)], rows, scales, weights1[:len(weights0)])
}

// WidenI8 computes dst[j] = by·row[j].
func WidenI8(dst []float32, row []int8, by float32) {
	for j := range dst {
		dst[j] = by * float32(row[j])
	}
}

// WidenI16 computes dst[j] = by·(256·row[j] + low[j]).
func WidenI16(dst []float32, row, low []int8, by float32) {
	for j := range dst {
		dst[j] = by * float32(256*int32(row[j])+int32(low[j]))
	}
}
