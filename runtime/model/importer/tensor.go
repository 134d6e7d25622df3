package importer

import "github.com/efoc/efoc/runtime/model/safetensors"

// candidate is a tensor that may be requested.
type candidate struct {
	name  string
	shape []int
	dtype safetensors.DType
	read  func() (safetensors.Tensor, error)
	// place identifies the data of a tensor, for tensors with two names; it is empty if unknown.
	place string
	// scorer is the scorer that the file names for the tensor, empty if it names none.
	scorer string
}

// asRead returns the candidate for a tensor that is already read.
func asRead(t safetensors.Tensor) candidate {
	return candidate{name: t.Name, shape: t.Shape, dtype: t.DType, read: func() (safetensors.Tensor, error) { return t, nil }}
}

// joined returns a table, or one with the rows of a second one after its own.
func joined(first, second []candidate) candidate {
	a := first[0]
	if len(second) == 0 {
		return a
	}
	b := second[0]
	name := a.name + " and " + b.name
	out := candidate{name: name, dtype: a.dtype, scorer: a.scorer, shape: nil}
	if len(a.shape) != 2 || len(b.shape) != 2 || a.shape[0] != b.shape[0] || a.dtype != b.dtype {
		out.shape = []int{0, 0} // not the shape of a table
		return out
	}
	out.shape = []int{a.shape[0], a.shape[1] + b.shape[1]}
	out.read = func() (t safetensors.Tensor, err error) {
		var parts [2]safetensors.Tensor
		for i, c := range []candidate{a, b} {
			parts[i], err = c.read()
			if err != nil {
				return t, err
			}
		}
		size := a.dtype.Size()
		t = safetensors.Tensor{Name: name, DType: a.dtype, Shape: out.shape, Data: make([]byte, 0, len(parts[0].Data)+len(parts[1].Data))}
		for i := range a.shape[0] {
			for _, p := range parts {
				row := p.Shape[1] * size
				t.Data = append(t.Data, p.Data[i*row:(i+1)*row]...)
			}
		}
		return t, nil
	}
	return out
}
