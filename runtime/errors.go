package runtime

import (
	"errors"
	"fmt"
	"strings"

	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/internal/run"
)

var (
	// ErrABI is wrapped by the error for a plan or for kernels that were generated for another version of
	// the runtime.
	ErrABI = device.ErrABI
	// ErrNeedsWhole is the error for work that needs a whole model in one process, given a split one.
	ErrNeedsWhole = run.ErrNeedsWhole
	// ErrWrongType is wrapped by the error for an entity that is not of the type wanted.
	ErrWrongType = errors.New("wrong type")
)

// ParamError is the error for a parameter that is not set, or that holds an id which the model lacks.
type ParamError struct {
	// Param is the parameter, as the generated struct names it; empty for a slot that no parameter fills.
	Param string
	// Kind is "entity" or "relation".
	Kind string
	// ID is the parameter's value; it is negative if the parameter is not set.
	ID int
	// Size is the number of entities, or of relations with their inverses, in the model.
	Size int
}

// Error names the parameter and what it wants.
func (e *ParamError) Error() string {
	if e.Param != "" && e.ID < 0 {
		return fmt.Sprintf("parameter %s is not set: want the %s that Model.%s%s finds by its name", e.Param, e.Kind, strings.ToUpper(e.Kind[:1]), e.Kind[1:])
	}
	things := map[string]string{"entity": "entities", "relation": "relations with inverses"}[e.Kind]
	text := fmt.Sprintf("%s %d is not in the model: it has %d %s", e.Kind, e.ID, e.Size, things)
	if e.Param != "" {
		text = "parameter " + e.Param + ": " + text
	}
	return text
}

// typeError is the error for an entity that has another type.
type typeError struct{ text string }

func (e *typeError) Error() string { return e.text }
func (e *typeError) Unwrap() error { return ErrWrongType }

// PanicError reports that a plan, or the code that used its results, panicked because of a
// fault. Value is the argument of panic, Stack the stack of its goroutine. The query has
// failed; other queries are not affected.
type PanicError = pool.PanicError
