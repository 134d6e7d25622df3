package device

import (
	"encoding/binary"

	"github.com/efoc/efoc/kernels/cuda"
)

// modelHeader mirrors Model in kernels/cuda/src/model.cuh.
type modelHeader struct {
	N, Width, Stride                   int64
	Entities, Scales, Norms, Relations cuda.Pointer
	First, Heads, Starts, Tails        cuda.Pointer
	Power                              float64
}

// input mirrors Input in kernels/cuda/src/model.cuh.
type input struct {
	Queries                        int64
	Lambda, Alpha, Weight, Epsilon float64
}

// runHeader mirrors Run in kernels/cuda/src/model.cuh.
type runHeader struct {
	Input, Arguments                                                               cuda.Pointer
	Vectors, Embeddings, Stats, Partials, Coefficients, Packed, States, Keys, Best cuda.Pointer

	VectorStride, Batch, Blocks, Slots, KeyStride  int64
	MapBlocks, SweepBlocks, ResidualBlocks, Splits int64
	K, Constants                                   int64
}

// vector returns where a vector is, of a query of the batch.
func (h *runHeader) vector(number, query int) cuda.Pointer {
	return h.Vectors + cuda.Pointer(4*(int64(number)*h.Batch+int64(query))*h.VectorStride)
}

// putHeader appends a header the way that kernels read it.
func putHeader(to []byte, header any) []byte {
	to, _ = binary.Append(to, binary.LittleEndian, header) // headers have a fixed size
	return to
}
