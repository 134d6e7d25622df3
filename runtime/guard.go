package runtime

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

// Parallel calls do for the indices below n, on as many processors as are idle; worker,
// below Workers, tells the goroutines apart. It is for packages that extend the plan
// language. Calls must not write to the same place. A panic in one of them ends it, on
// the goroutine of the caller.
func (m *Model) Parallel(n int, do func(worker, i int)) { m.pool.Each(n, do) }

// Workers is how many goroutines Parallel uses at most.
func (m *Model) Workers() int { return m.pool.Size() }
