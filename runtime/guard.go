package runtime

import "github.com/efoc/efoc/runtime/internal/pool"

// PanicError reports that a plan, or the code that used its results, panicked because of a
// fault. Value is the argument of panic, Stack the stack of its goroutine. The query has
// failed; other queries are not affected.
type PanicError = pool.PanicError

// guard calls what answers queries: it keeps the model open as long, and turns a panic
// into an error.
func (x *executor) guard(answer func() error) error {
	if err := x.model.Hold(); err != nil {
		return err
	}
	defer x.model.Release()
	return pool.Caught(answer)
}
