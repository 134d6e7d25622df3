package device

import (
	"encoding/binary"

	"github.com/efoc/efoc/kernels/cuda"
)

// modelHeader mirrors Model in kernels/cuda/src/model.cuh.
type modelHeader struct {
	N, Width, Stride            int64
	Entities, Norms, Relations  cuda.Pointer
	First, Heads, Starts, Tails cuda.Pointer
}

// runHeader mirrors Run in kernels/cuda/src/model.cuh.
type runHeader struct {
	Vectors, Embeddings, Stats, Partials, Coefficients, Packed, Keys, Best, Arguments cuda.Pointer

	VectorStride, Batch, Blocks, Slots, KeyStride int64
	MapBlocks, SweepBlocks, Splits, K             int64
	Queries, Constants                            int64
	Lambda, Alpha, Weight, Epsilon                float64
}

// putHeader appends a header the way that kernels read it.
func putHeader(to []byte, header any) []byte {
	to, _ = binary.Append(to, binary.LittleEndian, header) // both headers have a fixed size
	return to
}
