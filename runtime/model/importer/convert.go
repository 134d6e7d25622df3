package importer

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/efoc/efoc/kernels/half"
	"github.com/efoc/efoc/runtime/model/safetensors"
)

// readRow reads row i of a two-dimensional tensor as float32. It refuses values that are not finite.
func readRow(to []float32, t safetensors.Tensor, i int) error {
	bytes := t.Shape[1] * t.DType.Size()
	if err := decodeRow(to, t.Data[i*bytes:(i+1)*bytes], t.DType); err != nil {
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
			to[k] = half.Float16(binary.LittleEndian.Uint16(from[2*k:]))
		}
	case safetensors.BF16:
		for k := range to {
			to[k] = half.BFloat16(binary.LittleEndian.Uint16(from[2*k:]))
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
