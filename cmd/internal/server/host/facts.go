package host

import (
	"context"
	"errors"
	"time"

	"github.com/efoc/efoc/runtime/atomicfile"
	"github.com/efoc/efoc/runtime/facts"
)

// errFactsOnDevice refuses changes that a device would miss.
var errFactsOnDevice = errors.New("clients cannot change facts, because a device has a copy of them: serve the model on the processor for that, or change its journal by efoc add " +
	"and have the server look at it (--watch)")

// WithStore calls work with the facts.Store of the model in use. If a reload closes the store first, it calls work
// with the next model's store.
func (s *Host) WithStore(ctx context.Context, work func(*Model, *facts.Store) error) error {
	for {
		err := s.With(func(h *Model) error { return work(h, s.store(h)) })
		if !errors.Is(err, facts.ErrClosed) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Millisecond):
		}
	}
}

// Compact merges the journal of the model in use, and then reopens the model to free the memory of the changes. If
// reopening fails, it logs the error and keeps the current model.
func (s *Host) Compact(ctx context.Context) (changes int, err error) {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	err = s.WithStore(ctx, func(_ *Model, store *facts.Store) error {
		changes, err = store.Compact(ctx, nil)
		return err
	})
	if err == nil && changes > 0 {
		s.Log.Info("compacted", "changes", changes)
		_ = s.reopen(ctx)
	}
	return changes, err
}

// store returns the store of a model in use.
func (s *Host) store(h *Model) *facts.Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	return h.facts
}

// journalLock is the right to write to the journal of a bundle.
type journalLock struct {
	path    string // of the bundle, behind symbolic links
	release func() error
}

// lockJournal locks the journal of the bundle at path, unless held is that lock.
func lockJournal(path string, held *journalLock) (*journalLock, error) {
	path, err := atomicfile.Follow(path)
	if err != nil {
		return nil, err
	}
	if held != nil && held.path == path {
		return held, nil
	}
	release, err := facts.Lock(path)
	return &journalLock{path, release}, err
}

// openFacts opens the store of the next model, after closing the previous model's, if any. On failure, it
// reopens the previous store. A symbolic link may point to another bundle by now: then openFacts locks that bundle's
// journal, and releases the other.
func (s *Host) openFacts(next, before *Model) error {
	if !s.ChangesFacts {
		return nil
	}
	lock, err := lockJournal(s.File, s.lock)
	if err != nil {
		return err
	}
	if before != nil {
		err = s.store(before).Close()
	}
	if err == nil {
		next.facts, err = facts.Open(lock.path, next.model)
	}
	if err != nil {
		return errors.Join(err, s.keepFacts(before, lock))
	}
	if lock == s.lock {
		return nil
	}
	s.mu.Lock()
	last := s.lock
	s.lock = lock
	s.mu.Unlock()
	last.release()
	return nil
}

// keepFacts reopens the store of the previous model after opening the next one failed, and releases the lock taken
// for the latter.
func (s *Host) keepFacts(before *Model, lock *journalLock) (err error) {
	if lock != s.lock {
		err = lock.release()
	}
	if before == nil {
		return err
	}
	again, why := facts.Open(s.lock.path, before.model)
	if why != nil {
		return errors.Join(err, why)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before.facts = again
	return err
}
