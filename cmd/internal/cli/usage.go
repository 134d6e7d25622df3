package cli

import (
	"fmt"
	"strings"

	"github.com/efoc/efoc/lang/nearest"
)

// UsageError is a mistake in the command line.
type UsageError struct{ Err error }

func (e UsageError) Error() string { return e.Err.Error() }

// Unwrap returns the underlying error.
func (e UsageError) Unwrap() error { return e.Err }

// Usagef returns a UsageError.
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }

// Mistake marks an error of the compiler as a user error, such as too few layers, unless it is a fault of the
// program.
func Mistake(err error) error {
	if err == nil || strings.Contains(err.Error(), "internal error:") {
		return err
	}
	return UsageError{err}
}

// Nearest lists the names for which name could be a typo, or all if there are none.
func Nearest(name string, names []string) string {
	if near := nearest.Names(name, names, 3); len(near) > 0 {
		names = near
	}
	return strings.Join(names, ", ")
}

// NamesOf lists the names of the elements of list.
func NamesOf[T any](list []T, name func(T) string) []string {
	names := make([]string, len(list))
	for i, x := range list {
		names[i] = name(x)
	}
	return names
}
