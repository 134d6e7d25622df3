package fit

import (
	"github.com/efoc/efoc/runtime/internal/atoms"
	"github.com/efoc/efoc/runtime/internal/fuzzy"
)

// RowsAlone makes what a machine runs leave out what entities without rows tell.
func RowsAlone(m *Machine) { m.rowsAlone = true }

// SetNorm sets the t-norm of plans on a model.
func SetNorm(c *atoms.Cache, n fuzzy.Norm) { c.Norm = n }
