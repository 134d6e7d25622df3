package fit

import (
	"github.com/efoc/efoc/kernels/product"
	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/kernels/simd"
	"github.com/efoc/efoc/runtime/internal/pass"
	"github.com/efoc/efoc/runtime/internal/rows"
	"github.com/efoc/efoc/runtime/model"
)

// passes is the room for passes over the entity table.
type passes struct {
	queries []float32 // rows × 2d
	scores  []float32 // rows × stride
	stride  int
	reading pass.Pass
}

// workerRoom is the room in which one worker turns exponentials into degrees.
type workerRoom struct {
	ids     []int32   // n
	degrees []float32 // n, nil if a row has taken them
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

// cacheLine is the number of float32 numbers in 64 bytes, at which rows of scores begin.
const cacheLine = 16

// strideOf is the distance of rows of scores of n entities.
func strideOf(n int) int { return (n + cacheLine - 1) / cacheLine * cacheLine }

// need returns the memory for passes of some number of rows.
func (k *maker) need(rows int) int64 {
	n := k.model.NumEntities()
	width := 2 * k.model.Predictor.Rank
	need := numberBytes * int64(rows) * int64(strideOf(n)+width)
	return need + int64(len(k.workers))*2*numberBytes*int64(n) + pass.Need(k.model, rows)
}

// divisor returns the divisor of the scores of a relation. A scale without a temperature leaves them
// as they are.
func (s scale) divisor(m *model.Model, r model.RelationID) float32 {
	switch factors := m.Manifest.Temperatures; {
	case s.temperature == 0:
		return 1
	case factors != nil:
		return s.temperature * float32(factors[r])
	}
	return s.temperature
}

// query sets dst to the vector whose inner products with the table are the scores of the row of head
// under r.
func (s scale) query(dst []float32, m *model.Model, head []float32, r model.RelationID) {
	m.Predictor.Relation(r).Project(dst, head, false, false)
	if t := s.divisor(m, r); t != 1 {
		simd.Scale(dst, dst, 1/t)
	}
}

// score returns the scores of row i of a pass.
func (k *maker) score(i int) []float32 {
	return k.scores[i*k.stride : i*k.stride+k.model.NumEntities()]
}

// query returns the vector that row i of a pass multiplies the table with.
func (k *maker) query(i int) []float32 {
	width := 2 * k.model.Predictor.Rank
	return k.queries[i*width : (i+1)*width]
}

// request begins a pass for the scores ⟨r⊗E_h, E_t⟩ of the keys that message passing has not scored.
// Scores are as exact as float32, or nearly, because a negated degree, 1 − P, may be as small as P's
// error.
func (k *maker) request(keys []key) {
	p := &k.model.Predictor
	k.stride = strideOf(k.model.NumEntities())
	k.queries, k.scores = reuse.Slice(k.queries, len(keys)*2*p.Rank), reuse.Slice(k.scores, len(keys)*k.stride)
	k.offs = reuse.Slice(k.offs, len(keys))
	r := k.reading.Begin()
	r.Terms = product.Two
	r.Within = pass.MaxCodeError
	var heads []float32
	if k.part != nil {
		heads = k.heads(keys)
	}
	for i, x := range keys {
		given := k.given[x].scores != nil
		k.offs[i] = 0
		if given && x.detail == exactRow {
			continue
		}
		var head []float32
		if heads != nil {
			head = heads[i*2*p.Rank : (i+1)*2*p.Rank]
		} else {
			head = p.EntityTable.Row(model.EntityID(x.h), nil)
		}
		k.scale.query(k.query(i), k.model, head, x.r)
		if off := coarseOff(&p.EntityTable, k.query(i)); x.detail != exactRow && off <= mostOff {
			k.offs[i] = off
			if given {
				continue
			}
		}
		delete(k.given, x) // whose scores are not exact enough
		r.Columns = append(r.Columns, rows.Column{Dst: k.score(i), Query: k.query(i), Wide: k.offs[i] == 0})
		if k.offs[i] == 0 {
			r.Terms = product.Three
		}
	}
}

// pass computes the scores of the keys.
func (k *maker) pass(keys []key) {
	k.request(keys)
	k.run()
}

// exponentials computes the exponentials of the scores, and their sums.
func (k *maker) exponentials(keys []key) {
	k.request(keys)
	_, longest := k.model.Predictor.EntityTable.CodesOff() // 0 if there are no codes
	for i, x := range keys {
		e := pass.Exponential{X: k.score(i)}
		if given := k.given[x]; given.scores != nil {
			e.From, e.By = given.scores, given.sign/k.scale.divisor(k.model, x.r)
		} else {
			e.Bounded = longest > 0 && rows.Length(k.query(i))*longest <= pass.MaxBounded
		}
		k.reading.Exponentials = append(k.reading.Exponentials, e)
	}
	k.run()
	k.model.Pool().Each(len(keys), func(worker, i int) {
		if k.offs[i] > 0 {
			k.sharpen(i, &k.workers[worker])
		}
	})
}

// run makes the pass, by the one that is to be made before if that serves both.
func (k *maker) run() {
	before := k.before
	k.before = nil
	if before == nil || !before(&k.reading.Request) {
		k.reading.Run(rows.Wide{Model: k.model}, k.model.Pool())
	}
}
