package importer

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/efoc/efoc/kernels/ref"
	"github.com/efoc/efoc/runtime/safetensors"
)

// rowBatch is the number of rows between two looks at the context.
const rowBatch = 1 << 10

// toFloat32 returns the table of a tensor of two dimensions as float32, with
// the real half of each row first. Values that are not finite are refused.
func (im *importer) toFloat32(ctx context.Context, t safetensors.Tensor) ([]float32, error) {
	rows, width := t.Shape[0], t.Shape[1]
	out := make([]float32, rows*width)
	raw := make([]float32, width)
	size := t.DType.Size()
	for r := range rows {
		if r%rowBatch == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			im.progress(StageCheckpoint, int64(r), int64(rows))
		}
		to := out[r*width : (r+1)*width]
		if im.options.Layout.Interleaved {
			to = raw
		}
		if err := decodeRow(to, t.Data[r*width*size:(r+1)*width*size], t.DType); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", t.Name, err)
		}
		for k, v := range to {
			if v-v != 0 {
				return nil, fmt.Errorf("tensor %q: row %d column %d is %v: the checkpoint is unusable", t.Name, r, k, v)
			}
		}
		if im.options.Layout.Interleaved {
			splitHalves(out[r*width:(r+1)*width], raw)
		}
	}
	im.progress(StageCheckpoint, int64(rows), int64(rows))
	return out, nil
}

// splitHalves copies a row of alternating parts to one of two halves.
func splitHalves(to, from []float32) {
	d := len(from) / 2
	for k := range d {
		to[k], to[d+k] = from[2*k], from[2*k+1]
	}
}

// decodeRow converts little-endian numbers.
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
