package half

import (
	"math"
	"testing"
)

// TestF16 checks every float16 number against its definition.
func TestF16(t *testing.T) {
	for h := range 1 << 16 {
		h := uint16(h)
		exponent, fraction := int(h>>10&31), float64(h&0x3ff)
		want := math.Ldexp(fraction, -24)
		switch {
		case exponent == 31 && fraction == 0:
			want = math.Inf(1)
		case exponent == 31:
			want = math.NaN()
		case exponent > 0:
			want = math.Ldexp(1024+fraction, exponent-25)
		}
		if h>>15 == 1 {
			want = -want
		}
		got := float64(Float16(h))
		if got != want && !(math.IsNaN(got) && math.IsNaN(want)) || math.Signbit(got) != (h>>15 == 1) {
			t.Fatalf("F16(%#04x) = %v, want %v", h, got, want)
		}
	}
}

// TestBF16 checks that every bfloat16 number round-trips, and rounding to the nearer of two neighbors, halfway to the even one.
func TestBF16(t *testing.T) {
	for h := range 1 << 16 {
		h := uint16(h)
		if x := BFloat16(h); x == x && ToBFloat16(x) != h {
			t.Fatalf("ToBFloat16(BFloat16(%#04x)) = %#04x", h, ToBFloat16(x))
		}
	}
	for h := uint16(0); h < 0x7f7f; h++ {
		mid := math.Float32frombits(uint32(h)<<16 | 0x8000)
		even := h + h&1
		if ToBFloat16(math.Nextafter32(mid, 0)) != h || ToBFloat16(mid) != even || ToBFloat16(math.Nextafter32(mid, float32(math.Inf(1)))) != h+1 {
			t.Fatalf("rounding next to BF16(%#04x)", h)
		}
	}
	if got := BFloat16(ToBFloat16(math.Float32frombits(0x7f800001))); got == got {
		t.Errorf("NaN became %v", got)
	}
}
