package safetensors

import (
	"encoding/binary"
	"fmt"
	"math"
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
)

// sizes lists the bytes of an element of every type that a header may name.
var sizes = map[DType]int{
	F64: 8, F32: 4, F16: 2, BF16: 2, I64: 8, I32: 4, U8: 1,
	"BOOL": 1, "I8": 1, "F8_E4M3": 1, "F8_E5M2": 1,
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

// Elements returns the product of the shape. It is meaningful for a tensor that
// has passed Check.
func (t Tensor) Elements() int {
	n := 1
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// Check reports a shape that does not fit the length of the data.
func (t Tensor) Check() error {
	size := t.DType.Size()
	if size == 0 {
		return fmt.Errorf("tensor %q: unknown element type %q", t.Name, t.DType)
	}
	want, ok := byteLength(t.Shape, size)
	if !ok {
		return fmt.Errorf("tensor %q: shape %v is negative or too large", t.Name, t.Shape)
	}
	if want != len(t.Data) {
		return fmt.Errorf("tensor %q: shape %v of %s takes %d bytes, but it has %d", t.Name, t.Shape, t.DType, want, len(t.Data))
	}
	return nil
}

// byteLength returns size times the product of shape, and whether that is a
// length that a slice can have.
func byteLength(shape []int, size int) (int, bool) {
	// A zero dimension makes the tensor empty however large the others are.
	empty := false
	for _, d := range shape {
		if d < 0 {
			return 0, false
		}
		empty = empty || d == 0
	}
	if empty {
		return 0, true
	}
	n := size
	for _, d := range shape {
		if n > math.MaxInt/d {
			return 0, false
		}
		n *= d
	}
	return n, true
}

// Float32s returns the elements of an F32 tensor: a view where the host is
// little-endian and the data aligned, otherwise a copy.
func (t Tensor) Float32s() ([]float32, error) {
	if t.DType != F32 {
		return nil, fmt.Errorf("tensor %q: element type is %s, want %s", t.Name, t.DType, F32)
	}
	if viewable(t.Data, 4) {
		return view[float32](t.Data, 4), nil
	}
	out := make([]float32, len(t.Data)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(t.Data[4*i:]))
	}
	return out, nil
}

// Int32s returns the elements of an I32 tensor: a view where the host is
// little-endian and the data aligned, otherwise a copy.
func (t Tensor) Int32s() ([]int32, error) {
	if t.DType != I32 {
		return nil, fmt.Errorf("tensor %q: element type is %s, want %s", t.Name, t.DType, I32)
	}
	if viewable(t.Data, 4) {
		return view[int32](t.Data, 4), nil
	}
	out := make([]int32, len(t.Data)/4)
	for i := range out {
		out[i] = int32(binary.LittleEndian.Uint32(t.Data[4*i:]))
	}
	return out, nil
}

// Halves returns the bits of the elements of an F16 or BF16 tensor: a view where
// the host is little-endian and the data aligned, otherwise a copy.
func (t Tensor) Halves() ([]uint16, error) {
	if t.DType != F16 && t.DType != BF16 {
		return nil, fmt.Errorf("tensor %q: element type is %s, want %s or %s", t.Name, t.DType, F16, BF16)
	}
	if viewable(t.Data, 2) {
		return view[uint16](t.Data, 2), nil
	}
	out := make([]uint16, len(t.Data)/2)
	for i := range out {
		out[i] = binary.LittleEndian.Uint16(t.Data[2*i:])
	}
	return out, nil
}

// FromFloat32s returns an F32 tensor that holds data, without a copy on a
// little-endian host.
func FromFloat32s(name string, data []float32, shape ...int) Tensor {
	t := Tensor{Name: name, DType: F32, Shape: shape}
	if littleEndian {
		t.Data = bytesOf(data, 4)
		return t
	}
	t.Data = make([]byte, 0, 4*len(data))
	for _, v := range data {
		t.Data = binary.LittleEndian.AppendUint32(t.Data, math.Float32bits(v))
	}
	return t
}

// FromHalves returns a tensor of type F16 or BF16 whose elements have the given
// bits, without a copy on a little-endian host.
func FromHalves(name string, dtype DType, bits []uint16, shape ...int) Tensor {
	t := Tensor{Name: name, DType: dtype, Shape: shape}
	if littleEndian {
		t.Data = bytesOf(bits, 2)
		return t
	}
	t.Data = make([]byte, 0, 2*len(bits))
	for _, v := range bits {
		t.Data = binary.LittleEndian.AppendUint16(t.Data, v)
	}
	return t
}

// FromInt32s returns an I32 tensor of one dimension that holds data, without a
// copy on a little-endian host.
func FromInt32s(name string, data []int32) Tensor {
	t := Tensor{Name: name, DType: I32, Shape: []int{len(data)}}
	if littleEndian {
		t.Data = bytesOf(data, 4)
		return t
	}
	t.Data = make([]byte, 0, 4*len(data))
	for _, v := range data {
		t.Data = binary.LittleEndian.AppendUint32(t.Data, uint32(v))
	}
	return t
}

// FromBytes returns a U8 tensor of one dimension that holds data.
func FromBytes(name string, data []byte) Tensor {
	return Tensor{Name: name, DType: U8, Shape: []int{len(data)}, Data: data}
}

// littleEndian says whether the host stores numbers as the format does.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// viewable reports whether data can be read as elements of the given size in
// place.
func viewable(data []byte, size uintptr) bool {
	return littleEndian && uintptr(unsafe.Pointer(unsafe.SliceData(data)))%size == 0
}

// view reinterprets data as elements of the given size.
func view[T any](data []byte, size int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(data))), len(data)/size)
}

// bytesOf reinterprets elements of the given size as bytes.
func bytesOf[T any](data []T, size int) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), len(data)*size)
}
