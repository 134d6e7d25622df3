//go:build amd64 && !noasm

package simd

import (
	"github.com/efoc/efoc/kernels/avx2"
	"github.com/efoc/efoc/kernels/avx512"
)

// assembledTrainers are the trainers in assembly, whatever the environment
// switches off.
func assembledTrainers() []trainer {
	list := []trainer{
		{"avx2", false, avx2.Gemm, avx2.ExpShifts, avx2.AdagradN3},
		{"avx512", false, avx512.Gemm, avx512.ExpShifts, avx512.AdagradN3},
	}
	for i := range list {
		for _, e := range engines {
			if e.name == list[i].name {
				list[i].present = e.present
			}
		}
	}
	return list
}
