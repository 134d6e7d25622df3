package host

import (
	"context"
	"os"
	"time"

	"github.com/efoc/efoc/runtime/facts"
	"github.com/efoc/efoc/runtime/model/journal"
)

// Watch checks Options.File at each interval and reloads the model when the file has changed
// since it was opened, and not since the last check: so it waits until a file is complete.
// After a file that cannot be opened as a model, it waits for the next change. If the journal
// beside the file has changed, the model gets its facts; if that fails, Watch tries again at the next
// interval. Watch returns when ctx is done.
func (s *Host) Watch(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	last := look(s.File)
	followed := followedJournal{state: look(journal.Path(s.File))}
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := look(s.File)
		s.mu.Lock()
		opened := s.file
		s.mu.Unlock()
		if now != nil && unchanged(last, now) && !unchanged(opened, now) { // between two files there may be none
			s.Reload(ctx) // logs what came of it
		}
		last = now
		if s.ChangesFacts {
			continue
		}
		err := followed.follow(look(journal.Path(s.File)), func() error {
			switch {
			case !unchanged(opened, now): // a reload reads the journal, too
				return nil
			case s.Device != nil: // whose copy does not change
				s.Reload(ctx)
				return nil
			}
			return s.follow()
		})
		if err != nil {
			s.Log.Error("the facts in use stay", "error", err)
		}
	}
}

// followedJournal is a journal whose facts a model in use gets.
type followedJournal struct {
	state  os.FileInfo // whose facts the model has
	failed string      // why the latest attempt failed
}

// follow calls get unless the model already has the facts of the journal. It returns the error of get only if the
// previous attempt failed with another one, or not at all.
func (f *followedJournal) follow(now os.FileInfo, get func() error) error {
	if now == nil || unchanged(f.state, now) {
		return nil
	}
	err := get()
	if err == nil {
		f.state = now
		f.failed = ""
		return nil
	}
	if err.Error() == f.failed {
		return nil
	}
	f.failed = err.Error()
	return err
}

// follow gives the model in use the facts that others have put into its journal.
func (s *Host) follow() error {
	h, err := s.acquire()
	if err != nil {
		return err
	}
	defer h.release()
	if err := facts.Follow(s.File, h.model); err != nil {
		return err
	}
	s.Log.Info("facts changed", "facts", h.model.Now().Bundle().Graph.NumTriples())
	return nil
}
