package kernels

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestRelation compares maps of every number of blocks with the dense matrices that they represent.
func TestRelation(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 7))
	for _, width := range []int{2, 4, 6, 8, 12, 30, 64, 66, 130} {
		for blocks := range width + 1 {
			if blocks > 0 && width%blocks != 0 {
				continue
			}
			r := Relation{random(rng, width*max(1, blocks)), blocks}
			matrix := make([][]float64, width)
			for i := range matrix {
				matrix[i] = make([]float64, width)
				for j := range matrix[i] {
					matrix[i][j] = entry(r, width, i, j)
				}
			}
			x := random(rng, width)
			for _, backward := range []bool{false, true} {
				for _, negated := range []bool{false, true} {
					want := make([]float64, width)
					for i := range want {
						for j, v := range x {
							w := matrix[i][j]
							if backward {
								w = matrix[j][i]
							}
							want[i] += w * float64(v)
						}
						if negated {
							want[i] = -want[i]
						}
					}
					dst, check := guarded(width)
					r.Project(dst, x, backward, negated)
					near(t, fmt.Sprintf("%d blocks of %d, backward %v, negated %v", blocks, width, backward, negated), dst, want, 100)
					check(t)
				}
			}
			table := random(rng, 3*width)
			want := make([]float64, 3)
			for e := range want {
				for i := range width {
					for j := range width {
						want[e] -= matrix[i][j] * float64(table[e*width+i]) * float64(table[e*width+j])
					}
				}
			}
			dst, check := guarded(3)
			r.LoopScores(dst, table, true)
			near(t, fmt.Sprintf("loop scores of %d blocks of %d", blocks, width), dst, want, 100)
			check(t)
			if allocs := testing.AllocsPerRun(1, func() { r.Project(x, table[:width], false, true); r.LoopScores(dst, table, false) }); allocs != 0 {
				t.Errorf("%d blocks of %d: %v allocations", blocks, width, allocs)
			}
		}
	}
}

// entry returns an entry of the matrix that a relation represents.
func entry(r Relation, width, i, j int) float64 {
	if d := width / 2; r.Blocks == 0 {
		switch {
		case i == j:
			return float64(r.Numbers[i%d])
		case i == j+d:
			return float64(r.Numbers[i])
		case j == i+d:
			return -float64(r.Numbers[j])
		}
		return 0
	}
	part := width / r.Blocks
	if i%part != j%part {
		return 0
	}
	return float64(r.Numbers[(i/part*r.Blocks+j/part)*part+i%part])
}
