package runtime

import (
	"strings"
	"testing"
)

// TestRowMemory refuses rows for which there is no memory.
func TestRowMemory(t *testing.T) {
	for _, x := range []struct {
		rows, variables int
		available       int64
		want            string
	}{
		{MaxRows, 2, 4 << 30, ""}, {MaxRows, 2, 0, ""}, {20000, 2, 64 << 20, ""},
		{MaxRows, 3, 2 << 30, "option K: 1048576 rows take about 3072 MB of memory, more than is available"},
		{2 * MaxRows, 1, 1, "2097152 rows take about 2048 MB"},
	} {
		err := checkRowMemory(x.rows, x.variables, x.available)
		if refused := err != nil; refused != (x.want != "") || refused && !strings.Contains(err.Error(), x.want) {
			t.Errorf("%+v: error %v", x, err)
		}
	}
}
