package runtime

import (
	"fmt"
	"math"
	goruntime "runtime"
	"sync"
	"sync/atomic"

	"github.com/efoc/efoc/kernels/simd"
)

// checkedBytes is about how much of a table is checked by one goroutine at a time.
const checkedBytes = 1 << 20

// validateNumbers checks the tables of a predictor: that all numbers are finite, that
// no row is longer than MaxLength, and that the norms are those of the rows.
func (p *Predictor) validateNumbers() error {
	if err := p.EntityTable.checkRows(tensorEntities, p.EntityNorms); err != nil {
		return err
	}
	relations := Table{dtype: Float32, width: p.EntityTable.width, f32: p.RelationTable}
	return relations.checkRows(tensorRelations, relations.norms())
}

// checkRows checks the numbers of the table of that name against the lengths of its
// rows, side by side. It reports the first row that fails.
func (t *Table) checkRows(name string, norms []float32) error {
	rows := t.Rows()
	block := max(1, checkedBytes/max(1, t.width*t.dtype.Size()))
	blocks := (rows + block - 1) / block
	errs := make([]error, blocks)
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(maxSummers, goruntime.GOMAXPROCS(0), blocks) {
		group.Go(func() {
			buf := make([]float32, t.width)
			for i := int(next.Add(1)) - 1; i < blocks; i = int(next.Add(1)) - 1 {
				errs[i] = t.checkBlock(name, norms, i*block, min((i+1)*block, rows), buf)
			}
		})
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// normSlack is by how much of it a norm may differ from the length of its row: sums
// are rounded in another order here, and other programs write bundles too.
const normSlack = 1e-4

// tiny is the least normal number of float32; what is below has fewer digits than the
// slack allows for.
const tiny = 0x1p-126

// checkBlock checks the rows lo to hi. The squared length of a row nearly always
// settles it: it is close to that of the norm only if every number is finite.
func (t *Table) checkBlock(name string, norms []float32, lo, hi int, buf []float32) error {
	var square [1]float32
	for e := lo; e < hi; e++ {
		row := t.Row(EntityID(e), buf)
		simd.DotRows(square[:], row, row)
		norm := norms[e]
		if want := norm * norm; norm > 0 && want > tiny && norm <= MaxLength && math.Abs(float64(square[0]-want)) <= normSlack*float64(want) {
			continue
		}
		if err := checkRow(name, e, row, norm); err != nil {
			return err
		}
	}
	return nil
}

// checkRow checks one row number by number.
func checkRow(name string, e int, row []float32, norm float32) error {
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
	if math.Abs(float64(norm)-length) <= normSlack*length+tiny {
		return nil
	}
	return fmt.Errorf("tensor %q: number %d is %v, want %v, the length of that row of %q", tensorNorms, e, norm, float32(length), name)
}
