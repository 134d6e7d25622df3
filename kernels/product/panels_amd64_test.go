//go:build amd64 && !noasm

package product

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/efoc/efoc/kernels/ref"
)

// TestDotTerms compares VDPBF16PS's products of several terms, which this package
// leaves to float32, with sums in float64.
func TestDotTerms(t *testing.T) {
	if !slices.Contains(Units(), "bf16") {
		t.Skip("needs a processor with AVX-512 BF16")
	}
	best := Unit()
	defer func() {
		if err := Use(best); err != nil {
			t.Error(err)
		}
	}()
	if err := Use("bf16"); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(11, 12))
	const m, n, depth = 50, 70, 100
	for terms := One; terms <= Three; terms++ {
		for k := range kind(3) {
			a, b := draw(rng, k, m, depth, 1, false), draw(rng, float32Kind, n, depth, 2, false)
			x, y := operand{lines: m, depth: depth, most: terms}, operand{lines: n, depth: depth, most: terms}
			x.panels.pack(&a.Matrix, terms, false)
			y.panels.pack(&b.Matrix, terms, true)
			c := make([]float32, m*n)
			multiplyPanels(c, n, &x, &y, mode{})
			most := bound("amx", terms, k, depth) + 1.01*0x1p-24*float64(6*depth+1)
			for at, got := range c {
				want, size := ref.Product(a.lines[at/n], b.lines[at%n])
				if !(math.Abs(float64(got)-want) <= most*size) {
					t.Fatalf("%d terms, %s: row %d, column %d is %v, want %v", terms, k, at/n, at%n, got, want)
				}
			}
		}
	}
}
