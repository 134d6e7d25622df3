//go:build amd64 && !noasm

package product

import (
	"os"
	"slices"

	"golang.org/x/sys/cpu"

	"github.com/efoc/efoc/kernels/simd"
)

// detect lists the units and says which one is best. Package simd says whether AVX-512
// is there and wanted.
func detect() (list []unit, best unit) {
	list = []unit{float32s}
	if !slices.Contains(simd.Engines(), "avx512") || !cpu.X86.HasAVX512BF16 || os.Getenv("EFOC_NOBF16") == "1" {
		return list, float32s
	}
	list = append(list, bf16)
	tiles := cpu.X86.HasAMXTile && cpu.X86.HasAMXBF16
	switch {
	case tiles && os.Getenv("EFOC_NOAMX") != "1" && tilesAllowed():
		return append(list, amx), amx
	case tiles:
		// The processors that have AMX start a VDPBF16PS every second cycle, and two
		// float32 multiplications of half its size in each: these are faster.
		return list, float32s
	}
	return list, bf16
}
