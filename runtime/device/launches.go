package device

import (
	"fmt"

	"github.com/efoc/efoc/kernels/cuda"
)

// passBlocks returns the number of blocks that the device holds at once of every pass of a
// program, so that none waits for others to end.
func (q *Query) passBlocks(program *Program) (int, error) {
	m := q.model
	driver, fewest := m.memory.driver, 0
	for _, l := range program.Launches {
		if l.Kind != Pass && l.Kind != Differences {
			continue
		}
		n, err := driver.Resident(q.module, m.table(l))
		if err != nil {
			return 0, err
		}
		if n == 0 {
			return 0, fmt.Errorf("a multiprocessor has no room for a block of a pass: too many scores in one pass at rank %d: ask by fewer atoms, use a model of a lower rank, or answer on the processor", m.model.Predictor.Rank)
		}
		if l.Kind == Pass && (fewest == 0 || n < fewest) {
			fewest = n
		}
	}
	if n := m.device.tuning.Blocks; n > 0 {
		return n * driver.Multiprocessors(), nil
	}
	return max(1, fewest), nil
}

// rowThreads returns the threads of a block that reads rows: each has eight coordinates.
func (m *Model) rowThreads() int {
	return max(32, (int(m.header.Stride)+7)/8+31) / 32 * 32
}

// table returns the launch of a pass or of differences, without its grid. The shared memory of a
// pass has what rows are multiplied with, and the sums of warps.
func (m *Model) table(l Launch) cuda.Launch {
	c := cuda.Launch{Kernel: m.kernel(l), Threads: m.rowThreads()}
	if l.Kind == Pass {
		c.Shared = 4 * l.Count * (int(m.header.Stride) + 2*c.Threads/32*m.rows.atOnce)
	}
	return c
}

// tiles returns how many tiles so many rows or columns take.
func tiles(x, by int) int { return (x + by - 1) / by }

// splits returns the parts in which a batch sums up rows: as many as give every multiprocessor a
// block.
func (m *Model) splits(batch int) int {
	if n := m.device.tuning.Splits; n > 0 {
		return n
	}
	blocks := tiles(batch, tile) * tiles(int(m.header.Stride), tile)
	return min(tiles(m.memory.driver.Multiprocessors(), blocks), tiles(int(m.header.N), depth))
}

// launches says how to launch the kernels of a program.
func (q *Query) launches(program *Program, r *recording) []cuda.Launch {
	m, t, h := q.model, q.model.device.tuning, &r.header
	n, batch, stride := int(m.header.N), int(h.Batch), int(m.header.Stride)
	var out []cuda.Launch
	for _, l := range program.Launches {
		c := cuda.Launch{Kernel: m.kernel(l), Threads: batchThreads}
		switch l.Kind {
		case Steps:
			c.Grid, c.Threads = [3]int{int(h.MapBlocks), batch, 1}, t.MapThreads
			for step := 1; step < l.Count; step++ {
				c.Argument = int64(step)
				out = append(out, c)
			}
			c.Argument = int64(l.Count)
		case Pass:
			c = m.table(l)
			c.Grid = [3]int{int(h.SweepBlocks), batch, 1}
		case Differences:
			c = m.table(l)
			c.Grid = [3]int{int(h.ResidualBlocks), batch, l.Count}
		case Pack:
			c.Grid, c.Shared = [3]int{1, batch, 1}, 4*stride
		case PackState:
			c.Grid = [3]int{1, batch, 1}
		case Products:
			c.Grid, c.Shared = [3]int{tiles(batch, tile) * l.Count * tiles(n, tile), 1, 1}, m.rows.batchShared
		case Embeds:
			c.Grid, c.Shared = [3]int{tiles(batch, tile), tiles(stride, tile), int(h.Splits)}, m.rows.batchShared
		}
		out = append(out, c)
	}
	return out
}
