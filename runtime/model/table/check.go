package table

import (
	"fmt"
	"math"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/internal/mapfile"
	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/model/graph"
)

// MaxLength bounds ‖E_e‖ and ‖W_r‖: the score of a link is at most MaxLength³, which
// leaves room in float32 for a sum of scores and for a small temperature.
const MaxLength = 1e9

// Norms returns ‖E_e‖ for each row.
func (t *Table) Norms() []float32 {
	lengths := make([]float32, t.Rows())
	buf := make([]float32, t.width)
	for e := range lengths {
		sum := 0.0
		for _, v := range t.Row(graph.EntityID(e), buf) {
			sum += float64(v) * float64(v)
		}
		lengths[e] = float32(math.Sqrt(sum))
	}
	return lengths
}

// CheckCodes checks that codes match rows with the given norms: that their scales and residuals are possible for such
// rows. Kernels accept any code. It keeps the largest of both.
func (t *Table) CheckCodes(norms []float32) error {
	c := t.codes
	if c == nil {
		return nil
	}
	if c.Width != t.width || c.Rows() != t.Rows() {
		return fmt.Errorf("codes of %d rows of %d, want %d of %d", c.Rows(), c.Width, t.Rows(), t.width)
	}
	if err := c.Check(); err != nil {
		return fmt.Errorf("tensors %q and %q: %w", TensorScales, TensorResiduals, err)
	}
	t.residual = 0
	t.norm = 0
	for i, s := range c.Scales {
		t.norm = max(t.norm, norms[i])
		if t.dtype.IsFloat() {
			t.residual = max(t.residual, c.Residuals[i])
		}
		// The scale times the largest code is about the row's largest number, and no code is further
		// off than the number itself.
		most := 2*float64(norms[i]) + tiny
		if float64(s)*math.MaxInt8 > most || float64(c.Residuals[i]) > most {
			return fmt.Errorf("tensors %q and %q: row %d has scale %v and residual %v, which no row of length %v has", TensorScales, TensorResiduals, i, s, c.Residuals[i], norms[i])
		}
	}
	return nil
}

// checkedBytes is the number of bytes checked at a time.
const checkedBytes = 4 << 20

// normSlack is the relative difference allowed between a norm and the length of its row: sums are rounded in another
// order here, and other programs write bundles too.
const normSlack = 1e-4

// tiny is the least normal number of float32; smaller numbers have fewer digits than the slack requires.
const tiny = 0x1p-126

// CheckRows checks the rows of the named table, whose lengths are norms if any. It reports the first invalid row. The
// squared length of a row nearly always suffices: it is finite only if every number is. Rows in leave are evicted
// afterwards.
func (t *Table) CheckRows(name string, norms []float32, leave *mapfile.File) error {
	rows := max(1, checkedBytes/max(1, t.width*t.dtype.Size()))
	return pool.InParts(t.Rows(), rows, func(lo, hi int) error {
		part := t.Slice(lo, hi)
		for _, x := range part.Tensors() {
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
	return fmt.Errorf("tensor %q: number %d is %v, want %v, the length of that row of %q", TensorNorms, e, norms[e], float32(length), name)
}
