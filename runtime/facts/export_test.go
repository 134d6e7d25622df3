package facts

// Queued says whether changes are being made, and how many wait for that.
func (s *Store) Queued() (busy bool, waiting int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.leading, len(s.waiting)
}
