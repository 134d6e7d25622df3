package simd

import (
	"fmt"
	"slices"
	"strings"
)

// An engine is a package that implements the kernels.
type engine int

const (
	refLevel engine = iota
	avx2Level
	avx512Level
	vnniLevel // AVX-512 with products of bytes
)

// level is the engine in use.
var level = detect()

var engineNames = [...]string{"portable", "avx2", "avx512", "avx512vnni"}

// Engines names the engines of this machine, portable first, best last.
func Engines() []string { return engineNames[:detect()+1] }

// Use selects one of Engines for all kernels, so that tests can compare them. No kernel may run meanwhile.
func Use(name string) error {
	e := slices.Index(Engines(), name)
	if e < 0 {
		return fmt.Errorf("engine %q is not among those of this machine: %s", name, strings.Join(Engines(), ", "))
	}
	level = engine(e)
	return nil
}

// Engine names the engine in use: portable, avx2, avx512 or avx512vnni.
func Engine() string { return engineNames[level] }

// HasVNNI reports whether products with 8-bit rows use VNNI.
func HasVNNI() bool { return level == vnniLevel }
