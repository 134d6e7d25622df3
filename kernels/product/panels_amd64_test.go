//go:build amd64 && !noasm

package product

import (
	"slices"
	"testing"
	"unsafe"

	"golang.org/x/sys/cpu"

	"github.com/efoc/efoc/kernels/ref"
)

// emulate makes Go code multiply panels until the end of the test, where the machine can make them
// but lacks AMX. It reports whether it did.
func emulate(t *testing.T) bool {
	if !cpu.X86.HasAVX512BF16 || slices.Contains(Units(), "amx") {
		return false
	}
	kernel := panelKernel
	t.Cleanup(func() { panelKernel = kernel })
	panelKernel = emulated
	return true
}

// emulated is amx.Panels by the definition of TDPBF16PS: a row of a tile of A has 16 pairs of
// numbers, and a row of a tile of B the pairs of 16 columns.
func emulated(c *float32, a, b *uint16, pairs *[2]int, rowBytes, steps, aStep, bStep, columns, count, add int) {
	for part := range columns {
		for step := range steps {
			for _, pair := range unsafe.Slice(pairs, count) {
				x := widened(unsafe.Add(unsafe.Pointer(a), step*aStep+pair[0]))
				y := widened(unsafe.Add(unsafe.Pointer(b), (part*steps+step)*bStep+pair[1]))
				for i := range panelLines {
					row := unsafe.Slice((*float32)(unsafe.Add(unsafe.Pointer(c), i*rowBytes+4*panelLines*part)), panelLines)
					if add == 0 && step == 0 && pair == *pairs {
						clear(row)
					}
					of := x[i*2*tileLines:]
					for j, sum := range row {
						column := y[j/tileLines*tileSize+j%tileLines*2:]
						for k := range tileLines {
							sum += of[2*k] * column[2*tileLines*k]
							sum += of[2*k+1] * column[2*tileLines*k+1]
						}
						row[j] = sum
					}
				}
			}
		}
	}
}

// widened returns the numbers of a term.
func widened(term unsafe.Pointer) (numbers [termSize]float32) {
	for i, x := range unsafe.Slice((*uint16)(term), termSize) {
		numbers[i] = ref.BF16(x)
	}
	return numbers
}
