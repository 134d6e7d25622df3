package atoms

import (
	"slices"

	"github.com/efoc/efoc/kernels/reuse"
	"github.com/efoc/efoc/runtime/internal/drive"
	"github.com/efoc/efoc/runtime/internal/exchange"
	"github.com/efoc/efoc/runtime/internal/fuzzy"
)

// Serve makes the rows of all requests.
func (r *Request) Serve(all []drive.Request) {
	r.all = r.all[:0]
	for _, x := range all {
		r.all = append(r.all, x.(*Request))
	}
	err := r.rows.fetch(r.all)
	for _, x := range r.all {
		x.Err = err
	}
	clear(r.all)
}

// One returns the row of a key immediately, without an op's request.
func (r *Request) One(x Key) (*fuzzy.Set, error) {
	r.Keys = append(r.Keys[:0], x)
	r.ctx = r.run.Context()
	if err := r.rows.fetch([]*Request{r}); err != nil {
		return nil, err
	}
	return r.Made[0], nil
}

// fetch serves requests on the same facts: cached rows at once, the others together. The requests hold the rows until
// they are done.
func (c *Cache) fetch(all []*Request) error {
	if err := ended(all); err != nil {
		return err
	}
	number, whole := c.lookUp(all)
	if whole && all[0].part == nil {
		return nil
	}
	k := c.takeMaker(all[0].scale)
	k.number = number
	k.facts, k.graph, k.part, k.before = all[0].facts, all[0].facts.Graph, all[0].part, all[0].Before
	k.beside = all[0].Beside
	k.floats = all[0].Floats
	whole = false
	defer func() {
		k.before = nil
		k.beside = nil
		clear(k.given)
		c.release(k.rows)
		clear(k.rows)
		k.rows = k.rows[:0]
		c.giveMaker(k, whole)
	}()
	k.list(all)
	if run := all[0].run; run != nil && len(k.missing) < minRows { // the jobs are short
		k.pool = run.Workers
	}
	if k.part != nil {
		k.agreeOnMissing(all)
	} else {
		c.derive(k)
	}
	err := c.makeRows(k, all)
	if err == nil {
		c.handOut(k, all)
	}
	whole = true
	return err
}

// lookUp gives requests their cached rows. It returns the number of their scale, and whether no row is missing.
func (c *Cache) lookUp(all []*Request) (number uint32, whole bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	whole = true
	number = c.numberOf(all[0].scale)
	for _, r := range all {
		r.Made = r.Made[:0]
		for _, x := range r.Keys {
			e := c.find(r.scale.cached(x, number, r.facts.Graph))
			if e == nil {
				whole = false
				r.Made = append(r.Made, nil)
				continue
			}
			r.Made = append(r.Made, e.row)
			r.read = append(r.read, e)
		}
	}
	return number, whole
}

// list lists the missing rows of requests, and the scores that are given.
func (k *maker) list(all []*Request) {
	for _, r := range all {
		for i, x := range r.Keys {
			if i < len(r.Given) && r.Given[i].Scores != nil {
				k.given[x] = r.Given[i]
			}
			if r.Made[i] == nil {
				k.miss(x)
			}
		}
	}
}

// miss adds a row to the missing ones.
func (k *maker) miss(x Key) {
	if _, listed := k.places[x]; !listed {
		k.places[x] = len(k.missing)
		k.missing = append(k.missing, x)
	}
}

// agreeOnMissing adds the rows that other ranks lack to the missing ones: their budgets may have evicted others.
func (k *maker) agreeOnMissing(all []*Request) {
	var keys []Key
	var lacks []float32
	for _, r := range all {
		keys = append(keys, r.Keys...)
		for _, row := range r.Made {
			lacks = append(lacks, 0)
			if row == nil {
				lacks[len(lacks)-1] = 1
			}
		}
	}
	k.part.Max(lacks)
	clear(k.places)
	k.missing = k.missing[:0]
	for i, x := range keys {
		if lacks[i] > 0 {
			k.miss(x)
		}
	}
}

// makeRows makes the missing rows, in order, as many at a time as memory allows.
func (c *Cache) makeRows(k *maker, all []*Request) error {
	n := c.model.NumEntities()
	if k.part != nil {
		n = k.part.Entities / k.part.Size() // the same on all ranks
	}
	for missing := k.missing; len(missing) > 0; {
		rest(all)
		if err := ended(all); err != nil {
			return err
		}
		count := min(len(missing), max(minRows, scoreBytes/(fuzzy.NumberBytes*n)))
		for k.part == nil && count > 1 && !c.hasRoom(k.need(count)-k.charged) {
			count /= 2
		}
		if !c.Charge(max(k.charged, k.need(count)), &k.charged) {
			if k.part == nil {
				return c.memoryError(k, all)
			}
			k.part.Fail(c.memoryError(k, all))
		}
		keys := missing[:count]
		missing = missing[count:]
		k.exponentials(keys)
		k.weights = k.weights[:0]
		for _, x := range keys {
			k.weights = append(k.weights, c.factors.weightsOf(k.facts, k.scale, x.R, k.part != nil))
		}
		made, makings := k.convert(keys, len(missing) == 0)
		if k.part != nil && k.part.Err() != nil {
			return k.part.Err()
		}
		for i, row := range made {
			k.rows = append(k.rows, c.add(k.scale.cached(keys[i], k.number, k.graph), row, makings[i]))
		}
		if k.part == nil && !c.hasRoom(0) {
			return c.memoryError(k, all)
		}
	}
	return nil
}

// convert converts the results of a sweep to rows; last says that no other sweep follows. A worker does the work beside
// the rows.
func (k *maker) convert(keys []Key, last bool) ([]*fuzzy.Set, []*making) {
	made := make([]*fuzzy.Set, len(keys))
	makings := make([]*making, len(keys))
	k.norms = reuse.Slice(k.norms, len(keys))
	row := func(worker, i int) {
		made[i], makings[i] = k.row(keys[i], i, &k.workers[worker])
	}
	others := 0
	if k.beside != nil && last {
		others = 1
	}
	k.pool.Each(others+len(keys), func(worker, i int) {
		i -= others
		if i < 0 {
			k.beside()
			return
		}
		k.norms[i] = k.normOf(keys[i], i, &k.workers[worker])
		if k.part == nil {
			k.normalize(i, k.norms)
			row(worker, i)
		}
	})
	if k.part == nil {
		return made, makings
	}
	all := exchange.Gather(k.part, k.norms)
	for i := range keys {
		k.normalize(i, all)
	}
	if k.part.Err() == nil {
		k.pool.Each(len(keys), row)
	}
	return made, makings
}

// memoryError is the error for requests whose rows are too large.
func (c *Cache) memoryError(k *maker, all []*Request) error {
	run := k.charged
	read := slices.Clone(k.rows)
	for _, r := range all {
		read = append(read, r.read...)
		if r.charged != nil {
			run += *r.charged
		}
	}
	return c.exceeded(run + c.loose(read))
}

// handOut gives the new rows to the requests.
func (c *Cache) handOut(k *maker, all []*Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range all {
		for i, x := range r.Keys {
			if r.Made[i] != nil {
				continue
			}
			e := k.rows[k.places[x]]
			e.readers++ // the maker is a reader too, so the row is counted already
			r.Made[i] = e.row
			r.read = append(r.read, e)
		}
	}
}
