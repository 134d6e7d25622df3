// Package pause lets the asker of a question suspend its work between steps, so that others get the processor. The
// context of the question carries a function for that; long work calls it every few milliseconds, possibly
// concurrently. Questions in a runtime.Group wait only after they have left it.
package pause

import "context"

// Func may wait. It returns early if the question's context ends.
type Func func()

// funcKey is the key of a Func in a context.
type funcKey struct{}

// With returns a context whose work f may suspend.
func With(ctx context.Context, f Func) context.Context { return context.WithValue(ctx, funcKey{}, f) }

// Without returns a context whose work is not suspended, for callers that do so themselves.
func Without(ctx context.Context) context.Context {
	if Of(ctx) == nil {
		return ctx
	}
	return With(ctx, nil)
}

// Of returns the function of a context, nil if there is none.
func Of(ctx context.Context) Func {
	f, _ := ctx.Value(funcKey{}).(Func)
	return f
}

// Here calls the Func of a context, if any, and returns the context's error.
func Here(ctx context.Context) error {
	if f := Of(ctx); f != nil {
		f()
	}
	return ctx.Err()
}
