package facts

import "github.com/efoc/efoc/runtime/model"

// mappedStay says that the system replaces no file that a program has mapped.
const mappedStay = true

// OpenOptions are the options to open a model whose facts a Store changes, so that it can be
// compacted.
func OpenOptions() []model.OpenOption { return []model.OpenOption{model.Copied()} }
