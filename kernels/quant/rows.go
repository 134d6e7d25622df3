package quant

import "math"

// largestCode is the largest code.
const largestCode = 127

// largest is the largest accepted absolute value, for which codes represent finite numbers.
const largest = math.MaxFloat32 / 2

// quantiseRow quantises the row x: it fills codes, Columns(len(x)) of them, and returns the scale and the residual.
// The scale maps the largest number of the row to 127. ok is false if a number is not finite or exceeds half of
// the largest float32.
func quantiseRow(codes []int8, x []float32) (scale, residual float32, ok bool) {
	size, ok := sizeOf(x)
	if !ok {
		return 0, 0, false
	}
	scale = step(size, largestCode)
	clear(codes[len(x):Columns(len(x))])
	squares := 0.0
	for j, v := range x {
		c := nearest(float64(v), float64(scale), largestCode)
		codes[j] = int8(c)
		d := float64(v) - float64(scale)*c
		squares += float64(d * d)
	}
	return scale, roundUp(math.Sqrt(squares)), true
}

// sizeOf returns the largest absolute value of x, and whether all numbers can be quantised. Compared as integers, NaN
// exceeds infinity, which exceeds numbers.
func sizeOf(x []float32) (size float32, ok bool) {
	most := uint32(0)
	for _, v := range x {
		most = max(most, math.Float32bits(v)&math.MaxInt32)
	}
	size = math.Float32frombits(most)
	return size, size <= largest
}

// step returns size/steps, rounded up if steps times the result would be below size.
func step(size float32, steps int) float32 {
	s := float32(float64(size) / float64(steps))
	if float64(s)*float64(steps) < float64(size) {
		s = math.Nextafter32(s, largest)
	}
	return s
}

// nearest returns the multiple of unit that is nearest to v, ties to even, within ±limit
// units; 0 if unit is 0.
func nearest(v, unit float64, limit float64) float64 {
	if unit == 0 {
		return 0
	}
	return min(max(math.RoundToEven(v/unit), -limit), limit)
}

// roundUp returns a float32 not below x, allowing for the rounding of a float64 sum of at most a million terms
// from which x was computed.
func roundUp(x float64) float32 {
	x *= 1 + 0x1p-32
	r := float32(x)
	if float64(r) < x {
		r = math.Nextafter32(r, float32(math.Inf(1)))
	}
	return r
}
