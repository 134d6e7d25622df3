package safetensors

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"unsafe"
)

// DType is the type of a tensor's elements, spelt as in a header.
type DType string

// The element types that have typed views or a use in checkpoints.
const (
	F64  DType = "F64"
	F32  DType = "F32"
	F16  DType = "F16"
	BF16 DType = "BF16"
	I64  DType = "I64"
	I32  DType = "I32"
	U8   DType = "U8"
	I8   DType = "I8"
)

// sizes lists the bytes of an element of every type that a header may name.
var sizes = map[DType]int{
	F64: 8, F32: 4, F16: 2, BF16: 2, I64: 8, I32: 4, U8: 1,
	"BOOL": 1, I8: 1, "F8_E4M3": 1, "F8_E5M2": 1,
	"I16": 2, "U16": 2, "U32": 4, "U64": 8,
}

// Size returns the bytes of an element, 0 for an unknown type.
func (d DType) Size() int { return sizes[d] }

// Tensor is a named array in row-major order.
type Tensor struct {
	Name  string
	DType DType
	// Shape lists the dimensions, outermost first; it is empty for a scalar.
	Shape []int
	// Data holds the elements in little-endian order. In a tensor that was read
	// it is a view into the file and must not be written to.
	Data []byte
}

// Check reports a shape that does not fit the length of the data.
func (t Tensor) Check() error {
	want, err := t.bytes()
	if err == nil && want != len(t.Data) {
		err = fmt.Errorf("tensor %q: shape %v of %s takes %d bytes, but it has %d", t.Name, t.Shape, t.DType, want, len(t.Data))
	}
	return err
}

// bytes returns the length of the data that a tensor of its type and shape has.
func (t Tensor) bytes() (int, error) {
	size := t.DType.Size()
	if size == 0 {
		return 0, fmt.Errorf("tensor %q: unknown element type %q", t.Name, t.DType)
	}
	if slices.Contains(t.Shape, 0) {
		size = 0 // the tensor is empty however large the others are
	}
	for _, d := range t.Shape {
		if d < 0 || d > 0 && size > math.MaxInt/d {
			return 0, fmt.Errorf("tensor %q: shape %v is negative or too large", t.Name, t.Shape)
		}
		size *= d
	}
	return size, nil
}

// Element is a type of elements with typed views: float32, int32, int8 and uint8 for the types
// of these names, uint16 for the bits of F16 and BF16.
type Element interface {
	float32 | int32 | uint16 | int8 | uint8
}

// typesOf names the types whose elements T has.
func typesOf[T Element]() string {
	switch any(T(0)).(type) {
	case float32:
		return "F32"
	case int32:
		return "I32"
	case int8:
		return "I8"
	case uint8:
		return "U8"
	}
	return "F16 or BF16"
}

// From returns a tensor that holds data, without a copy on a little-endian host: of the given
// shape, or of one dimension if none is given. uint16 are taken for F16.
func From[T Element](name string, data []T, shape ...int) Tensor {
	if shape == nil {
		shape = []int{len(data)}
	}
	dtype, _, _ := strings.Cut(typesOf[T](), " or ")
	return Tensor{Name: name, DType: DType(dtype), Shape: shape, Data: encode(data)}
}

// littleEndian says whether the host stores numbers as the format does.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// Elements returns the elements of a tensor, which must be of the type: a view where the host
// is little-endian and the data aligned, otherwise a copy.
func Elements[T Element](t Tensor) ([]T, error) {
	if types := typesOf[T](); !slices.Contains(strings.Split(types, " or "), string(t.DType)) {
		return nil, fmt.Errorf("tensor %q: element type is %s, want %s", t.Name, t.DType, types)
	}
	size := unsafe.Sizeof(T(0))
	start := unsafe.Pointer(unsafe.SliceData(t.Data))
	n := len(t.Data) / int(size)
	if littleEndian && uintptr(start)%size == 0 {
		return unsafe.Slice((*T)(start), n), nil
	}
	out := make([]T, n)
	_, err := binary.Decode(t.Data, binary.LittleEndian, out)
	return out, err
}

func encode[T Element](data []T) []byte {
	if littleEndian {
		return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), len(data)*int(unsafe.Sizeof(T(0))))
	}
	out, _ := binary.Append(nil, binary.LittleEndian, data) // fails for other types only
	return out
}
