package device

import (
	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/kernels/cuda/table"
)

// The constants that kernels/cuda/table is compiled with: threads of a block that multiplies batches, the side of its
// tile, the multiple to which packed rows are rounded up, rows per warp at a time in a sweep for one query, and
// coordinates of a block of a sum.
const (
	batchThreads = 256
	tile         = 128
	depth        = 32
	rowsOfWarp   = 8
	slice        = 128
)

// sharedScores bounds the shared memory of a block for the table's other factor.
const sharedScores = 96 << 10

// The number of blocks over entities per query: each block of the next step reads all their reductions, so a few
// blocks cover some thousand entities each. A multiprocessor runs mapTurns of a batch in succession.
const (
	fewBlocks = 128
	entities  = 4096
	mapTurns  = 32
)

// packedBytes returns the bytes of a packed row of the given length.
func packedBytes(numbers int64) int64 { return 4*((numbers+depth-1)/depth*depth) + 16 }

// tiles returns the number of tiles of size by that cover x rows or columns.
func tiles(x, by int) int { return (x + by - 1) / by }

// table returns the kernels for the type of the model's table.
func (m *Copy) table() (cuda.Module, error) {
	tables := m.device.tables
	if module, ok := tables[m.rows.suffix]; ok {
		return module, nil
	}
	source, err := table.Source(m.rows.suffix)
	if err != nil {
		return nil, err
	}
	module, err := m.memory.driver.Load(source)
	if err == nil {
		tables[m.rows.suffix] = module
	}
	return module, err
}

// scoreShared returns the shared memory of a block of a sweep for one query: the factors of each score, and the
// softmax of the scores that a lane makes.
func (m *Copy) scoreShared(scores int) int {
	warps := m.device.tuning.MapThreads / 32
	return scores * (4*int(m.header.Stride) + 8*warps*rowsOfWarp)
}

// atOnce returns the number of scores that a sweep makes for one query.
func (m *Copy) atOnce() int { return max(1, sharedScores/m.scoreShared(1)) }

// rowsOfBlock returns the number of rows that a block of a sweep for one query processes at a time.
func (m *Copy) rowsOfBlock() int { return m.device.tuning.MapThreads / 32 * rowsOfWarp }

// scoreBlocks returns the number of blocks of a sweep for one query: as many as the device holds at once, so that
// none waits for others to end.
func (m *Copy) scoreBlocks(p *Program) (int, error) {
	driver := m.memory.driver
	blocks := m.device.tuning.Blocks * driver.Multiprocessors()
	if blocks == 0 {
		most := 0
		for _, l := range p.Launches {
			if l.Kind == Scores {
				most = max(most, min(l.Count, m.atOnce()))
			}
		}
		kernels, err := m.table()
		if err != nil {
			return 0, err
		}
		blocks, err = driver.Resident(kernels, cuda.Launch{Kernel: "efoc_scores", Threads: m.device.tuning.MapThreads, Shared: m.scoreShared(most)})
		if err != nil {
			return 0, err
		}
	}
	return max(1, min(blocks, tiles(int(m.header.N), m.rowsOfBlock()))), nil
}

// mapBlocks returns the number of blocks over the entities of a query.
func (m *Copy) mapBlocks(batch int) int {
	n := int(m.header.N)
	turns := tiles(mapTurns*m.memory.driver.Multiprocessors(), batch)
	return min(max(fewBlocks, n/entities), tiles(n+1, m.device.tuning.MapThreads), turns)
}

// stepBlocks returns the number of blocks of each step of the program. The blocks of a single query wait for one
// another, so there are no more than the device can hold at once.
func (q *Runner) stepBlocks(p *Program, batch int) (int, error) {
	blocks := q.model.mapBlocks(batch)
	if batch > 1 {
		return blocks, nil
	}
	for _, l := range p.Launches {
		if l.Kind != Steps {
			continue
		}
		resident, err := q.model.memory.driver.Resident(q.module, cuda.Launch{Kernel: l.Kernel, Threads: q.model.device.tuning.MapThreads})
		if err != nil {
			return 0, err
		}
		blocks = min(blocks, resident)
	}
	return max(1, blocks), nil
}

// splits returns the number of parts of a sum of rows: for a batch as many as give each multiprocessor at most one
// block, for one query two.
func (m *Copy) splits(batch int) int {
	if n := m.device.tuning.Splits; n > 0 {
		return n
	}
	n := int(m.header.N)
	slices := tiles(int(m.header.Stride), slice)
	units := m.memory.driver.Multiprocessors()
	if batch == 1 {
		return min(tiles(2*units, slices), tiles(n, m.rowsOfBlock()))
	}
	return min(max(1, units/(tiles(batch, tile)*slices)), tiles(n, depth))
}

// launches returns the launches of a program, and of the ranking of lists lists, if any.
func (q *Runner) launches(p *Program, h *runHeader, lists int) ([]cuda.Launch, error) {
	var out []cuda.Launch
	kernels, err := q.model.table()
	if err != nil {
		return nil, err
	}
	ranked := false
	together := h.Batch == 1 && !q.model.device.apart // one launch makes all steps, each of which needs the previous one
	for i, l := range p.Launches {
		switch {
		case l.Kind == Steps && together:
			c := q.steps(l, h)
			c.Cooperative = true
			if i == len(p.Launches)-1 && q.ranksInSteps(h) {
				c.Argument = int64(lists) << 32
				ranked = true
			}
			out = append(out, c)
		case l.Kind == Steps:
			c := q.steps(l, h)
			for step := range l.Count {
				c.Argument = int64(step + 1)
				out = append(out, c)
			}
		case h.Batch > 1:
			out = append(out, q.model.batchSweep(l, h, kernels)...)
		default:
			out = append(out, q.model.sweep(l, h, kernels)...)
		}
	}
	if lists > 0 && !ranked {
		out = append(out, q.ranked(h, lists, cuda.Launch{Kernel: "efoc_top", Module: kernels}, func(pass int) int64 { return int64(pass) })...)
	}
	return out, nil
}

// ranksInSteps reports whether the last steps can also rank: every block has a tile of candidates, with more of them
// than it keeps.
func (q *Runner) ranksInSteps(h *runHeader) bool {
	threads := q.model.device.tuning.MapThreads
	return tiles(int(q.model.header.N), threads) <= int(h.MapBlocks) && 2*int(h.K) <= threads
}

// steps returns the launch of the kernel of steps.
func (q *Runner) steps(l Launch, h *runHeader) cuda.Launch {
	return cuda.Launch{Kernel: l.Kernel, Grid: [3]int{int(h.MapBlocks), int(h.Batch), 1}, Threads: q.model.device.tuning.MapThreads}
}

// scoresFrom is the argument of kernels that make count scores, starting at number first.
func scoresFrom(first, count int) int64 { return int64(first) | int64(count)<<32 }

// sweep returns the launches that make scores or sums for one query.
func (m *Copy) sweep(l Launch, h *runHeader, kernels cuda.Module) (out []cuda.Launch) {
	threads := m.device.tuning.MapThreads
	if l.Kind == Sums {
		grid := [3]int{tiles(int(h.Splits), l.Count), 1, l.Count * tiles(int(m.header.Stride), slice)}
		return []cuda.Launch{{Kernel: "efoc_sum", Module: kernels, Grid: grid, Threads: threads, Argument: int64(l.First)}}
	}
	for done := 0; done < l.Count; done += m.atOnce() {
		count := min(m.atOnce(), l.Count-done)
		out = append(out, cuda.Launch{
			Kernel: "efoc_scores", Module: kernels, Grid: [3]int{int(h.ScoreBlocks), 1, 1}, Threads: threads, Shared: m.scoreShared(count), Argument: scoresFrom(l.First+done, count),
		})
	}
	return out
}

// batchSweep returns the launches that make scores or sums for a batch: they first pack the table's other factor.
func (m *Copy) batchSweep(l Launch, h *runHeader, kernels cuda.Module) (out []cuda.Launch) {
	n := int(m.header.N)
	batch := int(h.Batch)
	stride := int(m.header.Stride)
	add := func(kernel string, threads, shared int, argument int64, x, y, z int) {
		out = append(out, cuda.Launch{Kernel: kernel, Module: kernels, Grid: [3]int{x, y, z}, Threads: threads, Shared: shared, Argument: argument})
	}
	if l.Kind == Scores {
		from := scoresFrom(l.First, l.Count)
		add("efoc_batch_pack", batchThreads, 4*stride, from, 1, batch, l.Count)
		add("efoc_batch_products", batchThreads, m.rows.batchShared, from, tiles(batch, tile)*l.Count*tiles(n, tile), 1, 1)
		add("efoc_batch_stats", m.device.tuning.MapThreads, 0, from, int(h.ScoreBlocks), batch, l.Count)
		return out
	}
	for i := range l.Count {
		sum := int64(l.First + i)
		add("efoc_batch_weights", batchThreads, 0, sum, 1, batch, 1)
		add("efoc_batch_sums", batchThreads, m.rows.batchShared, sum, tiles(batch, tile), tiles(stride, tile), int(h.Splits))
		add("efoc_batch_combine", m.device.tuning.MapThreads, 0, sum, 1, batch, tiles(stride, slice))
	}
	return out
}

// ranked returns the launches that rank the lists: passes until one block is left.
func (q *Runner) ranked(h *runHeader, lists int, c cuda.Launch, argument func(pass int) int64) (out []cuda.Launch) {
	threads := q.model.device.tuning.TopThreads
	for pass, count := 0, int(q.model.header.N); ; pass++ {
		blocks := (count + threads - 1) / threads
		c.Grid, c.Threads, c.Argument = [3]int{blocks, int(h.Batch), lists}, threads, argument(pass)
		out = append(out, c)
		if blocks == 1 {
			return out
		}
		count = blocks * int(h.K)
	}
}
