package model

import "github.com/efoc/efoc/runtime/internal/pool"

// Pool is a worker pool.
type Pool = pool.Pool

// NewPool returns a pool of the given number of workers, including the caller, for work on several models; 0 means
// one per processor.
func NewPool(size int) *Pool { return pool.New(size) }
