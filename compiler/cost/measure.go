package cost

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/efoc/efoc/kernels"
	"github.com/efoc/efoc/kernels/product"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/model"
)

// block is the number of rows that are looked at at a time.
const block = 128

// budget bounds the time that each constant takes to measure.
const budget = 40 * time.Millisecond

// Measure measures the constants of this machine on the given table, which no
// query should use meanwhile. It takes less than a second, more on tables of
// gigabytes.
func Measure(ctx context.Context, t *model.Table, threads int) (*Constants, error) {
	if t.Rows() == 0 || threads < 1 {
		return nil, errors.New("measuring needs rows and a thread")
	}
	m := newMeter(ctx, t, threads)
	defer m.pool.Close()
	n := float64(m.n)
	c := &Constants{
		Threads:  threads,
		Read:     m.read(),
		FLOPS:    m.flops(),
		Products: m.products(),
		Gathers:  m.gathers(),
		Vectors: m.rate(6*vectorBytes*n, func() {
			kernels.Add(m.z, m.x, m.y)
			kernels.Normalize(m.z, m.z, 1e-14)
		}),
		Exps: m.rate(n, func() { simd.ExpSum(m.z, m.x, 1) }),
		Scalars: m.rate(n, func() {
			copy(m.z, m.x)
			kernels.DivideNorms(m.z, m.y, m.query)
		}),
		Edges: m.edges(),
	}
	c.Bandwidth = m.bandwidth(c.FLOPS)
	c.ProductBandwidth = m.productBandwidth(c.Products)
	c.Alone = c.Bandwidth
	if threads > 1 {
		alone := newMeter(ctx, t, 1)
		c.Alone = alone.bandwidth(alone.flops())
	}
	return c, ctx.Err()
}

// Synthetic returns a table of the given size to measure on where there is no
// model.
func Synthetic(entities, rank int) (*model.Table, error) {
	values := make([]float32, entities*2*rank)
	for i := range values {
		values[i] = float32(i%13-6) / 16
	}
	t, err := model.NewTable(values, 2*rank, model.Float32)
	return &t, err
}

// meter holds the operands of the measured loops.
type meter struct {
	ctx   context.Context
	table *model.Table
	pool  *model.Pool // of as many workers as there are threads
	n     int
	query []float32
	// x, y and z are vectors; x and y hold probabilities.
	x, y, z []float32
	// sums and scores are scratch of each thread: a row and a block.
	sums, scores [][]float32
	// matrices are scratch for products of matrices.
	matrices []matrices
}

// matrices are the operands of the products of a thread: a block of the table with
// queries, of which it makes scores, and weights with the block, of which it makes sums.
type matrices struct {
	block, weights product.Left
	rows           product.Right
	scores, sums   []float32 // 64 blocks and 64 rows
	decoded        []float32 // rows of which there are only codes
}

func newMeter(ctx context.Context, t *model.Table, threads int) *meter {
	n := t.Rows()
	m := &meter{ctx: ctx, table: t, pool: model.NewPool(threads), n: n, query: make([]float32, t.Width())}
	m.x, m.y, m.z = make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range m.x {
		m.x[i], m.y[i] = float32(i%31+1)/float32(n), float32(i%17+1)/float32(n)
	}
	for i := range m.query {
		m.query[i] = float32(i%5) - 2
	}
	for range threads {
		m.scores = append(m.scores, make([]float32, 64*block))
		m.sums = append(m.sums, make([]float32, t.Width()))
		m.matrices = append(m.matrices, matrices{scores: make([]float32, 64*block), sums: make([]float32, 64*t.Width())})
	}
	return m
}

// rate runs f, which does the given amount of work, until the budget is used up,
// three times at least, and returns the median of work a second.
func (m *meter) rate(work float64, f func()) float64 {
	// Short loops are repeated, so that the clock does not matter.
	const least = 200 * time.Microsecond
	repeat := 1
	for {
		start := time.Now()
		for range repeat {
			f()
		}
		if time.Since(start) >= least || repeat >= 1<<20 {
			break
		}
		repeat *= 2
	}
	var times []float64
	for start := time.Now(); len(times) < 3 || time.Since(start) < budget; {
		if m.ctx.Err() != nil {
			return 1
		}
		begin := time.Now()
		for range repeat {
			f()
		}
		times = append(times, time.Since(begin).Seconds())
	}
	slices.Sort(times)
	return work * float64(repeat) / max(times[len(times)/2], 1e-9)
}

// blocks hands every block of rows to use, on all threads; use gets the number
// of the thread.
func (m *meter) blocks(use func(thread, lo, hi int)) {
	m.pool.Each((m.n+block-1)/block, func(thread, i int) { use(thread, i*block, min((i+1)*block, m.n)) })
}

// parallel calls f once for each thread.
func (m *meter) parallel(f func(thread int)) {
	m.pool.Each(m.pool.Size(), func(_, thread int) { f(thread) })
}

// sum is the scratch of a thread for a sum of rows.
func (m *meter) sum(thread int) []float32 { return m.sums[thread][:m.table.Width()] }

// bytes returns the size of the rows, which is what is measured: codes beside them take as
// long a byte, or less.
func (m *meter) bytes() int {
	if m.table.Type().IsFloat() {
		return m.table.RowBytes()
	}
	return m.table.Bytes()
}

// read looks at each number of the table once. Of a table that is not float32 a
// pass with one inner product a row is the nearest to that.
func (m *meter) read() float64 {
	if m.table.Type() != model.Float32 {
		return m.rate(float64(m.bytes()), func() {
			m.blocks(func(thread, lo, hi int) { m.table.DotRows(m.scores[thread][:hi-lo], lo, hi, m.query) })
		})
	}
	values, width := m.table.Float32s(), m.table.Width()
	return m.rate(float64(m.bytes()), func() {
		m.blocks(func(_, lo, hi int) { simd.Max(values[lo*width : hi*width]) })
	})
}

// bandwidth is measured on passes that sum the rows too, as those of plans do,
// less the time that the sums take of rows in the cache.
func (m *meter) bandwidth(flops float64) float64 {
	seconds := 1 / m.rate(1, func() {
		m.blocks(func(thread, lo, hi int) {
			m.table.DotRows(m.scores[thread][:hi-lo], lo, hi, m.query)
			m.table.AxpyRows(m.sum(thread), lo, hi, m.x[lo:hi])
		})
	})
	sums := 2 * float64(m.n*m.table.Width()) / flops
	return float64(m.bytes()) / max(seconds-sums, seconds/4)
}

// productBandwidth is measured on passes that make eight rows of truth degrees. The
// memory is read in another order than by bandwidth, which is slower.
func (m *meter) productBandwidth(products float64) float64 {
	const columns = 8
	width := m.table.Width()
	queries := m.queries(columns)
	seconds := 1 / m.rate(1, func() {
		m.blocks(func(thread, lo, hi int) {
			x := &m.matrices[thread]
			x.block.Pack(m.table.Matrix(lo, hi, &x.decoded), product.Two)
			product.MulT(x.scores, hi-lo, &x.block, queries)
		})
	})
	cached := 2 * columns * float64(m.n*width) / products
	return float64(m.bytes()) / max(seconds-cached, seconds/4)
}

// queries returns some number of queries as columns.
func (m *meter) queries(columns int) *product.Right {
	width := m.table.Width()
	all := make([]float32, columns*width)
	for i := range all {
		all[i] = m.query[i%width]
	}
	var r product.Right
	r.Pack(product.Of(all, columns, width, width).T(), product.Two)
	return &r
}

func (m *meter) flops() float64 {
	rows := min(block, m.n)
	each := 2 * float64(rows*m.table.Width())
	return m.rate(4*each*float64(m.pool.Size()), func() {
		m.parallel(func(thread int) {
			score, score2 := m.scores[thread][:rows], m.scores[thread][rows:2*rows]
			m.table.DotRows(score, 0, rows, m.query)
			m.table.DotRows2(score, score2, 0, rows, m.query, m.query)
			clear(m.sum(thread))
			m.table.AxpyRows(m.sum(thread), 0, rows, m.y[:rows])
		})
	})
}

// products multiplies a block of rows with 64 queries, and 64 weights with it.
func (m *meter) products() float64 {
	const batch = 64
	rows, width := min(block, m.n), m.table.Width()
	queries := m.queries(batch)
	return m.rate(4*float64(batch*rows*width)*float64(m.pool.Size()), func() {
		m.parallel(func(thread int) {
			x := &m.matrices[thread]
			values := m.table.Matrix(0, rows, &x.decoded)
			x.block.Pack(values, product.Two)
			product.MulT(x.scores, rows, &x.block, queries)
			x.weights.Pack(product.Of(x.scores, batch, rows, rows), product.Two)
			x.rows.Pack(values, product.Two)
			product.Mul(x.sums, width, &x.weights, &x.rows)
		})
	})
}

// gathers reads one row in thirteen, as residuals do.
func (m *meter) gathers() float64 {
	const step = 13
	var rows []int32
	for e := 0; e < m.n; e += step {
		rows = append(rows, int32(e))
	}
	size := float64(m.bytes()) / float64(m.n)
	return m.rate(float64(len(rows))*size, func() {
		clear(m.sum(0))
		m.table.AxpyAt(m.sum(0), rows, m.x[:len(rows)])
	})
}

// edges follows edges from every entity to one that lies anywhere.
func (m *meter) edges() float64 {
	count := min(m.n, 1<<16)
	heads, tails := make([]int32, count), make([]int32, count)
	for i := range heads {
		heads[i], tails[i] = int32(i), int32(i*7919%m.n)
	}
	return m.rate(float64(count), func() { kernels.Traverse(m.z, m.x, heads, tails) })
}
