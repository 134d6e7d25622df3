package host

import (
	"context"
	"os"
	"time"

	"github.com/efoc/efoc/runtime/facts"
)

// Watch checks Options.File at each interval and reloads the model when the file has changed since it was opened, but
// not since the last check, which means that it is complete. After a file that cannot be opened as a model, it waits
// for the next change. If the journal beside the file has changed, Watch applies its facts to the model; on failure
// it tries again at the next interval. Watch returns when ctx ends.
func (s *Host) Watch(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	last := look(s.File)
	followed := followedJournal{state: look(facts.JournalPath(s.File))}
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
		if now != nil && unchanged(last, now) && !unchanged(opened, now) { // there may be none between two files
			s.Reload(ctx) // logs the outcome
		}
		last = now
		if s.ChangesFacts {
			continue
		}
		err := followed.follow(look(facts.JournalPath(s.File)), func() error {
			switch {
			case !unchanged(opened, now): // a reload also reads the journal
				return nil
			case s.Device != nil: // its copy does not change
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

// followedJournal is a journal whose facts are applied to a model in use.
type followedJournal struct {
	state  os.FileInfo // the state that the model has applied
	failed string      // the error of the latest attempt
}

// follow calls get unless the model already has the facts of the journal. It returns the error of get only if it
// differs from that of the previous attempt.
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

// follow applies to the model in use the facts that others have added to its journal.
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
