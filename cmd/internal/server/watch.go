package server

import (
	"context"
	"os"
	"time"

	"github.com/efoc/efoc/runtime/facts"
	"github.com/efoc/efoc/runtime/model/journal"
)

// Watch checks Config.File at each interval and reloads the model when the file has changed
// since it was opened, and not since the last check: so it waits until a file is complete.
// After a file that cannot be opened as a model, it waits for the next change. If the journal
// beside the file has changed, the model gets its facts. Watch returns when ctx is done.
func (s *Server) Watch(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	last := look(s.File)
	journaled := look(journal.Path(s.File))
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
		if j := look(journal.Path(s.File)); !s.changesFacts() && j != nil && !unchanged(journaled, j) {
			journaled = j
			switch {
			case !unchanged(opened, now):
			case s.Device != nil: // whose copy does not change
				s.Reload(ctx)
			default:
				s.follow()
			}
		}
	}
}

// follow gives the model in use the facts that others have put into its journal.
func (s *Server) follow() {
	h, err := s.acquire()
	if err != nil {
		return
	}
	defer h.release()
	if err := facts.Follow(s.File, h.model); err != nil {
		s.Log.Error("the facts in use stay", "error", err)
		return
	}
	s.Log.Info("facts changed", "facts", h.model.Now().Bundle().Graph.NumTriples())
}

// look returns the present state of a file, nil if there is none.
func look(path string) os.FileInfo {
	if file, err := os.Stat(path); err == nil {
		return file
	}
	return nil
}

// unchanged reports whether two states of a file are the same.
func unchanged(a, b os.FileInfo) bool {
	return a != nil && b != nil && os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
