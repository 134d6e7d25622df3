package model

import "github.com/efoc/efoc/runtime/internal/pool"

// Pool is a worker pool.
type Pool = pool.Pool

// NewPool returns a pool of that many workers, including the caller, for work on more than one
// model; 0 means one per processor.
func NewPool(size int) *Pool { return pool.New(size) }
