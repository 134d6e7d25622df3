package simd

import (
	"fmt"
	"strings"
)

// An engine is one of the packages that compute the kernels.
type engine int

const (
	refLevel engine = iota
	avx2Level
	avx512Level
)

var engineNames = [...]string{"portable", "avx2", "avx512"}

// Engines names the engines that this machine has, portable first, the best one last.
func Engines() []string { return engineNames[:best()+1] }

// Use makes an engine of Engines compute all kernels from now on: tests compare the
// engines with it. No kernel may run meanwhile.
func Use(name string) error {
	for i, known := range Engines() {
		if name == known {
			setLevel(engine(i))
			return nil
		}
	}
	return fmt.Errorf("engine %q is not among those of this machine: %s", name, strings.Join(Engines(), ", "))
}

// Engine names what computes the kernels: portable, avx2 or avx512.
func Engine() string { return engineNames[level] }
