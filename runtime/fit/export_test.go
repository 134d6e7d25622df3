package fit

import "github.com/efoc/efoc/runtime"

// RowsAlone makes what runs in a workspace leave out what entities without rows tell.
func RowsAlone(w *runtime.Workspace) { In(w).rowsAlone = true }
