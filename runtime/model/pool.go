package model

import "github.com/efoc/efoc/runtime/internal/pool"

// Pool is a worker pool.
type Pool = pool.Pool

// NewPool returns a pool of that many workers, the caller included, for work that is not
// on one model alone; 0 means one for each processor.
func NewPool(size int) *Pool { return pool.New(size) }
