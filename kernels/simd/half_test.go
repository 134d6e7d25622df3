package simd

import (
	"math"
	"testing"

	"github.com/efoc/efoc/kernels/half"
)

// TestF16 checks every float16 number against its definition, and that ToF16 inverts F16.
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
		got := float64(half.Float16(h))
		if got != want && !(math.IsNaN(got) && math.IsNaN(want)) || math.Signbit(got) != (h>>15 == 1) {
			t.Fatalf("F16(%#04x) = %v, want %v", h, got, want)
		}
		if back := half.ToFloat16(half.Float16(h)); back != h && !math.IsNaN(want) {
			t.Fatalf("ToF16(F16(%#04x)) = %#04x", h, back)
		}
	}
}

// TestToF16 checks rounding to the nearer of two neighbors, and halfway to the even one.
func TestToF16(t *testing.T) {
	for h := uint16(0); h < 0x7bff; h++ {
		a, b := float64(half.Float16(h)), float64(half.Float16(h+1))
		mid := float32((a + b) / 2)
		even := h + h&1
		for _, c := range []struct {
			x    float32
			want uint16
		}{{math.Nextafter32(mid, 0), h}, {mid, even}, {math.Nextafter32(mid, 1e9), h + 1}} {
			if got := half.ToFloat16(c.x); got != c.want {
				t.Fatalf("ToF16(%v) = %#04x, want %#04x", c.x, got, c.want)
			}
		}
	}
	inf := float32(math.Inf(1))
	for x, want := range map[float32]uint16{65519.996: 0x7bff, 65520: 0x7c00, 1e9: 0x7c00, inf: 0x7c00, -inf: 0xfc00} {
		if got := half.ToFloat16(x); got != want {
			t.Errorf("ToF16(%v) = %#04x, want %#04x", x, got, want)
		}
	}
	if got := half.Float16(half.ToFloat16(float32(math.NaN()))); got == got {
		t.Errorf("NaN became %v", got)
	}
}

// TestBF16 checks that every bfloat16 number round-trips, and rounding as in TestToF16.
func TestBF16(t *testing.T) {
	for h := range 1 << 16 {
		h := uint16(h)
		if x := half.BFloat16(h); x == x && half.ToBFloat16(x) != h {
			t.Fatalf("ToBFloat16(BFloat16(%#04x)) = %#04x", h, half.ToBFloat16(x))
		}
	}
	for h := uint16(0); h < 0x7f7f; h++ {
		mid := math.Float32frombits(uint32(h)<<16 | 0x8000)
		even := h + h&1
		if half.ToBFloat16(math.Nextafter32(mid, 0)) != h || half.ToBFloat16(mid) != even || half.ToBFloat16(math.Nextafter32(mid, float32(math.Inf(1)))) != h+1 {
			t.Fatalf("rounding next to BF16(%#04x)", h)
		}
	}
	if got := half.BFloat16(half.ToBFloat16(math.Float32frombits(0x7f800001))); got == got {
		t.Errorf("NaN became %v", got)
	}
}
