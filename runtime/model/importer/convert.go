package importer

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/efoc/efoc/kernels/ref"
	"github.com/efoc/efoc/runtime/model/safetensors"
)

// rowBatch is the number of rows between two checks of the context.
const rowBatch = 1 << 10

// toFloat32 returns the table of a tensor of two dimensions as float32. If rows
// is not nil, row i of the result is row rows[i] of the tensor. Values that are
// not finite are refused.
func (im *importer) toFloat32(ctx context.Context, t safetensors.Tensor, rows []int32) ([]float32, error) {
	count, width := t.Shape[0], t.Shape[1]
	if rows != nil {
		count = len(rows)
	}
	out := make([]float32, count*width)
	size := t.DType.Size()
	for i := range count {
		if i%rowBatch == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			im.progress(StageCheckpoint, int64(i), int64(count))
		}
		r := i
		if rows != nil {
			r = int(rows[i])
		}
		to := out[i*width : (i+1)*width]
		if err := decodeRow(to, t.Data[r*width*size:(r+1)*width*size], t.DType); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", t.Name, err)
		}
		for k, v := range to {
			if v-v != 0 {
				return nil, fmt.Errorf("tensor %q: row %d column %d is %v: the checkpoint is unusable", t.Name, r, k, v)
			}
		}
	}
	im.progress(StageCheckpoint, int64(count), int64(count))
	return out, nil
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
