package importer

import (
	"fmt"
	"strconv"

	"github.com/nlpodyssey/gopickle/types"
)

// Bounds on the search for tensors.
const (
	maxDepth   = 64
	maxTensors = 100_000
)

// namedTensor is a tensor with its place in the checkpoint: the keys that lead
// to it, joined by dots.
type namedTensor struct {
	name   string
	tensor *torchTensor
}

// collector walks over an unpickled object and lists the tensors in it.
type collector struct {
	found []namedTensor
	seen  map[any]bool
}

// collectTensors lists the tensors of a checkpoint in the order of its keys.
func collectTensors(root any) ([]namedTensor, error) {
	c := &collector{seen: map[any]bool{}}
	err := c.walk("", root, 0)
	return c.found, err
}

// walk lists the tensors in value. Objects may be shared or contain themselves,
// so each is entered once.
func (c *collector) walk(path string, value any, depth int) error {
	if depth > maxDepth {
		return nil
	}
	switch v := value.(type) {
	case *torchTensor:
		if len(c.found) == maxTensors {
			return fmt.Errorf("more than %d tensors", maxTensors)
		}
		c.found = append(c.found, namedTensor{path, v})
	case *types.Dict:
		if c.enter(v) {
			for _, e := range *v {
				if err := c.walk(join(path, e.Key), e.Value, depth+1); err != nil {
					return err
				}
			}
		}
	case *types.OrderedDict:
		if c.enter(v) {
			for e := v.List.Front(); e != nil; e = e.Next() {
				entry := e.Value.(*types.OrderedDictEntry)
				if err := c.walk(join(path, entry.Key), entry.Value, depth+1); err != nil {
					return err
				}
			}
		}
	case *types.Tuple:
		if c.enter(v) {
			return c.items(path, *v, depth)
		}
	case *types.List:
		if c.enter(v) {
			return c.items(path, *v, depth)
		}
	case *inert:
		if c.enter(v) {
			for _, item := range v.state {
				if err := c.walk(path, item, depth+1); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// items walks over the items of a list, which are named by their numbers.
func (c *collector) items(path string, items []any, depth int) error {
	for i, item := range items {
		if err := c.walk(join(path, i), item, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// enter notes an object and reports whether it is new.
func (c *collector) enter(object any) bool {
	if c.seen[object] {
		return false
	}
	c.seen[object] = true
	return true
}

// maxPath bounds the name of a tensor.
const maxPath = 1024

// join appends a key to a path. The dictionaries in which a pickled module
// keeps its parts are left out, which gives the names of a state dict.
func join(path string, key any) string {
	var text string
	switch k := key.(type) {
	case string:
		text = k
	case int:
		text = strconv.Itoa(k)
	default:
		text = "?"
	}
	switch {
	case text == "_modules" || text == "_parameters" || text == "_buffers":
		return path
	case len(path)+len(text) > maxPath:
		return path
	case path == "":
		return text
	}
	return path + "." + text
}
