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

// Float32s returns the elements of an F32 tensor: a view where the host is
// little-endian and the data aligned, otherwise a copy.
func (t Tensor) Float32s() ([]float32, error) { return elements[float32](t, "F32") }

// Int32s returns the elements of an I32 tensor: a view where the host is
// little-endian and the data aligned, otherwise a copy.
func (t Tensor) Int32s() ([]int32, error) { return elements[int32](t, "I32") }

// Halves returns the bits of the elements of an F16 or BF16 tensor: a view where
// the host is little-endian and the data aligned, otherwise a copy.
func (t Tensor) Halves() ([]uint16, error) { return elements[uint16](t, "F16 or BF16") }

// Int8s returns the elements of an I8 tensor: a view.
func (t Tensor) Int8s() ([]int8, error) { return elements[int8](t, "I8") }

// FromFloat32s returns an F32 tensor that holds data, without a copy on a
// little-endian host.
func FromFloat32s(name string, data []float32, shape ...int) Tensor {
	return Tensor{Name: name, DType: F32, Shape: shape, Data: encode(data)}
}

// FromHalves returns a tensor of type F16 or BF16 whose elements have the given
// bits, without a copy on a little-endian host.
func FromHalves(name string, dtype DType, bits []uint16, shape ...int) Tensor {
	return Tensor{Name: name, DType: dtype, Shape: shape, Data: encode(bits)}
}

// FromInt32s returns an I32 tensor of one dimension that holds data, without a
// copy on a little-endian host.
func FromInt32s(name string, data []int32) Tensor {
	return Tensor{Name: name, DType: I32, Shape: []int{len(data)}, Data: encode(data)}
}

// FromBytes returns a U8 tensor that holds data: of the given shape, or of one dimension if
// none is given.
func FromBytes(name string, data []byte, shape ...int) Tensor {
	if shape == nil {
		shape = []int{len(data)}
	}
	return Tensor{Name: name, DType: U8, Shape: shape, Data: data}
}

// FromInt8s returns an I8 tensor that holds data, without a copy.
func FromInt8s(name string, data []int8, shape ...int) Tensor {
	return Tensor{Name: name, DType: I8, Shape: shape, Data: encode(data)}
}

// littleEndian says whether the host stores numbers as the format does.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

type element interface {
	float32 | int32 | uint16 | int8
}

// elements returns the elements of a tensor of one of the given types, "A or B".
func elements[T element](t Tensor, types string) ([]T, error) {
	if !slices.Contains(strings.Split(types, " or "), string(t.DType)) {
		return nil, fmt.Errorf("tensor %q: element type is %s, want %s", t.Name, t.DType, types)
	}
	size, start := unsafe.Sizeof(T(0)), unsafe.Pointer(unsafe.SliceData(t.Data))
	n := len(t.Data) / int(size)
	if littleEndian && uintptr(start)%size == 0 {
		return unsafe.Slice((*T)(start), n), nil
	}
	out := make([]T, n)
	_, err := binary.Decode(t.Data, binary.LittleEndian, out)
	return out, err
}

func encode[T element](data []T) []byte {
	if littleEndian {
		return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), len(data)*int(unsafe.Sizeof(T(0))))
	}
	out, _ := binary.Append(nil, binary.LittleEndian, data) // fails for other types only
	return out
}
