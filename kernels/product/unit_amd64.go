//go:build amd64 && !noasm

package product

import (
	"os"
	"slices"

	"golang.org/x/sys/cpu"

	"github.com/efoc/efoc/kernels/simd"
)

// detect finds the units. Package simd says whether AVX-512 is available and enabled.
func detect() []unit {
	list := []unit{float32s}
	if slices.Contains(simd.Engines(), "avx512") && cpu.X86.HasAVX512BF16 && os.Getenv("EFOC_NOBF16") != "1" {
		list = append(list, avx512bf16)
		if cpu.X86.HasAMXTile && cpu.X86.HasAMXBF16 && os.Getenv("EFOC_NOAMX") != "1" && tilesAllowed() {
			list = append(list, amx)
		}
	}
	return list
}

// multipliesBytes reports whether the machine's unit amx has AMX-INT8.
func multipliesBytes() bool { return cpu.X86.HasAMXInt8 }
