//go:build !amd64 || noasm

package product

func detect() []unit { return []unit{float32s} }

func multipliesBytes() bool { return false }

// panels is empty: no unit on this platform multiplies panels.
type panels struct{}

func (*panels) pack(*Matrix, Terms, bool) { panic("product: no unit for bfloat16 numbers") }

func (*panels) bytes() int64 { return 0 }

func multiplyPanels([]float32, int, *operand, *operand, mode) {
	panic("product: no unit for bfloat16 numbers")
}
