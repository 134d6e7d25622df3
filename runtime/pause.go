package runtime

import (
	"context"

	"github.com/efoc/efoc/runtime/internal/pause"
)

// WithPause returns a context whose questions call wait between the steps of their work, every few
// milliseconds, also concurrently. wait may block to let others have the processor; it returns early if
// the context ends. Questions in a Group wait only after they have left it.
func WithPause(ctx context.Context, wait func()) context.Context { return pause.With(ctx, wait) }

// Pause calls what WithPause has set, if anything, and returns the context's error.
func Pause(ctx context.Context) error { return pause.Here(ctx) }
