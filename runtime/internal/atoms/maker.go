package atoms

import (
	"github.com/efoc/efoc/kernels/product"
	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/runtime/internal/exchange"
	"github.com/efoc/efoc/runtime/internal/fuzzy"
	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/internal/rows"
	"github.com/efoc/efoc/runtime/internal/sweep"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
)

// scoreBytes bounds the scores of the rows that one sweep of the table makes. A sweep makes at least minRows rows if
// that many are requested and memory suffices.
const (
	scoreBytes = 16 << 20
	minRows    = 16
)

// maker makes many rows in one sweep of the entity table.
type maker struct {
	model *model.Model
	facts *model.Model // with the facts for the rows
	graph *graph.Graph // of these
	scale scale
	// number is the number of the scale in the cache.
	number uint32
	// missing lists the rows to make, places the index of each in missing, rows the result.
	missing []Key
	places  map[Key]int
	rows    []*entry
	given   map[Key]Given // scores that need no sweep
	before  func(more *sweep.Request) bool
	beside  func() // for a worker, while others make rows of the results
	floats  bool   // read float rows of the table
	// For a sweep of the entity table.
	queries []float32 // rows × 2d
	scores  []float32 // rows × stride
	stride  int
	reading sweep.Sweep
	pool    *pool.Pool
	workers []workerRoom
	charged int64 // memory charged to the Cache
	part    *exchange.Shard
	norms   []norm // of the rows of a sweep
	weights []weights
	offs    []float64 // see coarseOff; 0 for an exact row
}

// newMaker returns a maker for a model.
func newMaker(m *model.Model) *maker {
	return &maker{model: m, places: map[Key]int{}, given: map[Key]Given{}, workers: make([]workerRoom, m.Pool().Size())}
}

// takeMaker returns a maker without rows.
func (c *Cache) takeMaker(s scale) *maker {
	k := reused[maker](&c.budget)
	if k == nil {
		k = newMaker(c.model)
	}
	k.model = c.model
	k.scale = s
	k.pool = c.model.Pool()
	k.missing = k.missing[:0]
	clear(k.places)
	return k
}

// giveMaker pools a maker, or drops it unless it is whole: not after a failure.
func (c *Cache) giveMaker(k *maker, whole bool) {
	if whole {
		c.Put(k, k.charged)
	} else {
		c.running.Add(-k.charged)
	}
}

// workerRoom is the memory in which a worker converts exponentials to degrees.
type workerRoom struct {
	ids     []int32   // n
	degrees []float32 // n, nil once a row owns them
	uncut   []float32 // n
}

// prepare makes room for a row of n entities.
func (room *workerRoom) prepare(n int) {
	if room.ids == nil {
		room.ids = make([]int32, n)
	}
	if room.degrees == nil {
		room.degrees = make([]float32, n)
	}
}

// cacheLine is the number of float32 numbers in 64 bytes, the alignment of rows of scores.
const cacheLine = 16

// strideOf returns the distance between rows of scores of n entities.
func strideOf(n int) int { return (n + cacheLine - 1) / cacheLine * cacheLine }

// need returns the memory for sweeps of the given number of rows.
func (k *maker) need(rows int) int64 {
	n := k.model.NumEntities()
	width := 2 * k.model.Predictor.Rank
	need := fuzzy.NumberBytes * int64(rows) * int64(strideOf(n)+width)
	return need + int64(len(k.workers))*3*fuzzy.NumberBytes*int64(n) + sweep.Need(k.model, rows)
}

// score returns the scores of row i of a sweep.
func (k *maker) score(i int) []float32 {
	return k.scores[i*k.stride : i*k.stride+k.model.NumEntities()]
}

// query returns the vector that row i of a sweep multiplies the table with.
func (k *maker) query(i int) []float32 {
	width := 2 * k.model.Predictor.Rank
	return k.queries[i*width : (i+1)*width]
}

// heads returns the embeddings of the heads of some keys.
func (k *maker) heads(keys []Key) []float32 {
	table := &k.model.Predictor.EntityTable
	rows := make([]float32, len(keys)*table.Width())
	ids := make([]int32, len(keys))
	for i, x := range keys {
		ids[i] = x.H
	}
	k.part.Embeddings(rows, ids, table)
	return rows
}

// request begins a sweep for the scores ⟨r⊗E_h, E_t⟩ of the keys without scores from message passing. Scores are
// exact to nearly float32, because a negated degree, 1 − P, may be as small as P's error.
func (k *maker) request(keys []Key) {
	p := &k.model.Predictor
	k.stride = strideOf(k.model.NumEntities())
	k.queries, k.scores = reuse.Slice(k.queries, len(keys)*2*p.Rank), reuse.Slice(k.scores, len(keys)*k.stride)
	k.offs = reuse.Slice(k.offs, len(keys))
	r := k.reading.Begin()
	r.Terms = product.Two
	r.Within = sweep.MaxCodeError
	var heads []float32
	if k.part != nil {
		heads = k.heads(keys)
	}
	for i, x := range keys {
		given := k.given[x].Scores != nil
		k.offs[i] = 0
		var head []float32
		if heads != nil {
			head = heads[i*2*p.Rank : (i+1)*2*p.Rank]
		} else {
			head = p.EntityTable.Row(graph.EntityID(x.H), nil)
		}
		k.scale.query(k.query(i), k.model, head, x.R)
		if given && x.Detail == ExactRow {
			continue
		}
		if off := coarseOff(&p.EntityTable, k.query(i)); x.Detail != ExactRow && off <= mostOff {
			k.offs[i] = off
			if given {
				continue
			}
		}
		delete(k.given, x) // its scores are not exact enough
		r.Columns = append(r.Columns, rows.Column{Dst: k.score(i), Query: k.query(i), Wide: k.offs[i] == 0})
		if k.offs[i] == 0 {
			r.Terms = product.Three
		}
	}
}

// sweep computes the scores of the keys.
func (k *maker) sweep(keys []Key) {
	k.request(keys)
	k.run()
}

// run makes the sweep, or lets the preceding one serve it too.
func (k *maker) run() {
	before := k.before
	k.before = nil
	if before != nil && before(&k.reading.Request) {
		return
	}
	var source rows.Source = rows.Wide{Model: k.model}
	switch {
	case k.floats:
		source = rows.Float{Model: k.model}
	case rows.ByDots(k.model, k.reading.Columns):
		source = rows.Codes{Model: k.model}
	}
	k.reading.Run(source, k.pool)
}

// norm is the normalisation of a row: exponentials are relative to Top.
type norm struct{ Top, Sum, Mass, Tails float64 }
