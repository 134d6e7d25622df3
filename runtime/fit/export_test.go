package fit

// RowsAlone makes what a machine runs leave out what entities without rows tell.
func RowsAlone(m *Machine) { m.rowsAlone = true }
