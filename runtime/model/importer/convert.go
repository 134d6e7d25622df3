package importer

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/efoc/efoc/kernels/ref"
	"github.com/efoc/efoc/runtime/model/safetensors"
)

// rowBatch is the number of rows between two checks of the context.
const rowBatch = 1 << 10

// rowTable reads rows of a two-dimensional tensor one by one, as float32.
type rowTable struct {
	tensor safetensors.Tensor
	// rows, if not nil, maps row i to a row of the tensor.
	rows []int32
}

func newRowTable(t safetensors.Tensor, rows []int32) (rowTable, error) {
	return rowTable{tensor: t, rows: rows}, decodeRow(nil, nil, t.DType)
}

// len returns the number of rows.
func (r *rowTable) len() int {
	if r.rows != nil {
		return len(r.rows)
	}
	return r.tensor.Shape[0]
}

// row reads row i. It refuses values that are not finite.
func (r *rowTable) row(to []float32, i int) error {
	if r.rows != nil {
		i = int(r.rows[i])
	}
	bytes := r.tensor.Shape[1] * r.tensor.DType.Size()
	if err := decodeRow(to, r.tensor.Data[i*bytes:(i+1)*bytes], r.tensor.DType); err != nil {
		return err
	}
	for k, v := range to {
		if v-v != 0 {
			return fmt.Errorf("row %d column %d is %v: the checkpoint is unusable", i, k, v)
		}
	}
	return nil
}

func decodeRow(to []float32, from []byte, dtype safetensors.DType) error {
	switch dtype {
	case safetensors.F32:
		for k := range to {
			to[k] = math.Float32frombits(binary.LittleEndian.Uint32(from[4*k:]))
		}
	case safetensors.F16:
		for k := range to {
			to[k] = ref.F16(binary.LittleEndian.Uint16(from[2*k:]))
		}
	case safetensors.BF16:
		for k := range to {
			to[k] = ref.BF16(binary.LittleEndian.Uint16(from[2*k:]))
		}
	case safetensors.F64:
		for k := range to {
			to[k] = float32(math.Float64frombits(binary.LittleEndian.Uint64(from[8*k:])))
		}
	default:
		return fmt.Errorf("elements are %s, want F32, F16, BF16 or F64", dtype)
	}
	return nil
}
