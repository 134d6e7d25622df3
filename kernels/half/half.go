// Package half converts between float32 and bfloat16, and from float16.
package half

import "math"

// BFloat16 returns the value of a bfloat16 number: the upper half of a float32.
func BFloat16(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }

// Float16 returns the value of an IEEE float16 number.
func Float16(h uint16) float32 {
	sign := uint32(h>>15) << 31
	exponent := uint32(h >> 10 & 31)
	fraction := uint32(h & 0x3ff)
	switch exponent {
	case 0:
		return math.Float32frombits(sign | math.Float32bits(float32(fraction)*0x1p-24))
	case 31:
		if fraction != 0 {
			fraction |= 0x200 // conversion quiets a NaN
		}
		return math.Float32frombits(sign | 0x7f800000 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}

// ToBFloat16 returns the bfloat16 number nearest to x, ties to even.
func ToBFloat16(x float32) uint16 {
	bits := math.Float32bits(x)
	if x != x {
		return uint16(bits>>16) | 0x40
	}
	return uint16((bits + 0x7fff + bits>>16&1) >> 16)
}
