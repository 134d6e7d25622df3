package judge

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/efoc/efoc/runtime/internal/run"
	"github.com/efoc/efoc/runtime/internal/top"
	"github.com/efoc/efoc/runtime/model/graph"
)

// Ranking is a page of answers, best first. Found lasts until the judge is released.
type Ranking struct {
	Found        []Finding
	Sets         [][]top.Ranked // the largest members of each fuzzy set
	Uncalibrated string         // why there is no confidence
	Next         int            // the Offset of the next page, 0 if there is none
	Covering     int            // the number of best answers that Asking.Coverage takes
	Incomplete   bool           // the search for answers that pass the filter was given up
}

// Rank returns the best entities that are wanted, and says of each how it relates to the graph. Without a filter
// no more are ranked than are wanted.
func (j *Judge) Rank(r *run.Result) (*Ranking, error) {
	j.open(r)
	if j.uncalibrated != "" && (j.Filter.MinConfidence > 0 || j.Coverage > 0) {
		return nil, fmt.Errorf("answers have no confidence to select by: %s", j.uncalibrated)
	}
	p := &Ranking{}
	if j.Coverage > 0 {
		size, err := j.cover(r)
		if err != nil {
			return nil, err
		}
		p.Covering = size
		j.K = min(j.K, size)
	}
	if !j.filtered && !r.Whole() {
		best := r.Best()
		p.Sets = best.Sets
		return p, j.fill(p, slices.Values(best.Answer))
	}
	if j.SetSize > 0 {
		for _, set := range r.Sets() {
			p.Sets = append(p.Sets, top.Of(set, j.SetSize))
		}
	}
	err := j.fill(p, r.Descending(j.ctx))
	return p, cmp.Or(err, r.Err())
}

// fill takes a page from the entities, ranked best first.
func (j *Judge) fill(p *Ranking, ranked iter.Seq[top.Ranked]) error {
	empty, err := j.take(p, ranked)
	if err != nil {
		return err
	}
	if j.Filter.MinConfidence == 0 {
		if err := j.confideAll(p.Found); err != nil {
			return err
		}
	}
	if err := j.ctx.Err(); err != nil { // which leaves statuses undecided
		return err
	}
	p.Uncalibrated = j.uncalibrated
	if next := j.Offset + j.K; len(p.Found)+empty == j.K && next < j.Model.NumEntities() && (empty == 0 || j.follows(p)) {
		p.Next = next
	}
	return nil
}

// follows reports whether an entity behind the page is not excluded: excluded entities have the score 0, so a page with
// one may be the last one with answers.
func (j *Judge) follows(p *Ranking) bool {
	behind := -len(p.Found)
	for _, e := range j.skipped {
		if !j.excluded(e.Entity) {
			behind--
		}
	}
	for e := range graph.EntityID(j.Model.NumEntities()) {
		if !j.excluded(e) {
			behind++
		}
	}
	return behind > 0
}

// take takes the entities of a page, and returns how many places stay empty.
func (j *Judge) take(p *Ranking, ranked iter.Seq[top.Ranked]) (empty int, err error) {
	j.filling = filling{skip: j.Offset, size: j.Offset + j.K, list: j.list[:0]}
	p.Found = j.scratch.page[:0]
	if j.NoStatus {
		j.size = 1
	}
	for e := range ranked {
		j.list = append(j.list, e)
		if len(j.list) < j.size {
			continue
		}
		j.full = !j.flush(p)
		if j.full {
			break
		}
	}
	if !j.full {
		j.flush(p)
	}
	j.scratch.page = p.Found
	return j.empty, j.err
}

// flush has a page take the entities of the list, whose statuses it finds together, and reports whether the page
// takes more.
func (j *Judge) flush(p *Ranking) bool {
	if !j.NoStatus {
		j.err = j.foresee(j.list)
		j.size = 2 * j.size
	}
	for _, e := range j.list {
		if j.err != nil || !j.add(p, e) {
			return false
		}
	}
	j.list = j.list[:0]
	return j.err == nil
}

// add adds an entity to a page that wants it, and reports whether the page may take the next one.
func (j *Judge) add(p *Ranking, e top.Ranked) bool {
	j.err = j.ctx.Err()
	j.place++
	switch {
	case j.err != nil, len(p.Found)+j.empty == j.K:
		return false
	case j.spent():
		p.Incomplete = true
		return false
	case j.over(e):
		return false
	case j.skip > 0 && !j.filtered: // there is no need to look at it yet
		j.skip--
		j.skipped = append(j.skipped, e)
		return true
	case j.excluded(e.Entity):
		if !j.filtered {
			j.empty++
		}
		return true
	}

	last := len(p.Found)
	p.Found = append(p.Found, Finding{Entity: e.Entity, Score: e.Score, place: j.place})
	wanted, err := j.wants(&p.Found[last])
	if !wanted || j.skip > 0 {
		p.Found = p.Found[:last]
	}
	if wanted && j.skip > 0 {
		j.skip--
	}
	j.err = err
	return err == nil
}

// over reports whether neither e nor any entity behind it can pass the filter: their confidence is too small, and
// known answers, which have another, are not wanted. Those that are known if unknown values meet their filters have
// another, too.
func (j *Judge) over(e top.Ranked) bool {
	least := j.Filter.MinConfidence
	return least > 0 && !j.Filter.Admits(Known) && len(j.lettings) == 0 && j.atMost(e) < least
}

// foresee finds the statuses of entities that a page needs, and their links if that takes a run of truth degrees.
func (j *Judge) foresee(list []top.Ranked) error {
	if !j.filtered {
		list = list[min(j.Offset, len(list)):]
	}
	least := j.Filter.MinConfidence
	var linked []graph.EntityID
	open := j.scratch.entities[:0]
	for _, e := range list {
		if j.ofTypes(e.Entity) && !j.excluded(e.Entity) {
			open = append(open, e.Entity)
		}
	}
	j.scratch.entities = open
	j.decide(open)
	j.follow(&j.solver, open) // what it misses is looked at one by one
	for _, e := range list {
		if least > 0 && j.work == nil && j.atMost(e) >= least {
			linked = append(linked, e.Entity)
		}
	}
	return j.look(linked)
}

// wants fills in status and range of a finding and reports whether the filter accepts it. Confidence is added
// later, for all findings at once, unless the filter needs it.
func (j *Judge) wants(a *Finding) (bool, error) {
	f := &j.Filter
	e := top.Ranked{Entity: a.Entity, Score: a.Score}
	wanted := j.ofTypes(a.Entity)
	if wanted {
		a.OutOfRange = j.outOfRange(a.Entity)
		wanted = !(a.OutOfRange && (f.InRange || f.MinConfidence > 0 && j.atMost(e) < f.MinConfidence)) // nor can it be known
	}
	if !wanted && !j.seeks() {
		return false, nil
	}
	if !j.NoStatus {
		a.Status = j.status(a.Entity)
	}
	j.see(e, a.Status)
	if !wanted || !f.Admits(a.Status) {
		return false, nil
	}
	if f.MinConfidence == 0 {
		return true, nil
	}
	if a.Status != Known && j.atMost(e) < f.MinConfidence {
		return false, nil
	}
	err := j.confide([]*Finding{a})
	return a.Confidence >= f.MinConfidence, err
}
