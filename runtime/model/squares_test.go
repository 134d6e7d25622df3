package model

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/efoc/efoc/runtime/model/safetensors"
	"github.com/efoc/efoc/testdata/require"
)

// TestSquares checks the squares that are taken along with the checksums, of rows that
// begin and end anywhere in blocks, and that every byte is read once.
func TestSquares(t *testing.T) {
	for _, dtype := range RowTypes {
		for _, c := range []struct{ width, rows, shift int }{
			{4, 3, 0}, {2, blockSize / 4, 0}, {1000, 3000, 0}, {1002, 2100, 1}, {pieceSize, 20, 0}, {blockSize/2 + 6, 3, 0}, {3*blockSize/4 + 2, 3, 2},
		} {
			name := fmt.Sprintf("%s, %d rows of %d, shifted by %d", dtype, c.rows, c.width, c.shift)
			values := make([]float32, c.width*c.rows)
			for i := range values {
				// Small whole numbers, which all types hold, larger in each row.
				values[i] = float32((int((uint32(i)*2654435761>>8)%33) - 16) * (1 + i/c.width%7))
			}
			table, err := MakeTable(values, c.width, Int8, dtype)
			require.NoError(t, err)
			tensor := safetensors.FromFloat32s(tensorEntities, table.f32, c.rows, c.width)
			if dtype != Float32 {
				tensor = safetensors.FromHalves(tensorEntities, tensorTypes[dtype], table.half, c.rows, c.width)
			}
			// The bytes come piece by piece, to any address.
			source, part := tensor.Data, make([]byte, len(tensor.Data)+c.shift)
			tensor.Data = part[c.shift:]
			squares := newSquares(tableFile(t, tensor))
			var mu sync.Mutex
			read := 0
			if _, err := checksums([]safetensors.Tensor{tensor}, 100, func(part []byte, from int64) error {
				mu.Lock()
				defer mu.Unlock()
				read += copy(part, source[from-100:])
				return nil
			}, nil, squares); err != nil {
				t.Fatal(err)
			}
			if read != len(source) {
				t.Errorf("%s: read %d of %d bytes", name, read, len(source))
			}
			for e, got := range squares[tensorEntities].list() {
				want := 0.0
				for _, v := range values[e*c.width : (e+1)*c.width] {
					want += float64(v) * float64(v)
				}
				if math.Abs(float64(got)-want) > 1e-3*want {
					t.Fatalf("%s: the square of row %d is %v, want %v", name, e, got, want)
				}
			}
		}
	}
}

// tableFile is a file that holds one tensor, whose bytes are not copied.
func tableFile(t *testing.T, tensor safetensors.Tensor) *safetensors.File {
	t.Helper()
	header, err := safetensors.EncodeHeader(nil, []safetensors.Tensor{tensor})
	require.NoError(t, err)
	f, err := safetensors.Parse(append(header, tensor.Data...))
	require.NoError(t, err)
	f.Tensors[0].Data = tensor.Data
	return f
}
