package model

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// TestBuildTable checks that tables made row by row are those that are made of all rows.
func TestBuildTable(t *testing.T) {
	const n, width = 37, 6
	values := make([]float32, n*width)
	for i := range values {
		values[i] = float32(math.Sin(float64(i)))
	}
	row := func(i int, to []float32) error { copy(to, values[i*width:]); return nil }
	for _, c := range kinds {
		want, err := MakeTable(append([]float32(nil), values...), width, c[0], c[1])
		require.NoError(t, err)
		got, err := BuildTable(n, width, c[0], c[1], row)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v: tables differ, %v", c, err)
		}
	}
	mine := errors.New("mine")
	if _, err := BuildTable(n, width, Int8, "", func(int, []float32) error { return mine }); err != mine {
		t.Errorf("error is %v", err)
	}
	for _, c := range []struct {
		n, width     int
		table, exact TableType
		value        float32
		want         string
	}{
		{1, 2, Int8, Float16, 1e6, "row 0 column 0 is 1e+06, which is too large for float16"},
		{1, 2, Int8, "", float32(math.NaN()), "row 0 column 0 is NaN"},
		{1, 3, Float32, "", 0, "1 rows of 3"}, {-1, 2, Float32, "", 0, "-1 rows"}, {1, 2, "x", "", 0, "unknown table type"},
	} {
		_, err := BuildTable(c.n, c.width, c.table, c.exact, func(_ int, to []float32) error { to[0] = c.value; return nil })
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want %s", err, c.want)
		}
	}
}
