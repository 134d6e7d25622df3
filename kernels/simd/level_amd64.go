//go:build amd64 && !noasm

package simd

import (
	"encoding/binary"
	"os"

	"golang.org/x/sys/cpu"

	"github.com/efoc/efoc/kernels/internal/avx2"
	"github.com/efoc/efoc/kernels/internal/avx512"
)

// detect finds the best engine that machine, system and environment allow.
// Package cpu reports a feature only if the system saves its registers.
func detect() engine {
	avx2 := cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasF16C && os.Getenv("EFOC_NOAVX2") != "1"
	avx512 := avx2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL &&
		cpu.X86.HasBMI2 && os.Getenv("EFOC_NOAVX512") != "1"
	switch {
	case avx512 && cpu.X86.HasAVX512VNNI && os.Getenv("EFOC_NOVNNI") != "1":
		return vnniLevel
	case avx512:
		return avx512Level
	case avx2:
		return avx2Level
	}
	return refLevel
}

func init() { setPrefetch(wantsPrefetch(os.Getenv("EFOC_PREFETCH"), vendorName())) }

// setPrefetch chooses whether kernels over rows of float32 prefetch all the rows that come next,
// and returns whether they did. It does not change results.
func setPrefetch(all bool) (was bool) {
	was = avx2.PrefetchAll
	avx2.PrefetchAll = all
	avx512.PrefetchAll = all
	return was
}

// wantsPrefetch returns the argument of setPrefetch. Sweeps of a table gained 15 to 20% by
// prefetching all on an AMD EPYC. On an Intel Xeon (Sapphire Rapids), which prefetches well by itself,
// they lost 15% in cache and gained nothing from memory.
func wantsPrefetch(environment, vendor string) bool {
	switch environment {
	case "0":
		return false
	case "1":
		return true
	}
	return vendor == "AuthenticAMD" || vendor == "HygonGenuine"
}

// vendor returns the vendor's name, twelve letters: leaf 0 of CPUID.
func vendor() (b, d, c uint32)

// vendorName names who made the processor, such as GenuineIntel.
func vendorName() string {
	var name []byte
	b, d, c := vendor()
	for _, part := range []uint32{b, d, c} {
		name = binary.LittleEndian.AppendUint32(name, part)
	}
	return string(name)
}
