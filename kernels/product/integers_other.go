//go:build !amd64 || noasm

package product

// HasIntegers reports whether this machine multiplies Integers.
func HasIntegers() bool { return false }

// Mul needs HasIntegers.
func (*Integers) Mul(*IntegerRoom, int, []int8, []int8, []float32) {
	panic("product: no unit for integers")
}
