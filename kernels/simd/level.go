package simd

// An engine is one of the packages that compute the kernels.
type engine int

const (
	refLevel engine = iota
	avx2Level
	avx512Level
)

var engineNames = [...]string{"portable", "avx2", "avx512"}

// Engine names what computes the kernels: portable, avx2 or avx512.
func Engine() string { return engineNames[level] }
