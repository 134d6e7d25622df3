package facts

import (
	"context"
	"time"

	"github.com/efoc/efoc/runtime/internal/journal"
	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/model"
)

// write makes a change, unless one with its key was made before: first on disk, then for queries. After an error,
// which may be a *pool.PanicError, the facts are unchanged.
func (s *Store) write(ctx context.Context, c Change, digest string) (result Result, err error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	defer pool.Catch(&err)
	if s.shut {
		return Result{}, ErrClosed
	}
	if old, ok := s.keys[c.Key]; ok {
		if old.digest != digest {
			return Result{}, ErrKey
		}
		return Result{Changed: old.done, Repeated: true}, nil
	}

	err = s.model.Update(func(now *model.Model) (*model.Model, error) {
		x, next, done, err := c.apply(ctx, now, nil)
		if err != nil {
			return nil, err
		}
		x.Origin = model.Origin{Time: time.Now().UTC().Truncate(time.Second), By: c.By}
		result = done
		if next == now && c.Key == "" {
			return now, nil
		}

		b := x.batch(done.Changed)
		b.Key = c.Key
		b.Digest = digest
		if err := s.journal.Append([]journal.Batch{b}); err != nil {
			return nil, err
		}
		x.model.Note(x.Change)
		s.changes++
		s.remember(b)
		return next, nil
	})
	return result, err
}

// batch converts a change to a batch of the journal.
func (x *resolved) batch(done model.Changed) journal.Batch {
	return journal.Batch{
		Entities: x.entities, Add: stated(x.Add, x.model.NamesOf), Remove: stated(x.Remove, x.model.NamesOf), Untrue: stated(x.Untrue, x.model.NamesOf),
		AddValues: stated(x.AddValues, x.model.StatedValue), RemoveValues: stated(x.RemoveValues, x.model.StatedValue), Time: x.Origin.Time, By: x.Origin.By,
		Counts: [4]int{done.Added, done.Present, done.Removed, done.Absent}, Marked: done.Marked, Unmarked: done.Unmarked,
	}
}

// stated converts facts or values to the journal's form.
func stated[T, Stated any](list []T, state func(T) Stated) (all []Stated) {
	for _, x := range list {
		all = append(all, state(x))
	}
	return all
}

// remember stores the outcome of a change under its key.
func (s *Store) remember(b journal.Batch) {
	if b.Key == "" {
		return
	}
	if _, known := s.keys[b.Key]; !known {
		s.order = append(s.order, b.Key)
	}
	s.keys[b.Key] = outcome{b.Digest, model.Changed{
		Added: b.Counts[0], Present: b.Counts[1], Removed: b.Counts[2], Absent: b.Counts[3], Marked: b.Marked, Unmarked: b.Unmarked,
	}}
	if len(s.order) > rememberedKeys {
		delete(s.keys, s.order[0])
		s.order = s.order[1:]
	}
}
