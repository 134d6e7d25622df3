package model

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// TestWithCodes checks that codes beside rows leave the rows as they were, and that the
// stated error is how far the codes are from them.
func TestWithCodes(t *testing.T) {
	for _, dtype := range FloatTypes {
		for codes, bytes := range map[TableType]int{Int8: 128 + 4, Int4: 64 + 4 + 4} {
			const n, width = 40, 70
			rows, stored := randomTable(t, n, width, dtype)
			table, err := rows.WithCodes(codes)
			require.NoError(t, err)
			if table.Type() != dtype || table.CodeType() != codes || table.Bytes() != n*bytes || table.RowBytes() != n*width*dtype.Size() {
				t.Errorf("table of %s with codes of %s, %d bytes and %d", table.Type(), table.CodeType(), table.Bytes(), table.RowBytes())
			}
			p := Predictor{Rank: width / 2, EntityTable: table, EntityNorms: table.norms()}
			got, want := p.CodeError(), CodeError{}
			row := make([]float32, 128)
			for e := range n {
				table.Codes().Row(row, e, make([]int8, 128))
				away, norm := 0.0, 0.0
				for j, x := range stored[e*width : (e+1)*width] {
					if got := table.Row(EntityID(e), nil)[j]; got != x {
						t.Fatalf("%s: row %d column %d is %v, want %v", dtype, e, j, got, x)
					}
					away += math.Pow(float64(x)-float64(row[j]), 2)
					norm += float64(x) * float64(x)
				}
				want.Largest, want.Mean = max(want.Largest, math.Sqrt(away/norm)), want.Mean+math.Sqrt(away/norm)/n
			}
			if math.Abs(got.Largest-want.Largest) > 1e-5 || math.Abs(got.Mean-want.Mean) > 1e-5 {
				t.Errorf("%s beside %s: error is %+v, want %+v", codes, dtype, got, want)
			}
		}
	}
}

func TestWithCodesErrors(t *testing.T) {
	floats, _ := randomTable(t, 4, 4, Float32)
	ints, _ := randomTable(t, 4, 4, Int8)
	for _, c := range []struct {
		table Table
		codes TableType
	}{{floats, BFloat16}, {ints, Int8}} {
		if _, err := c.table.WithCodes(c.codes); err == nil || !strings.Contains(err.Error(), "want int8 or int4 beside floats") {
			t.Errorf("%s beside %s: error is %v", c.codes, c.table.Type(), err)
		}
	}
}

// TestCodesAlone checks rows of codes alone: no number of 8 bits is off by more than half a
// step, and rows of 4 bits are off by an eighth of their length at most.
func TestCodesAlone(t *testing.T) {
	for _, width := range []int{6, 128} {
		values := randoms(rand.New(rand.NewPCG(1, 2)), 30*width)
		for _, dtype := range []TableType{Int8, Int4} {
			table, err := NewTable(values, width, dtype)
			require.NoError(t, err)
			got := table.Float32s()
			for e := range 30 {
				largest, worst, away, square := 0.0, 0.0, 0.0, 0.0
				for j, v := range values[e*width : (e+1)*width] {
					d := math.Abs(float64(got[e*width+j]) - float64(v))
					largest, worst = max(largest, math.Abs(float64(v))), max(worst, d)
					away, square = away+d*d, square+float64(v)*float64(v)
				}
				if dtype == Int8 && worst > 0.501*largest/127 || away > square/64 {
					t.Errorf("%s: row %d of %d is %v away of %v, a number %v", dtype, e, width, math.Sqrt(away), math.Sqrt(square), worst)
				}
			}
		}
	}
}
