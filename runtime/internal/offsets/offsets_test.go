package offsets

import (
	"math"
	"testing"
)

// TestList reads offsets that take 64 bits.
func TestList(t *testing.T) {
	list := []int64{0, 1, math.MaxInt32, math.MaxInt32 + 1, math.MaxUint32, math.MaxUint32 + 1, 1<<40 + 7}
	o := Make(len(list), list[len(list)-1])
	for _, v := range list {
		o.Add(v)
	}
	if o.Len() != len(list) {
		t.Errorf("%d offsets", o.Len())
	}
	for i, want := range list {
		if got := o.At(i); got != want {
			t.Errorf("offset %d is %d, want %d", i, got, want)
		}
	}
}
