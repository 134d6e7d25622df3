package query

import "github.com/efoc/efoc/runtime/internal/pool"

// PanicError says that a plan, or what was done with its results, panicked: there is a
// fault in it. Value is what panic was called with, Stack that of the goroutine it was
// on. The query has failed; others go on, and later ones are answered.
type PanicError = pool.PanicError

// guard calls what answers queries: it keeps the model open as long, and turns a panic
// into an error.
func (x *executor) guard(answer func() error) error {
	if err := x.model.Hold(); err != nil {
		return err
	}
	defer x.model.Release()
	return caught(answer)
}

// caught calls do and turns a panic into an error.
func caught(do func() error) (err error) {
	defer pool.Catch(&err)
	return do()
}
