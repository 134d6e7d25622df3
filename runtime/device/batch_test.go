package device

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/kernels/cuda/table"
	"github.com/efoc/efoc/testdata/emulate"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
)

// TestBatchProducts compares the matrix products of batches on an emulated device, whose
// memory is full of NaN, with sums in float64, within the bound that batch.cuh states.
func TestBatchProducts(t *testing.T) {
	d := emulate.New(t)
	for _, rows := range long.Or([]rows{floatRows, codeRows}, []rows{codeRows}) { // each is compiled
		t.Run(rows.suffix, func(t *testing.T) {
			source, err := table.Source(rows.suffix)
			require.NoError(t, err)
			module, err := d.Load(source)
			require.NoError(t, err)
			for _, c := range []struct {
				n, rank, batch, splits int
				unit                   float64 // of numbers of the table; queries are divided by it
			}{
				{50, 5, 3, 1, 1}, {300, 40, 64, 3, 1}, {60, 66, 130, 2, 1}, {40, 1000, 1, 8, 1}, {30, 9, 2, 1, 1e-16}, {30, 9, 2, 1, 1e16},
			} {
				multiplyBatch(t, d, module, rows, c.n, c.rank, c.batch, c.splits, c.unit)
			}
		})
	}
}

// multiplyBatch compares one sweep and one sum of rows of a random table.
func multiplyBatch(t *testing.T, d cuda.Driver, module cuda.Module, rows rows, n, rank, batch, splits int, unit float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(n), uint64(rank)))
	width := 2 * rank
	m := modelHeader{N: int64(n), Width: int64(width), Stride: int64(width+15) / 16 * 16, Power: 1}
	stride := int(m.Stride)
	numbers, scales, norms := make([]float64, n*width), make([]float32, n), make([]float32, n)
	data := make([]byte, n*stride*int(rows.bytes))
	for e := range n {
		scales[e] = float32(0.5 + rng.Float64())
		for k := range width {
			x, at := float32(rng.NormFloat64()*unit)/32, e*stride+k
			switch rows {
			case floatRows:
				binary.LittleEndian.PutUint32(data[4*at:], math.Float32bits(x))
			default:
				data[at] = byte(int8(min(max(float64(x)/unit*1024, -127), 127)))
				x = float32(int8(data[at]))
			}
			numbers[e*width+k] = float64(x)
			norms[e] = max(norms[e], float32(math.Abs(float64(x))))
		}
		norms[e] *= float32(math.Sqrt(float64(width))) // no less than the norm
	}
	if rows != codeRows {
		m.Power = powerOf(norms)
	}
	run := runHeader{VectorStride: int64(n+63) / 64 * 64, Batch: int64(batch), Blocks: int64(splits), Splits: int64(splits), ScoreBlocks: 1, Slots: 1}
	program := &Program{
		Scores: []Score{{Constant: None, Relation: None, Stat: None}, {Kind: Loop, Constant: None, Embedding: None, Vector: 2, Stat: None}},
		Sums:   []Sum{{Vector: 1, Embedding: 1}},
	}
	memory := memory{driver: d}
	require.NoError(t, memory.block("the test", "", part{&m.Entities, int64(len(data))}, part{&m.Scales, int64(4 * n)}, part{&m.Relations, 4 * m.Stride * run.Batch},
		part{&run.Input, 8 * 5}, part{&run.Arguments, 4 * run.Batch}, part{&run.Scores, 2 * 32}, part{&run.Sums, 8},
		part{&run.Vectors, 3 * 4 * run.VectorStride * run.Batch}, part{&run.Embeddings, 8 * m.Stride * run.Batch}, part{&run.Partials, 8 * m.Stride * run.Batch * run.Blocks},
		part{&run.Packed, 2 * run.Batch * packedBytes(m.Stride)}, part{&run.States, run.Batch * packedBytes(m.N)}))
	defer memory.free()
	queries, weights := make([]float32, batch*stride), make([]float32, batch*int(run.VectorStride))
	for i := range queries {
		if i%stride < width {
			queries[i] = float32(rng.NormFloat64() * math.Exp(4*rng.NormFloat64()) / unit)
		}
	}
	relations := make([]int32, batch) // each query has its own, with the numbers of the embedding
	for b := range relations {
		relations[b] = int32(b)
	}
	for i := range weights {
		weights[i] = float32(math.NaN())
		if i%int(run.VectorStride) < n {
			weights[i] = float32(math.Exp(-8*rng.Float64()) / float64(n))
		}
	}
	for _, err := range []error{
		d.Write(m.Entities, data), d.Write(m.Scales, bytesOf(scales)), d.Write(run.Embeddings, bytesOf(queries)),
		d.Write(m.Relations, bytesOf(queries)), d.Write(run.Arguments, bytesOf(relations)), d.Write(run.Scores, putHeader(nil, scoresOf(program))), d.Write(run.Sums, putHeader(nil, sumsOf(program))),
		d.Write(run.Input, putHeader(nil, &input{Queries: int64(batch)})),
		d.Write(run.Vectors+cuda.Pointer(4*run.VectorStride*run.Batch), bytesOf(weights)),
	} {
		require.NoError(t, err)
	}
	onDevice := &Copy{device: &Device{tuning: Tuning{}.withDefaults()}, rows: rows, header: m}
	launches := append(onDevice.batchSweep(Launch{Kind: Scores, Count: 2}, &run, module), onDevice.batchSweep(Launch{Kind: Sums, Count: 1}, &run, module)...)
	r, err := d.Record(cuda.Sequence{Module: module, Model: putHeader(nil, &m), Run: putHeader(nil, &run), Launches: launches})
	require.NoError(t, err)
	require.NoError(t, r.Replay())
	scores, sums := make([]float32, 3*batch*int(run.VectorStride)), make([]float32, 2*batch*splits*stride)
	require.NoError(t, d.Read(bytesOf(scores), run.Vectors))
	require.NoError(t, d.Read(bytesOf(sums), run.Partials))
	scale := func(e int) float64 {
		if rows == codeRows {
			return float64(scales[e])
		}
		return 1
	}
	c := productCheck{t: t, what: fmt.Sprintf("n %d, rank %d, batch %d", n, rank, batch)}
	for b := range batch {
		for e := range n {
			for vector := 0; vector < 3; vector += 2 {
				c.begin()
				for k := range width {
					x, by := numbers[e*width+k]*scale(e), k
					if vector == 2 {
						x *= x
						by = k % rank // the real half of the relation, twice
					}
					c.add(x, float64(queries[b*stride+by]))
				}
				c.end(fmt.Sprintf("score %d of entity %d for query %d", vector, e, b), float64(scores[(vector*batch+b)*int(run.VectorStride)+e]), width)
			}
		}
		for k := range width {
			c.begin()
			for e := range n {
				c.add(numbers[e*width+k], scale(e)*float64(weights[b*int(run.VectorStride)+e]))
			}
			got := 0.0
			for z := range splits {
				got += float64(sums[((batch+b)*splits+z)*stride+k])
			}
			c.end(fmt.Sprintf("sum %d of query %d", k, b), got, n)
		}
	}
}

// productCheck compares sums of products with what a device made of them.
type productCheck struct {
	t                        *testing.T
	what                     string
	sum, size                float64
	left, right, most, mostR float64 // Σ|x| and Σ|y|, and the largest of both
}

func (c *productCheck) begin() { c.sum, c.size, c.left, c.right, c.most, c.mostR = 0, 0, 0, 0, 0, 0 }

func (c *productCheck) add(x, y float64) {
	c.sum, c.size = c.sum+x*y, c.size+math.Abs(x*y)
	c.left, c.right = c.left+math.Abs(x), c.right+math.Abs(y)
	c.most, c.mostR = max(c.most, math.Abs(x)), max(c.mostR, math.Abs(y))
}

// end compares a sum of products. To the bound of batch.cuh come two roundings of later factors and
// one of scales, 2⁻²³, and the error of numbers in the test's tables that are much smaller than the
// largest one: 2⁻³⁹ of 64 times it, as its norm may be.
func (c *productCheck) end(what string, got float64, products int) {
	bound := (3*math.Ldexp(1, -22) + 12*math.Ldexp(1, -23) + (float64(products)/32+8)*math.Ldexp(1, -24)) * c.size
	bound += 64 * math.Ldexp(1, -39) * (c.most*c.right + c.mostR*c.left)
	if !(math.Abs(got-c.sum) <= bound) {
		c.t.Fatalf("%s: %s is %g, want %g within %.2g", c.what, what, got, c.sum, bound)
	}
}

// TestSplits checks that the sums of a batch give multiprocessors a block each, none of them a second one, and
// no block without rows.
func TestSplits(t *testing.T) {
	for _, c := range []struct{ n, stride, batch, tuned, want int64 }{
		{14505, 512, 1, 0, 66}, {100, 16, 1, 0, 2}, {14505, 512, 256, 0, 16}, {14505, 512, 16, 0, 33}, {14505, 2048, 256, 0, 4}, {100, 512, 16, 0, 4}, {14505, 512, 256, 2, 2},
	} {
		m := &Copy{device: &Device{tuning: Tuning{Splits: int(c.tuned)}.withDefaults()}, memory: memory{driver: manyUnits{newFake()}}, header: modelHeader{N: c.n, Stride: c.stride}}
		if got := int64(m.splits(int(c.batch))); got != c.want {
			t.Errorf("%+v: %d parts", c, got)
		}
	}
}

// manyUnits has the multiprocessors of an H100.
type manyUnits struct{ *fake }

func (manyUnits) Multiprocessors() int { return 132 }
