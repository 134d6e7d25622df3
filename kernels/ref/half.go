package ref

import "math"

// BF16 returns the value of a bfloat16 number: the upper half of a float32.
func BF16(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }

// F16 returns the value of an IEEE float16 number.
func F16(h uint16) float32 {
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

// ToBF16 returns the bfloat16 number nearest to x, ties to even.
func ToBF16(x float32) uint16 {
	bits := math.Float32bits(x)
	if x != x {
		return uint16(bits>>16) | 0x40
	}
	return uint16((bits + 0x7fff + bits>>16&1) >> 16)
}

// ToF16 returns the IEEE float16 number nearest to x, ties to even. Numbers of
// 65520 and above become infinite.
func ToF16(x float32) uint16 {
	bits := math.Float32bits(x)
	sign := uint16(bits>>31) << 15
	bits = bits & 0x7fffffff
	switch {
	case bits > 0x7f800000:
		return sign | 0x7e00 | uint16(bits>>13&0x3ff)
	case bits >= 0x477ff000: // 65520
		return sign | 0x7c00
	case bits < 0x38800000: // 2^-14: float16 counts in units of 2^-24 here
		return sign | uint16(math.RoundToEven(float64(math.Float32frombits(bits))*0x1p24))
	}
	return sign | uint16((bits-(127-15)<<23+0xfff+bits>>13&1)>>13)
}

// WidenBF16 computes dst[i] = BF16(x[i]).
func WidenBF16(dst []float32, x []uint16) {
	for i := range dst {
		dst[i] = BF16(x[i])
	}
}

// WidenF16 computes dst[i] = F16(x[i]).
func WidenF16(dst []float32, x []uint16) {
	for i := range dst {
		dst[i] = F16(x[i])
	}
}
