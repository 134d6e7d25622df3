package model

import (
	"fmt"
	"math"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/internal/mapfile"
	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/model/graph"
)

// validateNumbers checks the tables of a predictor: that all numbers are finite, that no row is longer
// than MaxLength, and that the norms belong to the rows.
func (p *Predictor) validateNumbers(leave *mapfile.File) error {
	// Rows that codes stand for can be computed only once the codes are checked.
	if err := p.EntityTable.checkCodes(p.EntityNorms); err != nil {
		return err
	}
	if err := p.EntityTable.checkRows(tensorEntities, p.EntityNorms, leave); err != nil {
		return err
	}
	relations := Table{dtype: Float32, width: relationWidth(p.Rank, p.Blocks), f32: p.RelationTable}
	return relations.checkRows(relationTensor(p.Blocks), nil, nil)
}

// normSlack is by how much of it a norm may differ from the length of its row: sums
// are rounded in another order here, and other programs write bundles too.
const normSlack = 1e-4

// tiny is the least normal number of float32; smaller numbers have fewer digits than the slack allows
// for.
const tiny = 0x1p-126

// checkRows checks the rows of the table of that name, whose lengths are norms if there
// are any. It reports the first row that fails. The squared length of a row nearly always settles
// it: it is finite only if every number is. Rows that lie in leave do not stay in memory.
func (t *Table) checkRows(name string, norms []float32, leave *mapfile.File) error {
	block := max(1, blockSize/max(1, t.width*t.dtype.Size()))
	return pool.InParts(t.Rows(), block, func(lo, hi int) error {
		part := t.slice(lo, hi)
		for _, x := range part.tensors() {
			defer leave.ReleasePart(x.Data)
		}
		var square [1]float32
		buf := make([]float32, t.width)
		for e := lo; e < hi; e++ {
			row := t.Row(graph.EntityID(e), buf)
			simd.DotRows(square[:], row, row)
			if norms == nil && square[0] <= (1-normSlack)*MaxLength*MaxLength {
				continue
			}
			if norms != nil {
				norm := norms[e]
				if want := norm * norm; norm > 0 && want > tiny && norm <= MaxLength && math.Abs(float64(square[0]-want)) <= normSlack*float64(want) {
					continue
				}
			}
			if err := checkRow(name, e, row, norms); err != nil {
				return err
			}
		}
		return nil
	})
}

// checkRow checks row e number by number.
func checkRow(name string, e int, row, norms []float32) error {
	sum := 0.0
	for k, v := range row {
		if v-v != 0 {
			return fmt.Errorf("tensor %q: row %d column %d is %v, want a finite number", name, e, k, v)
		}
		sum += float64(v) * float64(v)
	}
	length := math.Sqrt(sum)
	if length > MaxLength {
		return fmt.Errorf("tensor %q: row %d has length %v, want at most %v", name, e, length, MaxLength)
	}
	if norms == nil || math.Abs(float64(norms[e])-length) <= normSlack*length+tiny {
		return nil
	}
	return fmt.Errorf("tensor %q: number %d is %v, want %v, the length of that row of %q", tensorNorms, e, norms[e], float32(length), name)
}
