package runtime

// Attached returns what an engine keeps for this model: what make returned at the
// first call for that key. Engines share by it what their queries have in common. It
// is safe for concurrent use; of several first calls at once, one counts.
func (m *Model) Attached(engine any, make func() any) any {
	if x, ok := m.attached.Load(engine); ok {
		return x
	}
	x, _ := m.attached.LoadOrStore(engine, make())
	return x
}
