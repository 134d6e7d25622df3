package device

import (
	"fmt"

	"github.com/efoc/efoc/kernels/cuda"
)

// clusters says which blocks of one query at a time work together.
type clusters struct {
	// steps is the number of blocks that make the steps between two passes; 0 where a launch
	// makes one step.
	steps int
	// pass is the number of blocks of a pass that bring their results together, passes how many
	// of these there are.
	pass, passes int
}

// stepsClusters are the blocks of a cluster that makes steps, the first of which a device has
// room for; not every device has more than 8. A vector of 15,000 to 65,000 entities takes 60 to 250
// KB: by estimate, 16 multiprocessors read eight of them from the cache in 1 µs, and a launch
// takes 3. passCluster are those of one that makes a pass: it divides two blocks on each of the 16
// or 18 multiprocessors that may be in a cluster, so that none is left without blocks.
var stepsClusters = []int{16, 8}

const passCluster = 4

// clusters asks the driver for the clusters of a program. In a batch every step fills the
// device, and is launched alone.
func (q *Query) clusters(program *Program, batch int) (c clusters, err error) {
	if !q.model.device.noClusters {
		if batch == 1 {
			if c.steps, err = q.stepsCluster(program); err != nil {
				return c, err
			}
		}
		c.pass = passCluster
		if c.passes, err = q.passes(program, c.pass); err != nil || c.passes > 0 {
			return c, err
		}
	}
	c.pass = 1
	if c.passes, err = q.passes(program, c.pass); err == nil && c.passes == 0 {
		err = fmt.Errorf("a multiprocessor has no room for a block of a pass: too many scores in one pass at rank %d: ask by fewer atoms, use a model of a lower rank, or answer on the processor", q.model.model.Predictor.Rank)
	}
	return c, err
}

// stepsCluster returns the blocks of a cluster that the device has room for in all kernels of
// steps, 0 if there is none.
func (q *Query) stepsCluster(program *Program) (int, error) {
	for _, size := range stepsClusters {
		fits := true
		for _, l := range program.Launches {
			if l.Kind != Steps || !fits {
				continue
			}
			n, err := q.model.memory.driver.Resident(q.module, q.model.steps(l, size))
			if err != nil {
				return 0, err
			}
			fits = n > 0
		}
		if fits {
			return size, nil
		}
	}
	return 0, nil
}

// passes returns the number of clusters of so many blocks that the device holds at once of
// every pass, so that none waits for others to end.
func (q *Query) passes(program *Program, size int) (int, error) {
	m := q.model
	driver, fewest := m.memory.driver, 0
	for _, l := range program.Launches {
		if l.Kind != Pass && l.Kind != Differences {
			continue
		}
		n, err := driver.Resident(q.module, m.table(l, size))
		if err != nil || n == 0 {
			return 0, err
		}
		if l.Kind == Pass && (fewest == 0 || n < fewest) {
			fewest = n
		}
	}
	if n := m.device.tuning.Blocks; n > 0 {
		return (n*driver.Multiprocessors() + size - 1) / size, nil
	}
	return max(1, fewest), nil
}

// rowThreads returns the threads of a block that reads rows: each has eight coordinates.
func (m *Model) rowThreads() int {
	return max(32, (int(m.header.Stride)+7)/8+31) / 32 * 32
}

// table returns the launch of a pass or of differences in clusters, without its grid. Shared
// memory has what rows are multiplied with and the sums of warps, and in the end the results.
func (m *Model) table(l Launch, cluster int) cuda.Launch {
	threads, stride := m.rowThreads(), int(m.header.Stride)
	before, after := 4*l.Count*(stride+2*threads/32*m.rows.atOnce), 4*l.Sums*stride+12*(l.Count+l.Sums)+4*l.Sums
	if l.Kind == Differences {
		before, after = 0, 4*stride+16
	}
	return cuda.Launch{Kernel: m.kernel(l), Threads: threads, Shared: max(before, after), Cluster: cluster}
}

// steps returns the launch of all steps of a kernel by a cluster.
func (m *Model) steps(l Launch, cluster int) cuda.Launch {
	return cuda.Launch{Kernel: m.kernel(l), Grid: [3]int{cluster, 1, 1}, Threads: m.device.tuning.StepsThreads, Cluster: cluster}
}

// launches says how to launch the kernels of a program.
func (q *Query) launches(program *Program, r *recording) []cuda.Launch {
	m, t, h := q.model, q.model.device.tuning, &r.header
	n, batch, stride := int(m.header.N), int(h.Batch), int(m.header.Stride)
	tiles := func(x, by int) int { return (x + by - 1) / by }
	var out []cuda.Launch
	for _, l := range program.Launches {
		c := cuda.Launch{Kernel: m.kernel(l), Threads: batchThreads}
		switch l.Kind {
		case Steps:
			if r.clusters.steps > 0 {
				c = m.steps(l, r.clusters.steps)
				break
			}
			c.Grid, c.Threads = [3]int{int(h.MapBlocks), batch, 1}, t.MapThreads
			for step := 1; step < l.Count; step++ {
				c.Argument = int64(step)
				out = append(out, c)
			}
			c.Argument = int64(l.Count)
		case Pass:
			c = m.table(l, r.clusters.pass)
			c.Grid = [3]int{int(h.SweepBlocks) * c.Cluster, batch, 1}
		case Differences:
			c = m.table(l, r.clusters.pass)
			c.Grid = [3]int{int(h.ResidualBlocks) * c.Cluster, batch, l.Count}
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
