package importer

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/nlpodyssey/gopickle/types"

	"github.com/efoc/efoc/runtime/safetensors"
)

// storageTypes maps PyTorch's storage classes to element types. Those that no
// embedding has are there for their sizes, so that they can be stepped over.
var storageTypes = map[string]safetensors.DType{
	"FloatStorage": safetensors.F32, "HalfStorage": safetensors.F16, "BFloat16Storage": safetensors.BF16, "DoubleStorage": safetensors.F64,
	"LongStorage": safetensors.I64, "IntStorage": safetensors.I32, "ByteStorage": safetensors.U8,
	"ShortStorage": "I16", "CharStorage": "I8", "BoolStorage": "BOOL",
}

// storageClass is a storage class of PyTorch, within a pickle.
type storageClass struct{ dtype safetensors.DType }

// storage is a run of numbers that tensors are views of. read, which is filled
// in once it is known where the numbers are, returns them.
type storage struct {
	key   string
	dtype safetensors.DType
	count int
	read  func() ([]byte, error)
}

// bytes returns the length of the storage, if that is a length that data can
// have.
func (s *storage) bytes() (int, error) {
	if s.count < 0 || s.count > math.MaxInt/s.dtype.Size() {
		return 0, fmt.Errorf("storage %q: %d elements", s.key, s.count)
	}
	return s.count * s.dtype.Size(), nil
}

// torchTensor is a view of a storage, within a pickle.
type torchTensor struct {
	storage        *storage
	offset         int
	shape, strides []int
}

// function is a Python function that efoc stands in for.
type function func(args []any) (any, error)

// Call calls it.
func (f function) Call(args ...any) (any, error) { return f(args) }

// findTorch resolves the few names that make up a state dict.
func findTorch(module, name string) any {
	switch module {
	case "torch", "torch.storage":
		if dtype, ok := storageTypes[name]; ok {
			return &storageClass{dtype}
		}
	case "torch._tensor":
		if name == "_rebuild_from_type_v2" {
			return function(rebuildFromType)
		}
	case "torch._utils":
		switch name {
		case "_rebuild_tensor", "_rebuild_tensor_v2":
			return function(rebuildTensor)
		case "_rebuild_parameter", "_rebuild_parameter_with_state":
			return function(firstArgument)
		}
	}
	return nil
}

// firstArgument is what a parameter is rebuilt to: its tensor.
func firstArgument(args []any) (any, error) {
	if len(args) == 0 {
		return nil, errors.New("parameter without data")
	}
	return args[0], nil
}

// rebuildTensor makes a view from storage, offset, shape and strides; further
// arguments do not matter. A storage of unknown type makes an inert tensor.
func rebuildTensor(args []any) (any, error) {
	if len(args) < 4 {
		return nil, fmt.Errorf("tensor of %d arguments, want at least 4", len(args))
	}
	s, ok := args[0].(*storage)
	if !ok {
		return &inert{class: "tensor"}, nil
	}
	t := &torchTensor{storage: s}
	var okOffset, okShape, okStrides bool
	t.offset, okOffset = args[1].(int)
	t.shape, okShape = intTuple(args[2])
	t.strides, okStrides = intTuple(args[3])
	if !okOffset || !okShape || !okStrides || len(t.shape) != len(t.strides) {
		return nil, errors.New("tensor without offset, shape and strides")
	}
	return t, nil
}

// rebuildFromType is how a tensor with attributes is made: a function, a type,
// the arguments of the function, and the attributes, which do not matter.
func rebuildFromType(args []any) (any, error) {
	if len(args) >= 3 {
		f, ok := args[0].(function)
		inner, okArgs := args[2].(*types.Tuple)
		if ok && okArgs {
			return f(*inner)
		}
	}
	return &inert{class: "tensor", state: args}, nil
}

// intTuple returns the numbers of a tuple or list.
func intTuple(value any) ([]int, bool) {
	var items []any
	switch v := value.(type) {
	case *types.Tuple:
		items = *v
	case *types.List:
		items = *v
	case *inert: // torch.Size
		if len(v.state) != 1 || v == v.state[0] {
			return nil, false
		}
		if _, again := v.state[0].(*inert); again {
			return nil, false
		}
		return intTuple(v.state[0])
	default:
		return nil, false
	}
	numbers := make([]int, len(items))
	for i, item := range items {
		n, ok := item.(int)
		if !ok {
			return nil, false
		}
		numbers[i] = n
	}
	return numbers, true
}

// storages collects the storages that a pickle refers to, by key.
type storages map[string]*storage

// load resolves a persistent id: ('storage', class, key, device, count), with a
// view in the old form; or ('module', class, ...).
func (s storages) load(id any) (any, error) {
	t, ok := id.(*types.Tuple)
	if !ok || t.Len() == 0 {
		return nil, errors.New("persistent id is not a tuple")
	}
	switch kind, _ := t.Get(0).(string); {
	case kind == "module" && t.Len() >= 2:
		return t.Get(1), nil
	case kind != "storage" || t.Len() < 5:
		return nil, fmt.Errorf("persistent id %q of %d items, want a storage", kind, t.Len())
	}
	class, known := t.Get(1).(*storageClass)
	key, okKey := storageKey(t.Get(2))
	count, okCount := t.Get(4).(int)
	if !okKey || !okCount || count < 0 {
		return nil, errors.New("storage without key and size")
	}
	if !known {
		return &inert{class: "storage"}, nil
	}
	root, ok := s[key]
	if !ok {
		root = &storage{key: key, dtype: class.dtype, count: count}
		s[key] = root
	}
	if root.dtype != class.dtype || root.count != count {
		return nil, fmt.Errorf("storage %q is described in two ways", key)
	}
	if t.Len() > 5 && t.Get(5) != nil {
		return root.view(t.Get(5))
	}
	return root, nil
}

// view returns the part of a storage that a triple (key, offset, count) names,
// as PyTorch before 0.4 wrote them.
func (s *storage) view(description any) (any, error) {
	t, ok := description.(*types.Tuple)
	if !ok || t.Len() != 3 {
		return nil, fmt.Errorf("storage %q: view without key, offset and size", s.key)
	}
	offset, okOffset := t.Get(1).(int)
	count, okCount := t.Get(2).(int)
	if !okOffset || !okCount || offset < 0 || count < 0 || count > s.count || offset > s.count-count {
		return nil, fmt.Errorf("storage %q of %d elements: a view leaves it", s.key, s.count)
	}
	part := &storage{key: s.key, dtype: s.dtype, count: count}
	part.read = func() ([]byte, error) {
		data, err := s.data()
		if err != nil {
			return nil, err
		}
		size := s.dtype.Size()
		return data[offset*size : (offset+count)*size], nil
	}
	return part, nil
}

// data returns the numbers of a storage, after a look at how many they are.
func (s *storage) data() ([]byte, error) {
	if s.read == nil {
		return nil, fmt.Errorf("storage %q is not in the file", s.key)
	}
	data, err := s.read()
	if err != nil {
		return nil, err
	}
	if want, err := s.bytes(); err != nil || len(data) != want {
		return nil, fmt.Errorf("storage %q of %d elements of %s has %d bytes", s.key, s.count, s.dtype, len(data))
	}
	return data, nil
}

// storageKey returns a key as text; old files have numbers.
func storageKey(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case int:
		return strconv.Itoa(v), true
	}
	return "", false
}

// place is the same for tensors that are views of the same numbers.
func (t *torchTensor) place() any {
	type place struct {
		storage *storage
		offset  int
		view    string
	}
	return place{t.storage, t.offset, fmt.Sprint(t.shape, t.strides)}
}

// resolve returns the numbers of a tensor. It refuses one that leaves its
// storage. The numbers are copied if they do not lie in order, as in a transposed
// tensor.
func (t *torchTensor) resolve(name string) (safetensors.Tensor, error) {
	out := safetensors.Tensor{Name: name, DType: t.storage.dtype, Shape: t.shape}
	size := out.DType.Size()
	elements, span, ordered := 1, 1, true
	for i := len(t.shape) - 1; i >= 0; i-- {
		d, stride := t.shape[i], t.strides[i]
		if d < 0 || d > 0 && elements > math.MaxInt/size/d {
			return out, fmt.Errorf("tensor %q: shape %v is negative or too large", name, t.shape)
		}
		if d > 1 {
			// Elements that share a place would be more than there are numbers.
			if stride <= 0 || stride > t.storage.count {
				return out, fmt.Errorf("tensor %q: strides %v of shape %v repeat or leave the storage: save it again after .contiguous()", name, t.strides, t.shape)
			}
			ordered = ordered && stride == elements
			if d-1 > (math.MaxInt-span)/stride {
				return out, fmt.Errorf("tensor %q: shape %v is negative or too large", name, t.shape)
			}
			span += (d - 1) * stride
		}
		elements *= d
	}
	if elements == 0 {
		span = 0
	}
	if t.offset < 0 || max(span, elements) > t.storage.count || t.offset > t.storage.count-span {
		return out, fmt.Errorf("tensor %q: %d elements at %d do not fit into a storage of %d", name, elements, t.offset, t.storage.count)
	}
	data, err := t.storage.data()
	if err != nil {
		return out, fmt.Errorf("tensor %q: %w", name, err)
	}
	out.Data = data[t.offset*size : (t.offset+span)*size]
	if !ordered && elements > 0 {
		out.Data = t.gather(make([]byte, 0, elements*size), out.Data, 0, 0)
	}
	return out, out.Check()
}

// gather appends the elements of the dimensions from dim on that start at
// element at of data.
func (t *torchTensor) gather(out, data []byte, dim, at int) []byte {
	size := t.storage.dtype.Size()
	if dim == len(t.shape) {
		return append(out, data[at*size:(at+1)*size]...)
	}
	for i := range t.shape[dim] {
		out = t.gather(out, data, dim+1, at+i*t.strides[dim])
	}
	return out
}
