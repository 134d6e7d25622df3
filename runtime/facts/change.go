package facts

import (
	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/journal"
)

// write makes a change, unless one with its key was made before: on the disk first, and then for
// queries. After an error, which may be a *pool.PanicError, the facts are as they were.
func (s *Store) write(asked journal.Batch, how mode) (result Result, err error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	defer pool.Catch(&err)
	if s.shut {
		return Result{}, ErrClosed
	}
	if old, ok := s.keys[asked.Key]; ok {
		if old.digest != asked.Digest {
			return Result{}, ErrKey
		}
		return Result{Changed: old.done, Repeated: true}, nil
	}
	var made []journal.Batch
	err = s.model.Update(func(now *model.Model) (*model.Model, error) {
		next, b, done, err := apply(now, asked, how)
		if err != nil {
			return nil, err
		}
		result = done
		if next == now && asked.Key == "" {
			return now, nil
		}
		made = []journal.Batch{b}
		return next, s.journal.Append(made)
	})
	if err != nil {
		return Result{}, err
	}
	for _, b := range made {
		s.changes++
		s.remember(b)
	}
	return result, nil
}

// apply makes a change on a model, and puts the names of its facts into the form of the journal.
func apply(m *model.Model, asked journal.Batch, how mode) (next *model.Model, b journal.Batch, result Result, err error) {
	c, err := resolve(m, &asked, how)
	if err != nil {
		return nil, b, result, err
	}
	m = c.model
	c.Origin = model.Origin{Time: asked.Time, By: asked.By}
	next, done, err := m.With(c.Change)
	if err != nil {
		return nil, b, result, err
	}
	names := func(list []model.Triple) (facts []Fact) {
		for _, t := range list {
			facts = append(facts, m.NamesOf(t))
		}
		return facts
	}
	values := func(list []model.ValueFact) (stated []journal.Value) {
		for _, v := range list {
			stated = append(stated, m.StatedValue(v))
		}
		return stated
	}
	result = Result{Changed: done, Attributes: c.attributes}
	for _, e := range c.entities {
		result.Entities = append(result.Entities, e.Name)
	}
	b = journal.Batch{
		Key: asked.Key, Digest: asked.Digest, Entities: c.entities, Add: names(c.Add), Remove: names(c.Remove), Untrue: names(c.Untrue),
		AddValues: values(c.AddValues), RemoveValues: values(c.RemoveValues), Time: asked.Time, By: asked.By,
		Counts: [4]int{done.Added, done.Present, done.Removed, done.Absent}, Marked: done.Marked,
	}
	return next, b, result, nil
}

// remember keeps what a change with a key came to.
func (s *Store) remember(b journal.Batch) {
	if b.Key == "" {
		return
	}
	if _, known := s.keys[b.Key]; !known {
		s.order = append(s.order, b.Key)
	}
	s.keys[b.Key] = outcome{b.Digest, model.Changed{Added: b.Counts[0], Present: b.Counts[1], Removed: b.Counts[2], Absent: b.Counts[3], Marked: b.Marked}}
	if len(s.order) > rememberedKeys {
		delete(s.keys, s.order[0])
		s.order = s.order[1:]
	}
}
