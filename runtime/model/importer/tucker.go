package importer

import (
	"fmt"
	"math"
	"slices"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model/safetensors"
)

// The epsilon that PyTorch's batch normalisation adds to a variance.
const epsilon = 1e-5

// affine is a batch normalisation after training: x becomes scale·x + shift, number by number.
type affine struct{ scale, shift []float32 }

// contract converts TuckER to RESCAL: the matrix of a relation is the product of its row with the core, which gives
// TuckER's scores (Balažević et al. 2019, equation 1). PyKEEN's core is indexed by the numbers of head, relation and
// tail; LibKGE's by those of both entities and then the relation. PyKEEN's batch normalisations of the head and of
// the product become part of the matrix. As they add vectors, rows of entities get a constant at their end.
func (c *checkpoint) contract(pair *tablePair, core candidate) error {
	entity := pair.entity
	relation := pair.relation
	for _, t := range []candidate{entity, relation} {
		if len(t.shape) != 2 {
			return nil // refused later as the shape of a table
		}
	}
	d := entity.shape[1]
	k := relation.shape[1]
	if !slices.Equal(core.shape, []int{d, k, d}) && !slices.Equal(core.shape, []int{d * d, k}) {
		return fmt.Errorf("%s: tensor %q has shape %v, want %v or %v for the rows of %q and %q", c.path, core.name, core.shape, []int{d, k, d}, []int{d * d, k}, entity.name, relation.name)
	}
	before, found, err := c.normalisation("interaction.head_batch_norm", d)
	if err != nil {
		return err
	}
	after, foundAfter, err := c.normalisation("interaction.head_relation_batch_norm", d)
	if err != nil {
		return err
	}
	width := d
	if found || foundAfter {
		width = d + 2 - d%2
		pair.entity = withConstant(entity, width, pair.constant)
	}
	pair.relation.shape = []int{relation.shape[0], width * width}
	pair.relation.read = func() (t safetensors.Tensor, err error) {
		slices, err := coreSlices(core, d, k, width, before, after, *pair.constant)
		if err != nil {
			return t, err
		}
		rows, err := readRows(relation)
		if err != nil {
			return t, err
		}
		matrices := make([]float32, rows.len()*width*width)
		row := make([]float32, k)
		for r := range rows.len() {
			if err := rows.row(row, r); err != nil {
				return t, fmt.Errorf("tensor %q: %w", relation.name, err)
			}
			matrix := matrices[r*width*width:][:width*width]
			simd.AxpyRows(matrix, slices, row)
			if width > d {
				last := matrix[(width-1)*width:]
				for i, v := range after.shift {
					last[i] += v / *pair.constant
				}
			}
		}
		return safetensors.From(relation.name, matrices, rows.len(), width*width), nil
	}
	return nil
}

// coreSlices returns the matrices weighted by a relation's numbers, k × width × width, with both normalisations of a
// head's row that ends in the constant.
func coreSlices(core candidate, d, k, width int, before, after affine, constant float32) ([]float32, error) {
	tensor, err := core.read()
	if err != nil {
		return nil, err
	}
	list := make([]float32, k*width*width)
	byTail := len(tensor.Shape) == 3 // rows are indexed by the tail's numbers, otherwise by the relation's
	if byTail {
		tensor.Shape = []int{d * k, d}
	}
	rows, err := newRowTable(tensor, nil)
	if err != nil {
		return nil, err
	}
	row := make([]float32, tensor.Shape[1])
	for i := range rows.len() {
		if err := rows.row(row, i); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", core.name, err)
		}
		for n, v := range row {
			head := i / d
			number := n
			tail := i % d
			if byTail {
				head = i / k
				number = i % k
				tail = n
			}
			matrix := list[number*width*width:][:width*width]
			v *= after.scale[tail]
			matrix[head*width+tail] = v * before.scale[head]
			if width > d {
				matrix[(width-1)*width+tail] += v * before.shift[head] / constant
			}
		}
	}
	return list, nil
}

// normalisation returns the batch normalisation of d numbers with that name, and whether it exists; otherwise it is
// the identity.
func (c *checkpoint) normalisation(name string, d int) (a affine, found bool, err error) {
	a = affine{make([]float32, d), make([]float32, d)}
	if len(c.named(name+".running_mean")) == 0 {
		for i := range d {
			a.scale[i] = 1
		}
		return a, false, nil
	}
	var lists [4][]float32
	for i, part := range []string{"weight", "bias", "running_mean", "running_var"} {
		there := c.named(name + "." + part)
		if len(there) != 1 {
			return a, false, fmt.Errorf("%s: there are %d tensors %s.%s, want one; there are %s", c.path, len(there), name, part, c.describe())
		}
		t := there[0]
		if !slices.Equal(t.shape, []int{d}) {
			return a, false, fmt.Errorf("%s: tensor %q has shape %v, want %v", c.path, t.name, t.shape, []int{d})
		}
		t.shape = []int{1, d}
		rows, err := readRows(t)
		if err == nil {
			lists[i] = make([]float32, d)
			err = rows.row(lists[i], 0)
		}
		if err != nil {
			return a, false, fmt.Errorf("%s: tensor %q: %w", c.path, t.name, err)
		}
	}
	for i := range d {
		if lists[3][i] < 0 {
			return a, false, fmt.Errorf("%s: tensor %s.running_var: number %d is %v, want at least 0", c.path, name, i, lists[3][i])
		}
		a.scale[i] = lists[0][i] / float32(math.Sqrt(float64(lists[3][i])+epsilon))
		a.shift[i] = lists[1][i] - lists[2][i]*a.scale[i]
	}
	return a, true, nil
}

// readRows returns the rows of a tensor of any shape.
func readRows(c candidate) (rowTable, error) {
	t, err := c.read()
	if err != nil {
		return rowTable{}, err
	}
	t.Shape = c.shape
	return newRowTable(t, nil)
}

// withConstant returns a table whose rows end in a constant: the root mean square of all numbers, which is small
// enough for cosines and 8-bit codes, and not too small as a factor.
func withConstant(c candidate, width int, constant *float32) candidate {
	out := c
	out.shape, out.dtype = []int{c.shape[0], width}, safetensors.F32
	out.read = func() (t safetensors.Tensor, err error) {
		rows, err := readRows(c)
		if err != nil {
			return t, err
		}
		list := make([]float32, c.shape[0]*width)
		sum := 0.0
		for i := range c.shape[0] {
			row := list[i*width:][:c.shape[1]]
			if err := rows.row(row, i); err != nil {
				return t, fmt.Errorf("tensor %q: %w", c.name, err)
			}
			for _, v := range row {
				sum += float64(v) * float64(v)
			}
		}
		*constant = float32(math.Sqrt(sum / float64(c.shape[0]*c.shape[1])))
		if *constant == 0 {
			*constant = 1
		}
		for i := range c.shape[0] {
			list[(i+1)*width-1] = *constant
		}
		return safetensors.From(c.name, list, c.shape[0], width), nil
	}
	return out
}
