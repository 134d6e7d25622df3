package ref

import "github.com/efoc/efoc/kernels/half"

// WidenBF16 computes dst[i] = half.BFloat16(x[i]).
func WidenBF16(dst []float32, x []uint16) {
	for i := range dst {
		dst[i] = half.BFloat16(x[i])
	}
}

// WidenF16 computes dst[i] = half.Float16(x[i]).
func WidenF16(dst []float32, x []uint16) {
	for i := range dst {
		dst[i] = half.Float16(x[i])
	}
}
