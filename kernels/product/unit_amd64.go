//go:build amd64 && !noasm

package product

import (
	"os"
	"slices"

	"golang.org/x/sys/cpu"

	"github.com/efoc/efoc/kernels/simd"
)

// detect finds the best unit. Package simd says whether AVX-512 is there and wanted.
func detect() unit {
	switch {
	case !slices.Contains(simd.Engines(), "avx512") || !cpu.X86.HasAVX512BF16 || os.Getenv("EFOC_NOBF16") == "1":
		return float32s
	case cpu.X86.HasAMXTile && cpu.X86.HasAMXBF16 && os.Getenv("EFOC_NOAMX") != "1" && tilesAllowed():
		return amx
	}
	return avx512bf16
}
