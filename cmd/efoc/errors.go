package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
)

// The exit statuses; the help text explains them.
const (
	statusOK          = 0
	statusFailure     = 1
	statusUsage       = 2
	statusInterrupted = 130
)

// usageError is a mistake in the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// usagef returns a usageError.
func usagef(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// mistake marks an error of the compiler as a mistake of the user, such as a
// number of layers that is too small, unless it is a fault of the program.
func mistake(err error) error {
	if err == nil || strings.Contains(err.Error(), "internal error:") {
		return err
	}
	return usageError{err}
}

// errorSet is several errors that are shown one after the other.
type errorSet []error

// Error joins the one-line forms.
func (s errorSet) Error() string { return errors.Join(s...).Error() }

// fail shows an error and returns its exit status.
func (a *app) fail(err error) int {
	if a.ctx.Err() != nil && errors.Is(err, context.Canceled) {
		fmt.Fprintln(a.stderr, "efoc: interrupted")
		return statusInterrupted
	}
	var set errorSet
	if !errors.As(err, &set) {
		set = errorSet{err}
	}
	status := statusUsage
	for _, err := range set {
		fmt.Fprint(a.stderr, errorText(err))
		if !isUsage(err) {
			status = statusFailure
		}
	}
	return status
}

// errorText returns what the user sees of an error: mistakes in a query with
// their place in it, anything else in a line.
func errorText(err error) string {
	var list lang.ErrorList
	var one *lang.Error
	switch {
	case errors.As(err, &list) && len(list) > 0 && list[0].Pos.IsValid():
		return list.Render()
	case errors.As(err, &one) && one.Pos.IsValid():
		return one.Render()
	case errors.As(err, &one) && one.Hint != "":
		return "efoc: " + one.Msg + "; " + one.Hint + "\n"
	}
	return "efoc: " + strings.TrimRight(err.Error(), "\n") + "\n"
}

// isUsage reports whether the user can fix an error by changing the command line or
// the query.
func isUsage(err error) bool {
	var usage usageError
	var list lang.ErrorList
	var one *lang.Error
	var unknown *model.UnknownNameError
	var ambiguous *model.AmbiguousNameError
	return errors.As(err, &usage) || errors.As(err, &list) || errors.As(err, &one) ||
		errors.As(err, &unknown) || errors.As(err, &ambiguous)
}

// await runs f and returns its result, or the context's error as soon as the
// context is done. It is for work that cannot be interrupted, such as reading a
// terminal; f is left running then.
func await[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := f()
		done <- result{value, err}
	}()
	var none T
	select {
	case r := <-done:
		// Both may be ready: an interrupt wins.
		if ctx.Err() != nil {
			return none, ctx.Err()
		}
		return r.value, r.err
	case <-ctx.Done():
		return none, ctx.Err()
	}
}
