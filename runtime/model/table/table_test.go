package table

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/require"
)

// kinds are all kinds of tables: what sweeps read, and the exact rows beside codes.
var kinds = [][2]Type{{Float32}, {Int8}, {Int8, Float32}}

// TestBuild checks that tables made row by row are those that are made of all rows.
func TestBuild(t *testing.T) {
	const n, width = 37, 6
	values := make([]float32, n*width)
	for i := range values {
		values[i] = float32(math.Sin(float64(i)))
	}
	row := func(i int, to []float32) error { copy(to, values[i*width:]); return nil }
	for _, c := range kinds {
		want, err := Make(append([]float32(nil), values...), width, c[0], c[1])
		require.NoError(t, err)
		got, err := Build(n, width, c[0], c[1], row)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v: tables differ, %v", c, err)
		}
	}
	mine := errors.New("mine")
	if _, err := Build(n, width, Int8, "", func(int, []float32) error { return mine }); err != mine {
		t.Errorf("error is %v", err)
	}
}

func TestMakeErrors(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, c := range []struct {
		want   string
		values []float32
		width  int
		kind   Type
	}{
		{`unknown table type "float8", want float32 or int8`, nil, 2, "float8"},
		{`unknown table type "int4", want float32 or int8`, nil, 2, "int4"},
		{"3 numbers do not make rows of 2", make([]float32, 3), 2, Float32},
		{"2 rows of 3, want an even width", make([]float32, 6), 3, Float32},
		{"0 rows of 0, want an even width", nil, 0, Float32},
		{"row 1 column 0 is NaN, want a finite number", []float32{0, 1, nan, 3}, 2, Float32},
		{"row 1 column 1 is NaN, want a finite number", []float32{0, 1, 2, nan}, 2, Float32},
		{"row 0 column 1 is NaN, want a finite number", []float32{0, nan, 2, nan}, 2, Float32},
		{"row 0 column 1 is +Inf, want a finite number", []float32{0, inf}, 2, Float32},
		{"row 0 column 0 is -Inf, want a finite number", []float32{-inf, 0}, 2, Float32},
	} {
		if _, err := Make(c.values, c.width, c.kind, ""); err == nil || err.Error() != c.want {
			t.Errorf("error is %v, want %q", err, c.want)
		}
		if c.width > 0 && len(c.values)%c.width > 0 {
			continue
		}
		rows := func(i int, to []float32) error { copy(to, c.values[i*c.width:]); return nil }
		if _, err := Build(len(c.values)/max(1, c.width), c.width, c.kind, "", rows); err == nil || err.Error() != c.want {
			t.Errorf("row by row, error is %v, want %q", err, c.want)
		}
	}
}

// randomTable draws a table, and returns what it stores as well.
func randomTable(t testing.TB, rows, width int, kind [2]Type) (Table, []float32) {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, uint64(rows)))
	values := randoms(rng, rows*width)
	table, err := Make(values, width, kind[0], kind[1])
	require.NoError(t, err)
	return table, table.Float32s()
}

func randoms(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}

// TestTableOps compares what a table computes over ranges of rows with plain
// loops over the numbers that it stores, and checks that nothing is allocated.
func TestTableOps(t *testing.T) {
	for _, dtype := range kinds {
		for _, width := range []int{2, 6, 34, 128, 300, 514} {
			const rows = 300
			table, stored := randomTable(t, rows, width, dtype)
			rng := rand.New(rand.NewPCG(8, uint64(width)))
			var q [4][]float32
			for i := range q {
				q[i] = randoms(rng, width)
			}
			weights, d := randoms(rng, rows), width/2
			ids := make([]int32, rows)
			for i := range ids {
				ids[i] = int32(i)
			}
			for _, r := range [][2]int{{0, rows}, {0, 0}, {3, 4}, {7, 22}, {128, 256}, {299, 300}} {
				lo, hi := r[0], r[1]
				n := hi - lo
				dot := func(k int) []float64 {
					return each(n, func(i int) (sum float64) {
						for j, x := range stored[(lo+i)*width : (lo+i+1)*width] {
							sum += float64(x) * float64(q[k][j])
						}
						return sum
					})
				}
				a, b, c, e := make([]float32, n), make([]float32, n), make([]float32, n), make([]float32, n)
				check := func(what string, run func(), got []float32, want []float64) {
					t.Helper()
					run()
					for i := range want {
						if math.Abs(float64(got[i])-want[i]) > 1e-5*math.Max(math.Abs(want[i]), math.Sqrt(float64(width))) {
							t.Fatalf("%s of %s, rows %v of %d: number %d is %v, want %v", what, dtype, r, width, i, got[i], want[i])
						}
					}
					if allocs := testing.AllocsPerRun(2, run); allocs != 0 && !require.Racing {
						t.Errorf("%s of %s allocates %v times", what, dtype, allocs)
					}
				}
				check("DotRows", func() { table.DotRows(a, lo, hi, q[0]) }, a, dot(0))
				check("DotRows2", func() { table.DotRows2(b, a, lo, hi, q[0], q[1]) }, a, dot(1))
				check("DotRows4", func() { table.DotRows4(a, b, c, e, lo, hi, q[0], q[1], q[2], q[3]) }, e, dot(3))
				loop := func(sign float64) []float64 {
					return each(n, func(i int) (sum float64) {
						row := stored[(lo+i)*width:]
						for k := range d {
							x, y := float64(row[k]), float64(row[d+k])
							sum += sign * float64(q[0][k]) * (x*x + y*y)
						}
						return sum
					})
				}
				check("LoopScores", func() { table.LoopScores(a, lo, hi, q[0], false) }, a, loop(1))
				check("LoopScores negated", func() { table.LoopScores(a, lo, hi, q[0], true) }, a, loop(-1))
				acc := make([]float32, width)
				sum := each(width, func(j int) (sum float64) {
					for i := lo; i < hi; i++ {
						sum += float64(weights[i]) * float64(stored[i*width+j])
					}
					return sum
				})
				check("AxpyRows", func() { clear(acc); table.AxpyRows(acc, lo, hi, weights[lo:hi]) }, acc, sum)
				check("AxpyAt", func() { clear(acc); table.AxpyAt(acc, ids[lo:hi], weights[lo:hi]) }, acc, sum)
			}
			for e := range rows {
				if got := table.Row(graph.EntityID(e), make([]float32, width)); !slices.Equal(got, stored[e*width:(e+1)*width]) {
					t.Fatalf("row %d of %s is %v", e, dtype, got)
				}
			}
		}
	}
}

func each(n int, f func(i int) float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = f(i)
	}
	return x
}

// TestTableNames checks that all types of sweeps are named in what users read.
func TestTableNames(t *testing.T) {
	for _, dtype := range []Type{Float32, Int8} {
		if err := dtype.Check(); err != nil || !strings.Contains(Type("x").Check().Error(), string(dtype)) {
			t.Errorf("%s: %v", dtype, err)
		}
	}

}
