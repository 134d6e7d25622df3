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

// scoreHeader mirrors Score in kernels/cuda/src/model.cuh, sumHeader mirrors Sum.
type scoreHeader struct {
	Kind, Constant, Embedding, Relation, Backward, Negated, Vector, Stat int32
}

type sumHeader struct{ Vector, Embedding int32 }

// runHeader mirrors Run in kernels/cuda/src/model.cuh.
type runHeader struct {
	Input, Arguments, Scores, Sums, Lists                   cuda.Pointer
	Vectors, Embeddings, Stats, Partials, Counters, Barrier cuda.Pointer
	Packed, States, Keys, Best, Filters                     cuda.Pointer

	VectorStride, Batch, Blocks, Slots, KeyStride int64
	MapBlocks, ScoreBlocks, Splits                int64
	K, Constants, Relations, FilterStride         int64
}

// scoresOf and sumsOf lay out the results of passes.
func scoresOf(p *Program) (headers []scoreHeader) {
	for _, s := range p.Scores {
		headers = append(headers, scoreHeader{
			Kind: int32(s.Kind), Constant: int32(s.Constant), Embedding: int32(s.Embedding), Relation: int32(s.Relation),
			Backward: int32(bit(s.Backward)), Negated: int32(bit(s.Negated)), Vector: int32(s.Vector), Stat: int32(s.Stat),
		})
	}
	return headers
}

func sumsOf(p *Program) (headers []sumHeader) {
	for _, s := range p.Sums {
		headers = append(headers, sumHeader{int32(s.Vector), int32(s.Embedding)})
	}
	return headers
}

// vector returns the address of a vector of one query of the batch.
func (h *runHeader) vector(number, query int) cuda.Pointer {
	return h.Vectors + cuda.Pointer(4*(int64(number)*h.Batch+int64(query))*h.VectorStride)
}

// putHeader appends a header in the kernels' format.
func putHeader(to []byte, header any) []byte {
	to, _ = binary.Append(to, binary.LittleEndian, header) // headers have a fixed size
	return to
}

func bit(x bool) int64 {
	if x {
		return 1
	}
	return 0
}
