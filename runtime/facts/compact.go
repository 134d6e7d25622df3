package facts

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/atomicfile"
	"github.com/efoc/efoc/runtime/internal/journal"
	"github.com/efoc/efoc/runtime/model"
)

// Compact merges the journal of the bundle at path into the bundle, empties the journal, and returns the number of
// changes. It is Store.Compact for programs that do nothing else with the bundle. If progress is not nil, it receives
// the bytes written and the total.
func Compact(ctx context.Context, path string, progress func(written, total int64)) (changes int, err error) {
	path, err = atomicfile.Follow(path)
	if err != nil {
		return 0, err
	}
	release, err := Lock(path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, release()) }()
	m, err := runtime.Open(path, model.Mapped())
	if err != nil {
		return 0, err
	}
	defer m.Close()
	s, err := Open(path, m)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	// Windows cannot replace a mapped file, so the model closes once it is written.
	return s.compact(ctx, progress, m.Close)
}

// Compact rewrites the bundle with the facts at its start, and returns the number of changes that it merged from the
// journal. Questions and changes continue meanwhile; changes wait only while the new bundle replaces the old one, and
// stay in the journal. The model keeps its memory; reopening it frees the memory of the changes.
//
// A crash at any moment leaves a bundle and a journal that together hold all acknowledged facts. First a mark in the
// journal records how much of it the new bundle contains, then the bundle replaces the old one, then a journal with
// the remaining records replaces the old journal. An error, or the end of ctx, before the bundle is replaced leaves
// all facts unchanged.
func (s *Store) Compact(ctx context.Context, progress func(written, total int64)) (changes int, err error) {
	if goruntime.GOOS == "windows" && s.model.Bundle().Mapped() {
		return 0, fmt.Errorf("%s is mapped into memory by this program, and Windows cannot replace a mapped file: compact it when the program has ended", s.path)
	}
	return s.compact(ctx, progress, func() error { return nil })
}

// compact is Compact with a callback: it calls written just before the new bundle replaces the old one.
func (s *Store) compact(ctx context.Context, progress func(written, total int64), written func() error) (changes int, err error) {
	s.compacting.Lock()
	defer s.compacting.Unlock()
	s.writing.Lock()
	locked := true
	defer func() {
		if locked {
			s.writing.Unlock()
		}
	}()
	changes = s.changes
	switch {
	case s.shut:
		return 0, ErrClosed
	case changes == 0:
		return 0, s.renew(s.model.Now().Bundle().Identity()) // after a crash between replacing the bundle and the journal
	}
	now := s.model.Now().Bundle()
	through := s.journal.Last()
	s.writing.Unlock()
	locked = false
	// Refuse now what could not be noted in the end.
	if err := s.model.Update(func(now *model.Model) (*model.Model, error) { return now, nil }); err != nil {
		return 0, err
	}

	identity := ""
	err = model.Replace(ctx, s.path, now, progress, func(is string) error {
		s.writing.Lock()
		locked = true
		if s.shut {
			return ErrClosed
		}
		identity = is
		return errors.Join(written(), s.journal.Mark(is, through))
	})
	if err != nil {
		return 0, err
	}
	err = s.model.Update(func(now *model.Model) (*model.Model, error) { return now.Stored(identity), nil })
	return changes, errors.Join(err, s.renew(identity))
}

// renew starts a journal for the bundle with the given identity, with the records that the bundle lacks.
func (s *Store) renew(identity string) error {
	c, err := journal.Read(journal.Path(s.path), identity)
	if err != nil {
		return err
	}
	s.changes = len(c.Batches)
	return s.journal.Reset(identity, c)
}
