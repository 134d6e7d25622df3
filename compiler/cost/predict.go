package cost

import (
	"fmt"
	"slices"

	"github.com/efoc/efoc/compiler/ir"
	"github.com/efoc/efoc/runtime/moments"
	"github.com/efoc/efoc/runtime/query"
)

// Estimate is what a plan costs, for all queries of a batch together.
type Estimate struct {
	Work
	// Bytes and FLOPs are the sums over the kinds of work.
	Bytes float64 `json:"bytes"`
	FLOPs float64 `json:"flops"`
	// Sweeps are the passes over the table, in order.
	Sweeps []Sweep `json:"sweeps"`
	// Seconds is the time that the constants predict, 0 without constants.
	Seconds float64 `json:"seconds,omitempty"`
}

// Sweep is one pass over the table.
type Sweep struct {
	// Scores and Sums are what is computed of each row: a row of truth degrees takes a
	// score.
	Scores int `json:"scores"`
	Sums   int `json:"sums"`
	// Rows is the number of rows read, by each query of a batch where it is not
	// Shared; 0 where no row of truth degrees is to be made.
	Rows int `json:"rows"`
	// Shared says that the threads, and the queries of a batch, share the pass;
	// otherwise it is one op's, and one thread's.
	Shared bool `json:"shared"`
	// Bytes and FLOPs are those of the rows.
	Bytes float64 `json:"bytes"`
	FLOPs float64 `json:"flops"`
	// Seconds is the time that the constants predict, 0 without constants.
	Seconds float64 `json:"seconds,omitempty"`

	degrees bool // it makes rows of truth degrees
	each    Work // what is done with the scores of those
}

// Predict estimates the cost of a plan. Without constants it predicts no time. Rows of
// truth degrees that are kept cost nothing: the prediction is for a plan that makes all
// of its rows.
func Predict(p *ir.Plan, s Sizes, c *Constants) *Estimate {
	s = s.withDefaults()
	e := &Estimate{}
	batch := float64(s.Batch)
	index := map[int]int{} // of a sweep of the plan in e.Sweeps
	var all, rest Work     // rest without what sweeps do with the scores of rows
	for _, v := range written(p.Values, s) {
		if s.Batch > 1 {
			if v = inBatch(v); v == nil {
				continue
			}
		}
		w := Of(v, s)
		if v.Op.Info().Passes > 0 {
			i, ok := index[v.Sweep]
			if !ok || v.Sweep <= 0 {
				i = len(e.Sweeps)
				index[v.Sweep] = i
				e.Sweeps = append(e.Sweeps, newSweep(v, s))
			}
			sweep := &e.Sweeps[i]
			sweep.count(v, s)
			sweep.FLOPs += batch * w.RowFLOPs
			w.RowFLOPs = 0
			if sweep.degrees {
				sweep.each.add(w, batch)
				all.add(w, batch)
				continue
			}
		}
		all.add(w, batch)
		rest.add(w, batch)
	}
	e.Work = all
	for i := range e.Sweeps {
		e.TableBytes += e.Sweeps[i].Bytes
		e.RowFLOPs += e.Sweeps[i].FLOPs
	}
	e.Bytes, e.FLOPs = e.Work.Bytes(), e.Work.FLOPs()
	if c != nil {
		e.predict(rest, s, c)
	}
	return e
}

// written returns the values, with the readout written out where it takes a pass all the
// same, for the table is small.
func written(values []*ir.Value, s Sizes) []*ir.Value {
	last := values[len(values)-1]
	if last.Op != ir.Readout || moments.Pay(s.Entities, 2*s.Rank, int(s.TableBytes())) {
		return values
	}
	cosine := &ir.Value{Op: ir.Cosine, Args: last.Args[1:], Sweep: ownSweep - 1}
	near := &ir.Value{Op: ir.Softmax, Args: []*ir.Value{cosine}}
	return append(slices.Clone(values[:len(values)-1]), cosine, near, &ir.Value{Op: ir.Mix, Args: []*ir.Value{last.Args[0], near}})
}

// ownSweep is the sweep of a value that has one of its own, which a batch shares.
const ownSweep = -1

// inBatch returns what a batch computes in place of a value: it has no estimates and no
// residuals, but embeds in a pass of its own.
func inBatch(v *ir.Value) *ir.Value {
	switch v.Op {
	case ir.Estimate:
		return nil
	case ir.Correct:
		return &ir.Value{Op: ir.Embed, Args: v.Args[:1], Sweep: ownSweep}
	}
	return v
}

// newSweep returns the pass that a value is the first of.
func newSweep(v *ir.Value, s Sizes) Sweep {
	w := Sweep{Rows: s.Entities, Bytes: s.TableBytes(), Shared: v.Sweep != 0, degrees: v.Op.Info().Rows}
	if w.degrees {
		w.Shared = true
	}
	if !w.Shared {
		w.Bytes *= float64(s.Batch)
	}
	return w
}

// count notes what a value computes of each row.
func (w *Sweep) count(v *ir.Value, s Sizes) {
	switch {
	case w.degrees:
		w.countRows(int(s.rowsOf(v)), s)
	case v.Op == ir.Embed || v.Op == ir.Estimate:
		w.Sums += s.Batch
	default:
		w.Scores += s.Batch
		w.Bytes += s.againBytes()
	}
}

// predict fills in the times. The queries of a batch divide among the threads
// what they do not share.
func (e *Estimate) predict(rest Work, s Sizes, c *Constants) {
	dot := 2 * float64(s.Entities) * float64(2*s.Rank)
	workers := float64(min(s.Batch, max(1, c.Threads)))
	for i := range e.Sweeps {
		w := &e.Sweeps[i]
		switch {
		case w.degrees:
			w.Seconds = w.predictRows(s, c)
		case w.Shared && max(w.Scores, w.Sums) >= query.MinProduct:
			// Scores are copied out of the product, and weights into it.
			moved := 2 * vectorBytes * float64((w.Scores+w.Sums)*s.Entities)
			w.Seconds = w.Bytes/c.Bandwidth + w.FLOPs/c.Products + moved/c.Read/workers
		case w.Shared:
			w.Seconds = w.Bytes/c.Bandwidth + max(0, w.FLOPs-dot)/c.FLOPS
		default:
			w.Seconds = max(w.Bytes/c.Alone/workers, w.Bytes/c.Bandwidth)
		}
		e.Seconds += w.Seconds
	}
	vectors := c.Vectors
	if s.Batch > 1 { // those of so many queries do not stay in the cache
		vectors = min(vectors, c.Read/workers)
	}
	gathers := rest.TableBytes / c.Gathers / float64(max(1, c.Threads)) // threads share a residual
	other := rest.VectorBytes/vectors + rest.Exps/c.Exps + rest.Scalars/c.Scalars + rest.Edges/c.Edges
	e.Seconds += gathers + other/workers
}

// Scale formats a quantity with a prefix: 29.7 M.
func Scale(x float64) string {
	for _, p := range []struct {
		size   float64
		prefix string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if x >= 0.9995*p.size {
			return fmt.Sprintf("%.3g %s", x/p.size, p.prefix)
		}
	}
	return fmt.Sprintf("%.0f ", x)
}
