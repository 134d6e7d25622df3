package importer

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/efoc/efoc/runtime/model/importer/pickle"
	"github.com/efoc/efoc/runtime/model/safetensors"
)

// storageTypes maps PyTorch's storage classes to element types. Types unsuitable for embeddings are listed for their
// sizes, so that the reader can skip them.
var storageTypes = map[string]safetensors.DType{
	"FloatStorage": safetensors.F32, "HalfStorage": safetensors.F16, "BFloat16Storage": safetensors.BF16, "DoubleStorage": safetensors.F64,
	"LongStorage": safetensors.I64, "IntStorage": safetensors.I32, "ByteStorage": safetensors.U8,
	"ShortStorage": "I16", "CharStorage": "I8", "BoolStorage": "BOOL",
}

// storage is a run of numbers that tensors are views of. read, which is set once the numbers are located, returns
// them.
type storage struct {
	key   string
	dtype safetensors.DType
	count int
	read  func() ([]byte, error)
}

// torchTensor is a view of a storage, within a pickle.
type torchTensor struct {
	storage        *storage
	offset         int
	shape, strides []int
}

// maxDims is the largest number of dimensions that PyTorch allows.
const maxDims = 64

// rebuildTensor makes a view from storage, offset, shape and strides, and ignores further arguments. It returns nil
// for a storage of unknown type.
func (s *storages) rebuildTensor(d *pickle.Decoder, args []pickle.Value) (*torchTensor, error) {
	if len(args) < 4 {
		return nil, fmt.Errorf("tensor of %d arguments, want at least 4", len(args))
	}
	reference, ok := d.Reference(args[0])
	if !ok || s.references[reference] == nil {
		return nil, nil
	}
	t := &torchTensor{storage: s.references[reference]}
	var okOffset, okShape, okStrides bool
	t.offset, okOffset = integer(d, args[1])
	t.shape, okShape = integers(d, args[2])
	t.strides, okStrides = integers(d, args[3])
	if !okOffset || !okShape || !okStrides || len(t.shape) != len(t.strides) {
		return nil, errors.New("tensor without offset, shape and strides")
	}
	return t, nil
}

func integer(d *pickle.Decoder, v pickle.Value) (int, bool) {
	n, ok := d.Int64(v)
	return int(n), ok && int64(int(n)) == n
}

// integers returns the numbers of a tuple, list or torch.Size.
func integers(d *pickle.Decoder, v pickle.Value) (numbers []int, ok bool) {
	if _, args, _, size := d.Object(v); size && len(args) == 1 {
		v = args[0]
	}
	if v.Kind() != pickle.Tuple && v.Kind() != pickle.List {
		return nil, false
	}
	for item := range d.Elements(v) {
		n, ok := integer(d, item)
		if !ok || len(numbers) == maxDims {
			return nil, false
		}
		numbers = append(numbers, n)
	}
	return numbers, true
}

type storages struct {
	byKey map[string]*storage
	// references holds the storage of every reference, nil for a reference to anything else, or to a storage of
	// unknown type.
	references []*storage
}

func readStorages(d *pickle.Decoder) (*storages, error) {
	s := &storages{byKey: map[string]*storage{}}
	for _, id := range d.References() {
		part, err := s.resolve(d, id)
		if err != nil {
			return nil, err
		}
		s.references = append(s.references, part)
	}
	return s, nil
}

// resolve resolves a reference: ('storage', class, key, device, count); or
// ('module', class, ...).
func (s *storages) resolve(d *pickle.Decoder, id pickle.Value) (*storage, error) {
	t, _ := d.Tuple(id)
	if len(t) == 0 {
		return nil, errors.New("persistent id is not a tuple")
	}
	switch kind, _ := d.Text(t[0]); {
	case kind == "module" && len(t) >= 2:
		return nil, nil
	case kind != "storage" || len(t) < 5:
		return nil, fmt.Errorf("persistent id %.100q of %d items, want a storage", kind, len(t))
	}
	module, class, _ := d.Class(t[1])
	dtype, known := storageTypes[class]
	key, okKey := keyText(d, t[2])
	count, okCount := integer(d, t[4])
	if !okKey || !okCount || count < 0 {
		return nil, errors.New("storage without key and size")
	}
	if !known || module != "torch" && module != "torch.storage" {
		return nil, nil
	}
	root, ok := s.byKey[key]
	if !ok {
		root = &storage{key: key, dtype: dtype, count: count}
		s.byKey[key] = root
	}
	if root.dtype != dtype || root.count != count {
		return nil, fmt.Errorf("storage %.100q is described in two ways", key)
	}
	return root, nil
}

// data returns the numbers of a storage, after checking their count.
func (s *storage) data() ([]byte, error) {
	if s.read == nil {
		return nil, fmt.Errorf("storage %q is not in the file", s.key)
	}
	data, err := s.read()
	if err != nil {
		return nil, err
	}
	if size := s.dtype.Size(); len(data)%size != 0 || len(data)/size != s.count {
		return nil, fmt.Errorf("storage %q of %d elements of %s has %d bytes", s.key, s.count, s.dtype, len(data))
	}
	return data, nil
}

// keyText returns a key of a storage or dict, a text or a number, as text.
func keyText(d *pickle.Decoder, v pickle.Value) (string, bool) {
	if n, ok := integer(d, v); ok {
		return strconv.Itoa(n), true
	}
	return d.Text(v)
}

// place identifies the numbers of a tensor: views of the same numbers have the same place.
func (t *torchTensor) place() string { return fmt.Sprint(t.storage.key, t.offset, t.shape, t.strides) }

// resolve returns the numbers of a tensor. It refuses one that exceeds its storage, or whose numbers are not
// contiguous there, such as a transposed tensor.
func (t *torchTensor) resolve(name string) (safetensors.Tensor, error) {
	out := safetensors.Tensor{Name: name, DType: t.storage.dtype, Shape: t.shape}
	size := out.DType.Size()
	elements := 1
	ordered := true
	for i := len(t.shape) - 1; i >= 0; i-- {
		d := t.shape[i]
		if d < 0 || d > 0 && elements > math.MaxInt/size/d {
			return out, fmt.Errorf("tensor %q: shape %v is negative or too large", name, t.shape)
		}
		ordered = ordered && (d < 2 || t.strides[i] == elements)
		elements *= d
	}
	if !ordered {
		return out, fmt.Errorf("tensor %q: strides %v of shape %v are not those of numbers in order: save it again after .contiguous()", name, t.strides, t.shape)
	}
	if t.offset < 0 || elements > t.storage.count || t.offset > t.storage.count-elements {
		return out, fmt.Errorf("tensor %q: %d elements at %d do not fit into a storage of %d", name, elements, t.offset, t.storage.count)
	}
	data, err := t.storage.data()
	if err != nil {
		return out, fmt.Errorf("tensor %q: %w", name, err)
	}
	out.Data = data[t.offset*size : (t.offset+elements)*size]
	return out, out.Check()
}
