package fit

// RowsAlone makes what a machine runs leave out what entities without rows tell.
func RowsAlone(m *Machine) { m.rowsAlone = true }

// SetNorm sets the t-norm of plans on a model.
func SetNorm(c *Rows, n Norm) { c.norm = n }
