package pool

import (
	"fmt"
	"runtime/debug"
)

// PanicError is a panic that was recovered: a fault in the program, or an
// inconsistent bundle.
type PanicError struct {
	// Value is the argument of panic.
	Value any
	// Stack is the stack of the goroutine that panicked.
	Stack []byte
}

// Error names the value. Callers log the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("internal error: panic: %v", e.Value) }

// Recovered converts the result of recover in a deferred function to an error. A panic of another goroutine, which
// Each propagated, keeps its stack.
func Recovered(v any) *PanicError {
	if e, ok := v.(*PanicError); ok {
		return e
	}
	return &PanicError{Value: v, Stack: debug.Stack()}
}

// Catch converts a panic to an error. Defer it.
func Catch(err *error) {
	if v := recover(); v != nil {
		*err = Recovered(v)
	}
}

// Caught calls do and converts a panic to an error.
func Caught(do func() error) (err error) {
	defer Catch(&err)
	return do()
}
