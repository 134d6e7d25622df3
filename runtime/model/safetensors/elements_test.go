package safetensors

import (
	"slices"
	"testing"
)

// TestElementsUnaligned reads elements from data at odd addresses, which is copied.
func TestElementsUnaligned(t *testing.T) {
	at := func(d DType, data ...byte) Tensor {
		return Tensor{Name: "a", DType: d, Data: append([]byte{0}, data...)[1:]}
	}
	if got, err := Elements[float32](at(F32, 0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0)); err != nil || !slices.Equal(got, []float32{1, -2}) {
		t.Errorf("float32: %v, %v, want 1 and -2", got, err)
	}
	if got, err := Elements[int32](at(I32, 1, 2, 0, 0, 0xff, 0xff, 0xff, 0xff)); err != nil || !slices.Equal(got, []int32{513, -1}) {
		t.Errorf("int32: %v, %v, want 513 and -1", got, err)
	}
	if got, err := Elements[uint16](at(BF16, 0x80, 0x3f)); err != nil || !slices.Equal(got, []uint16{0x3f80}) {
		t.Errorf("bfloat16: %x, %v, want 3f80", got, err)
	}
}
