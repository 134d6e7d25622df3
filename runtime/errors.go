package runtime

import (
	"fmt"

	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/internal/run"
	"github.com/efoc/efoc/runtime/kind"
)

var (
	// ErrABI is wrapped by the error for a plan or for kernels that were generated for another version of
	// the runtime.
	ErrABI = device.ErrABI
	// ErrNeedsWhole is the error for work that needs a whole model in one process, given a split one.
	ErrNeedsWhole = run.ErrNeedsWhole
)

// ParamError is the error for a parameter that is unset or has an unsuitable value.
type ParamError struct {
	// Param is the parameter, as the generated struct names it; empty for a slot that no parameter fills.
	Param string
	// Why is the reason.
	Why string
}

// Error names the parameter.
func (e *ParamError) Error() string {
	if e.Param == "" {
		return e.Why
	}
	return "parameter " + e.Param + ": " + e.Why
}

// unset is the error for a parameter without a value.
func unset(name string, k kind.Param) error {
	from := map[kind.Param]string{
		kind.Entity: ", which Model.Entity finds by its name", kind.Relation: ", which Model.Relation finds by its name", kind.Date: ", which ParseDate reads",
	}
	return &ParamError{name, "it is not set: want " + k.Article() + from[k]}
}

// checkID reports an entity or relation id outside the model, in the named parameter, or in another slot if name is
// empty.
func checkID(name string, k kind.Param, id, size int) error {
	switch {
	case id >= 0 && id < size:
		return nil
	case id < 0 && name != "":
		return unset(name, k)
	}
	things := map[kind.Param]string{kind.Entity: "entities", kind.Relation: "relations with inverses"}[k]
	return &ParamError{name, fmt.Sprintf("%s %d is not in the model: it has %d %s", k, id, size, things)}
}

// PanicError reports that a plan, or the code that used its results, panicked because of a
// fault. Value is the argument of panic, Stack the stack of its goroutine. The query has
// failed; other queries are not affected.
type PanicError = pool.PanicError
