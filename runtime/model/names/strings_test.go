package names

import (
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/internal/offsets"
	"github.com/efoc/efoc/testdata/require"
)

// TestGrownOffsets has names grow beyond what 32 bits count.
func TestGrownOffsets(t *testing.T) {
	before := offsets.MaxNarrow
	offsets.MaxNarrow = 12
	t.Cleanup(func() { offsets.MaxNarrow = before })
	x, err := New("entity", []string{"ab", "cd"}, []string{"", "Cd"})
	require.NoError(t, err)
	for _, name := range []string{"efg", "hijk", "lmnop", "qrstuv"} {
		x, err = x.Grown([]string{name})
		require.NoError(t, err)
		if id, err := x.Find(name); err != nil || id != int32(x.Len()-1) || x.Name(id) != name {
			t.Errorf("%s is %d, %v", name, id, err)
		}
		if id, err := x.Find("Cd"); err != nil || id != 1 {
			t.Errorf("Cd is %d, %v", id, err)
		}
		if err := x.names.Check(x.Len(), true); err != nil {
			t.Error(err)
		}
	}
	if !x.names.Offsets.Wide || x.labels.Offsets.Wide {
		t.Errorf("offsets of names are %+v, of labels %+v", x.names.Offsets, x.labels.Offsets)
	}
}

// TestCheck checks tables of strings with offsets of 64 bits.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		words []int32
		want  string
	}{
		{[]int32{0, 0, 5, 0, 12, 0}, ""},
		{[]int32{0, 0, 5, 1, 12, 0}, "do not ascend at id 0"},
		{[]int32{0, 0, 5, -1, 12, 0}, "do not ascend at id 0"},
		{[]int32{0, 0, 5, 0, 12, 1}, "do not span"},
		{[]int32{0, 1, 5, 1, 12, 1}, "do not span"},
	} {
		table := Strings{Text: []byte("helloworldly"), Offsets: offsets.List{Words: c.words, Wide: true}, Order: []int32{0, 1}}
		if err := table.Check(2, true); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error is %v, want %s", c.words, err, c.want)
		}
	}
}
