//go:build amd64 && !noasm

package simd

import (
	"encoding/binary"
	"os"

	"golang.org/x/sys/cpu"

	"github.com/efoc/efoc/kernels/internal/avx2"
	"github.com/efoc/efoc/kernels/internal/avx512"
)

// detect finds the best engine that machine, system and environment permit. Package cpu reports a feature only
// if the system saves its registers.
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

// setPrefetch sets whether kernels over float32 rows prefetch all of the next rows, and returns the previous
// setting. It does not change results.
func setPrefetch(all bool) (was bool) {
	was = avx2.PrefetchAll
	avx2.PrefetchAll = all
	avx512.PrefetchAll = all
	return was
}

// wantsPrefetch returns the argument of setPrefetch. Prefetching all rows made sweeps of a table 15 to 20%
// faster on an AMD EPYC. On an Intel Xeon (Sapphire Rapids), which prefetches well in hardware, sweeps became
// 15% slower in cache and no faster from memory.
func wantsPrefetch(environment, vendor string) bool {
	switch environment {
	case "0":
		return false
	case "1":
		return true
	}
	return vendor == "AuthenticAMD" || vendor == "HygonGenuine"
}

// cpuid returns the registers of a leaf of CPUID.
func cpuid(leaf, sub uint32) (a, b, c, d uint32)

// vendorName returns the processor's vendor, such as GenuineIntel.
func vendorName() string {
	var name []byte
	_, b, c, d := cpuid(0, 0)
	for _, part := range []uint32{b, d, c} {
		name = binary.LittleEndian.AppendUint32(name, part)
	}
	return string(name)
}

// cacheSize returns the size of the cache of the given level that a core reads, 0 if the processor does not report it. Leaf 4 of Intel
// and leaf 0x8000001d of AMD describe a cache by its ways, partitions, line length, and sets, each minus one.
func cacheSize(of uint32) int {
	leaf := uint32(4)
	if most, _, _, _ := cpuid(0x80000000, 0); most >= 0x8000001d {
		leaf = 0x8000001d
	}
	if most, _, _, _ := cpuid(0, 0); leaf == 4 && most < 4 {
		return 0
	}
	for sub := range uint32(8) {
		a, b, c, _ := cpuid(leaf, sub)
		kind, level := a&31, a>>5&7
		if kind == 0 {
			return 0
		}
		if level == of && kind != 2 { // kind 2 is an instruction cache
			return int((b>>22 + 1) * (b>>12&1023 + 1) * (b&4095 + 1) * (c + 1))
		}
	}
	return 0
}
