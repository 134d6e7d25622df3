//go:build !windows

package facts

import "github.com/efoc/efoc/runtime/model"

// mappedStay is false: where a file takes the place of a mapped one, that stays in memory.
const mappedStay = false

// OpenOptions are the options to open a model whose facts a Store changes, so that it can be
// compacted.
func OpenOptions() []model.OpenOption { return nil }
