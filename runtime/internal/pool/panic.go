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

// Error names the value. The stack is left to those who log it.
func (e *PanicError) Error() string { return fmt.Sprintf("internal error: panic: %v", e.Value) }

// Recovered returns the error for what recover returned in a deferred function. The
// panic of another goroutine, which Run propagated, keeps its stack.
func Recovered(v any) *PanicError {
	if e, ok := v.(*PanicError); ok {
		return e
	}
	return &PanicError{Value: v, Stack: debug.Stack()}
}

// Catch turns a panic into an error. It is to be deferred.
func Catch(err *error) {
	if v := recover(); v != nil {
		*err = Recovered(v)
	}
}

// Caught calls do and turns a panic into an error.
func Caught(do func() error) (err error) {
	defer Catch(&err)
	return do()
}
