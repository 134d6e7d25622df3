package quant

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/testdata/require"
)

// tableOf returns a table that holds values, which are rows of the given width.
func tableOf(values []float32, width int) (*Table, error) {
	t := Empty(len(values)/width, width)
	for i := range t.Rows() {
		if err := t.Set(i, values[i*width:(i+1)*width]); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// TestTable checks that every row of a table is as far from its row as the residual says,
// and that tiles, whole or in parts, give the products of those rows.
func TestTable(t *testing.T) {
	const n, width = 21, 70
	rng := rand.New(rand.NewPCG(5, 6))
	values := make([]float32, n*width)
	for i := range n {
		rowKinds[i%6].draw(rng, values[i*width:(i+1)*width])
	}
	table, err := tableOf(values, width)
	require.NoError(t, err)
	if err := table.Check(); err != nil {
		t.Error(err)
	}
	const want = n * (128 + 4)
	if table.Rows() != n || table.Bytes() != want {
		t.Errorf("%d rows of %d bytes, want %d and %d", table.Rows(), table.Bytes(), n, want)
	}
	row := make([]float32, 128)
	q := newQuery(width)
	q.Set(values[:width])
	scores := make([]float32, n)
	for lo := 0; lo < n; lo += 4 {
		hi := min(lo+4, n)
		simd.DotRowsI8(scores[lo:hi], table.Tile(lo, hi), table.Scales[lo:hi], q.Packed, q.Scale, true)
	}
	for i := range n {
		table.Row(row, i)
		away, score, size := 0.0, 0.0, 0.0
		for j, x := range values[i*width : (i+1)*width] {
			away += math.Pow(float64(x)-float64(row[j]), 2)
			p := float64(q.Scale) * float64(q.Packed[j]) * float64(row[j])
			score, size = score+p, size+math.Abs(p)
		}
		if r := float64(table.Residuals[i]); math.Abs(math.Sqrt(away)-r) > 1e-6*r+1e-4*float64(table.Scales[i]) {
			t.Errorf("row %d is %v away, residual %v", i, math.Sqrt(away), r)
		}
		if math.Abs(float64(scores[i])-score) > 1e-6*size {
			t.Errorf("row %d has score %v, want %v", i, scores[i], score)
		}
		if slices.Max(row[width:]) != 0 || slices.Min(row[width:]) != 0 {
			t.Errorf("row %d goes on as %v", i, row[width:])
		}
	}
}

// TestSetErrors checks that numbers without a code are refused.
func TestSetErrors(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		values []float32
		width  int
		want   string
	}{
		{[]float32{1, 2, 3, nan}, 2, "row 1 column 1 is NaN"},
		{[]float32{1, math.MaxFloat32, 3, nan}, 2, "row 0 column 1 is 3.4"},
	} {
		if _, err := tableOf(c.values, c.width); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v in rows of %d: error %v, want %q", c.values, c.width, err, c.want)
		}
	}
}

// TestCheckErrors checks that damage is found.
func TestCheckErrors(t *testing.T) {
	for name, damage := range map[string]func(t *Table){
		"codes":     func(t *Table) { t.Codes = t.Codes[1:] },
		"neither":   func(t *Table) { t.Codes = nil },
		"residuals": func(t *Table) { t.Residuals = t.Residuals[1:] },
		"width":     func(t *Table) { t.Width = 65 },
		"no width":  func(t *Table) { t.Width = 0 },
		"scale":     func(t *Table) { t.Scales[1] = float32(math.Inf(1)) },
		"negative":  func(t *Table) { t.Scales[1] = -1 },
		"residual":  func(t *Table) { t.Residuals[0] = float32(math.NaN()) },
	} {
		table, err := tableOf([]float32{1, 2, 3, 4}, 2)
		require.NoError(t, err)
		if damage(table); table.Check() == nil {
			t.Errorf("%s: not found", name)
		}
	}
}

// TestAxpyAt compares sums of some rows with sums of the rows that codes stand for.
func TestAxpyAt(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	const n, w = 50, 70
	values := make([]float32, n*w)
	for i := range values {
		values[i] = float32(rng.NormFloat64())
	}
	table, err := tableOf(values, w)
	require.NoError(t, err)
	rows, weights := []int32{3, 49, 0, 3, 17}, []float32{0.5, -2, 1, 0.25, 3}
	row := make([]float32, Columns(w))
	got, want := make([]float32, Columns(w)), make([]float64, Columns(w))
	table.AxpyAt(got, rows, weights)
	for i, e := range rows {
		table.Row(row, int(e))
		for j, v := range row {
			want[j] += float64(weights[i]) * float64(v)
		}
	}
	for j, v := range want {
		if math.Abs(float64(got[j])-v) > 1e-5 {
			t.Fatalf("column %d is %v, want %v", j, got[j], v)
		}
	}
}
