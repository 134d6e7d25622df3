//go:build amd64 && !noasm

package simd

import (
	"os"

	"golang.org/x/sys/cpu"
)

// level is the engine that all kernels use.
var level = detect()

// best returns the best engine there is.
func best() engine { return detect() }

func setLevel(e engine) { level = e }

// detect finds the best engine that machine, system and environment allow.
// Package cpu reports a feature only if the system saves its registers.
func detect() engine {
	avx2 := cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasF16C && os.Getenv("EFOC_NOAVX2") != "1"
	avx512 := avx2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL &&
		cpu.X86.HasBMI2 && os.Getenv("EFOC_NOAVX512") != "1"
	switch {
	case avx512:
		return avx512Level
	case avx2:
		return avx2Level
	}
	return refLevel
}
