package facts

import (
	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/journal"
)

// request is a change that waits.
type request struct {
	asked  journal.Batch // the change as it came
	size   int           // of its record, without new entities
	enter  bool          // unknown entities of facts to be added are new ones
	batch  journal.Batch // the change as the journal has it
	result Result
	err    error
	done   chan struct{}
}

// maxGroupFacts and maxGroupBytes bound the changes that are written together, unless one has
// more. Half of a record is left for their new entities and for names that replace labels.
const (
	maxGroupFacts = 100_000
	maxGroupBytes = journal.MaxRecord / 2
)

// lead makes the changes that wait, as many at a time as have come.
func (s *Store) lead() {
	for {
		s.mu.Lock()
		n, facts, bytes := 0, 0, 0
		for ; n < len(s.waiting); n++ {
			r := s.waiting[n]
			facts, bytes = facts+len(r.asked.Add)+len(r.asked.Remove), bytes+r.size
			if n > 0 && (facts > maxGroupFacts || bytes > maxGroupBytes) {
				break
			}
		}
		if n == 0 {
			s.leading = false
			s.mu.Unlock()
			return
		}
		group := s.waiting[:n:n]
		s.waiting = s.waiting[n:]
		s.mu.Unlock()
		s.commit(group)
	}
}

// commit makes changes in order and answers them. If they fail together, each is made alone, so
// that no error speaks of another's change.
func (s *Store) commit(group []*request) {
	err := s.write(group)
	if err != nil && len(group) > 1 {
		for i := range group {
			s.commit(group[i : i+1])
		}
		return
	}
	for _, r := range group {
		if err != nil {
			r.result, r.err = Result{}, err
		}
		close(r.done)
	}
}

// write makes changes in order. Those that are refused leave no trace; the others are
// written together, and then seen. An error, which may be a *pool.PanicError, is of all.
func (s *Store) write(group []*request) (err error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	defer pool.Catch(&err)
	var made []*request // that are to be remembered
	var repeated []func()
	err = s.model.Update(func(now *model.Model) (*model.Model, error) {
		if s.shut {
			return nil, ErrClosed
		}
		next, inGroup := now, map[string]*request{}
		var batches []journal.Batch
		for _, r := range group {
			r.result, r.err = Result{}, nil
			if old, ok := s.keys[r.asked.Key]; ok {
				r.repeat(old)
				continue
			}
			if first := inGroup[r.asked.Key]; first != nil && r.asked.Key != "" {
				repeated = append(repeated, func() { r.repeat(outcome{first.asked.Digest, first.result.Changed}) })
				continue
			}
			var changed *model.Model
			if changed, r.err = r.apply(next); r.err != nil {
				continue
			}
			if changed != next || r.asked.Key != "" {
				made, batches = append(made, r), append(batches, r.batch)
				inGroup[r.asked.Key] = r
			}
			next = changed
		}
		if len(batches) == 0 {
			return now, nil
		}
		return next, s.journal.Append(batches)
	})
	if err != nil {
		return err
	}
	for _, again := range repeated {
		again()
	}
	s.changes += len(made)
	for _, r := range made {
		s.remember(r.batch)
	}
	return nil
}

// repeat answers a change by what one with its key came to.
func (r *request) repeat(old outcome) {
	if old.digest != r.asked.Digest {
		r.err = ErrKey
		return
	}
	r.result = Result{Changed: old.done, Repeated: true}
}

// apply makes the change on a model, and puts the names of its facts into the form of the
// journal.
func (r *request) apply(m *model.Model) (*model.Model, error) {
	m, c, fresh, err := resolve(m, r.asked.Add, r.asked.Remove, r.enter)
	if err != nil {
		return nil, err
	}
	next, done, err := m.With(c)
	if err != nil {
		return nil, err
	}
	names := func(list []model.Triple) (facts []Fact) {
		for _, t := range list {
			facts = append(facts, m.NamesOf(t))
		}
		return facts
	}
	r.result = Result{Changed: done}
	for _, e := range fresh {
		r.result.Entities = append(r.result.Entities, e.Name)
	}
	r.batch = journal.Batch{
		Key: r.asked.Key, Digest: r.asked.Digest, Entities: fresh, Add: names(c.Add), Remove: names(c.Remove),
		Counts: [4]int{done.Added, done.Present, done.Removed, done.Absent},
	}
	return next, nil
}

// remember keeps what a change with a key came to.
func (s *Store) remember(b journal.Batch) {
	if b.Key == "" {
		return
	}
	if _, known := s.keys[b.Key]; !known {
		s.order = append(s.order, b.Key)
	}
	s.keys[b.Key] = outcome{b.Digest, model.Changed{Added: b.Counts[0], Present: b.Counts[1], Removed: b.Counts[2], Absent: b.Counts[3]}}
	if len(s.order) > rememberedKeys {
		delete(s.keys, s.order[0])
		s.order = s.order[1:]
	}
}
