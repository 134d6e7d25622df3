//go:build !mpi

package mpi

import (
	"io"
	"os"
	"time"

	"github.com/efoc/efoc/runtime/internal/collective"
)

// Built says whether this build has MPI.
const Built = false

// Start returns nil: this build has no MPI.
func Start(time.Duration) (collective.Transport, error) { return nil, nil }

// Stop does nothing.
func Stop() {}

// EndSignals returns none.
func EndSignals() []os.Signal { return nil }

// Input returns r.
func Input(r io.Reader) io.Reader { return r }
