package simd

import (
	"fmt"
	"slices"
	"strings"
)

// An engine is one of the packages that compute the kernels.
type engine int

const (
	refLevel engine = iota
	avx2Level
	avx512Level
	vnniLevel // AVX-512 with products of bytes
)

// level is the engine that all kernels use.
var level = detect()

var engineNames = [...]string{"portable", "avx2", "avx512", "avx512vnni"}

// Engines names the engines that this machine has, portable first, the best one last.
func Engines() []string { return engineNames[:detect()+1] }

// Use makes an engine of Engines compute all kernels from now on: tests compare the
// engines with it. No kernel may run meanwhile.
func Use(name string) error {
	e := slices.Index(Engines(), name)
	if e < 0 {
		return fmt.Errorf("engine %q is not among those of this machine: %s", name, strings.Join(Engines(), ", "))
	}
	level = engine(e)
	return nil
}

// Engine names what computes the kernels: portable, avx2, avx512 or avx512vnni.
func Engine() string { return engineNames[level] }

// HasVNNI reports whether products with rows of 8 bits are made of products of bytes.
func HasVNNI() bool { return level == vnniLevel }
