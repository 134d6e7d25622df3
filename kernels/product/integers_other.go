//go:build !amd64 || noasm

package product

// HasIntegers reports whether this machine multiplies Integers.
func HasIntegers() bool { return false }

// AddNumbers needs HasIntegers.
func (*Integers) AddNumbers(_, _ []float32) (float32, bool) { panic("product: no unit for integers") }

// Mul needs HasIntegers.
func (*Integers) Mul(*IntegerRoom, int, []int8, []int8, []float32) {
	panic("product: no unit for integers")
}

// Rows needs HasIntegers.
func (*Totals) Rows(int, []int8, []int8, int, int) { panic("product: no unit for integers") }

// Weigh needs HasIntegers.
func (*Totals) Weigh(int, []float32, []float32) bool { panic("product: no unit for integers") }

// AddTo needs HasIntegers.
func (*Totals) AddTo([]float32, int) { panic("product: no unit for integers") }
