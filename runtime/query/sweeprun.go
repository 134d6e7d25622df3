package query

import (
	"math"

	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/runtime/drive"

	"github.com/efoc/efoc/kernels"
	"github.com/efoc/efoc/kernels/quant"
)

// Run makes the pass, unless the workspace has an error. A batch with only estimates needs
// none.
func (s *Sweep) Run() {
	if s.w.Err() != nil || len(s.scores)+len(s.loops)+len(s.sums) == 0 {
		return
	}
	if s.w.Part != nil {
		s.runOfPart()
		return
	}
	s.runPass()
}

// runPass makes the pass.
func (s *Sweep) runPass() {
	if s.w.ask(s) && s.coded.table != nil {
		s.readAgain()
	}
}

// Serve makes one pass that does the work of all these sweeps, or one for each number of
// entities: in a group, some of the queries may have begun before others were added.
func (s *Sweep) Serve(all []drive.Request) {
	if !s.w.Batched() {
		s.pass()
		return
	}
	model := s.w.model
	merged, _ := model.merged.Get().(*Sweep)
	if merged == nil {
		merged = &Sweep{}
	}
	for done, n := 0, 0; done < len(all); n++ {
		n = nextSize(all, n)
		done += merged.merge(all, n)
	}
	merged.forget()
	model.merged.Put(merged) // unless it has panicked: then nobody knows its state
}

// nextSize returns the least number of entities, of a model that some sweep is about, that is
// at least n.
func nextSize(all []drive.Request, n int) int {
	least := math.MaxInt
	for _, j := range all {
		if size := j.(*Sweep).w.model.NumEntities(); size >= n {
			least = min(least, size)
		}
	}
	return least
}

// merge makes one pass that does the work of those sweeps that are about n entities, and
// returns how many they are.
func (s *Sweep) merge(all []drive.Request, n int) (sweeps int) {
	s.scores, s.loops, s.sums = s.scores[:0], s.loops[:0], s.sums[:0]
	for _, j := range all {
		if one := j.(*Sweep); one.w.model.NumEntities() == n {
			s.w = one.w
			s.scores = append(s.scores, one.scores...)
			s.loops = append(s.loops, one.loops...)
			s.sums = append(s.sums, one.sums...)
			sweeps++
		}
	}
	s.batched = sweeps > 1
	s.pass()
	for _, j := range all {
		if one := j.(*Sweep); one.w.model.NumEntities() == n {
			one.coded.table = s.coded.table
		}
	}
	return sweeps
}

// Kind sets sweeps that add rows up apart: most others of a batch do not.
func (s *Sweep) Kind() drive.Kind {
	if len(s.sums) > 0 {
		return drive.Sums
	}
	return drive.Columns
}

// forget lets go of the workspaces that the sweep was about.
func (s *Sweep) forget() {
	clear(s.scores[:cap(s.scores)])
	clear(s.loops[:cap(s.loops)])
	clear(s.sums[:cap(s.sums)])
	s.w = nil
}

// pass visits all rows, then finishes cosines and sums.
func (s *Sweep) pass() {
	predictor := &s.w.model.Predictor
	n, width := s.w.model.NumEntities(), predictor.EntityTable.Width()
	codes := s.readCodes()
	if s.multiplies() {
		s.productPass()
		return
	}
	if codes {
		s.shape = s.splitCodes()
	} else {
		s.shape = splitTiles(n, width, width*predictor.EntityTable.Type().Size(), len(s.sums))
	}
	s.prepareSums()
	s.next.Store(0)
	s.w.model.Pool().Run((*sweepJob)(s), &s.w.task)
	for i := range s.scores {
		if c := &s.scores[i]; c.cosine {
			kernels.DivideNorms(c.dst, predictor.EntityNorms, c.query)
		}
	}
	for i := range s.sums {
		s.combine(i)
	}
}

// columns returns the numbers of a partial sum: those of a row, with its padding in a pass
// over codes.
func (s *Sweep) columns() int {
	if s.coded.table != nil {
		return quant.Columns(s.coded.table.Width)
	}
	return 2 * s.w.model.Predictor.Rank
}

// prepareSums makes room for partial sums.
func (s *Sweep) prepareSums() {
	width := s.columns()
	for len(s.partial) < s.shape.chunks {
		s.partial = append(s.partial, nil)
	}
	for c := range s.shape.chunks {
		s.partial[c] = reuse.Slice(s.partial[c], len(s.sums)*width)
	}
	s.tops, s.largest = reuse.Slice(s.tops, s.shape.chunks*len(s.sums)), reuse.Slice(s.largest, len(s.sums))
	s.shifts = reuse.Slice(s.shifts, s.shape.chunks*s.shape.perChunk*len(s.sums))
}

// sweepJob is a sweep as a job of the worker pool.
type sweepJob Sweep

// Work takes chunks until none is left.
func (j *sweepJob) Work() {
	s := (*Sweep)(j)
	for c := int(s.next.Add(1)) - 1; c < s.shape.chunks; c = int(s.next.Add(1)) - 1 {
		s.chunk(c)
	}
}

// chunk visits the blocks of chunk c, with empty partial sums to begin with.
func (s *Sweep) chunk(c int) {
	clear(s.partial[c])
	for i := range s.sums {
		s.tops[c*len(s.sums)+i] = math.Inf(-1)
	}
	n := s.w.model.NumEntities()
	for i := range s.shape.perChunk {
		b := sweepBlock{index: c*s.shape.perChunk + i, chunk: c}
		b.lo = b.index * s.shape.block
		b.hi = min(b.lo+s.shape.block, n)
		if b.lo >= b.hi {
			return
		}
		if s.coded.table != nil {
			s.codeBlock(b)
			continue
		}
		s.scoreBlock(b)
		s.sumBlock(b)
	}
}

// sweepBlock is one block: the rows lo to hi.
type sweepBlock struct{ index, chunk, lo, hi int }

// scoreBlock computes all scores of the rows of a block, up to four in one reading.
func (s *Sweep) scoreBlock(b sweepBlock) {
	table, list := &s.w.model.Predictor.EntityTable, s.scores
	dst := func(i int) Vector { return list[i].dst[b.lo:b.hi] }
	for ; len(list) >= 4; list = list[4:] {
		table.DotRows4(dst(0), dst(1), dst(2), dst(3), b.lo, b.hi,
			list[0].query, list[1].query, list[2].query, list[3].query)
	}
	if len(list) >= 2 {
		table.DotRows2(dst(0), dst(1), b.lo, b.hi, list[0].query, list[1].query)
		list = list[2:]
	}
	if len(list) == 1 {
		table.DotRows(dst(0), b.lo, b.hi, list[0].query)
	}
	s.loopBlock(b)
}

// loopBlock computes the loop scores of the rows of a block.
func (s *Sweep) loopBlock(b sweepBlock) {
	p := &s.w.model.Predictor
	for i := range s.loops {
		l := &s.loops[i]
		p.EntityTable.LoopScores(l.dst[b.lo:b.hi], b.lo, b.hi, p.Relation(l.relation), bool(l.sign))
	}
}

// sumBlock adds the rows of a block to the partial sums, two sums in one reading. Each
// reading fetches other rows of the next block into the cache: a quarter of them for each
// sum.
func (s *Sweep) sumBlock(b sweepBlock) {
	table, i, next := &s.w.model.Predictor.EntityTable, 0, b.hi
	if len(s.sums)%2 == 1 {
		table.AxpyRows(s.row(b.chunk, 0), b.lo, b.hi, s.weigh(0, b))
		i, next = 1, next+(b.hi-b.lo)/4
	}
	for ; i < len(s.sums); i += 2 {
		table.AxpyRows2(s.row(b.chunk, i), s.row(b.chunk, i+1), b.lo, b.hi, next, s.weigh(i, b), s.weigh(i+1, b))
		next += (b.hi - b.lo) / 2
	}
}

// row returns the partial sum i of a chunk.
func (s *Sweep) row(chunk, i int) []float32 {
	width := s.columns()
	return s.partial[chunk][i*width : (i+1)*width]
}
