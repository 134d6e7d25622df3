package importer

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/efoc/efoc/runtime/model/importer/pickle"
	"github.com/efoc/efoc/runtime/model/safetensors"
)

// Bounds on the search for tensors.
const (
	maxDepth   = 64
	maxTensors = 100_000
)

// collector lists the tensors in a pickle.
type collector struct {
	d        *pickle.Decoder
	storages *storages
	// found names a tensor by its path of keys, joined by dots.
	found []candidate
	seen  map[pickle.Value]bool
	// rebuilt maps the calls that make tensors to the tensors.
	rebuilt map[pickle.Value]*torchTensor
	// scorer is the scorer that the file names for its tensors, if any.
	scorer string
}

// collectTensors lists the tensors of a checkpoint in the order of its keys.
func collectTensors(d *pickle.Decoder, s *storages) ([]candidate, error) {
	c := &collector{d: d, storages: s, seen: map[pickle.Value]bool{}, rebuilt: map[pickle.Value]*torchTensor{}}
	err := c.walk("", d.Root(), 0)
	for i := range c.found {
		c.found[i].scorer = c.scorer
	}
	return c.found, err
}

// walk lists the tensors in a value. Values may be shared or contain themselves, so each is visited once.
func (c *collector) walk(path string, v pickle.Value, depth int) error {
	if depth > maxDepth || c.seen[v] {
		return nil
	}
	switch v.Kind() {
	case pickle.Object:
		return c.object(path, v, depth)
	case pickle.Dict:
		c.seen[v] = true
		for key, value := range c.d.Entries(v) {
			text, ok := keyText(c.d, key)
			if !ok {
				text = "?"
			}
			c.noteScorer(join(path, text), value)
			if err := c.walk(join(path, text), value, depth+1); err != nil {
				return err
			}
		}
	case pickle.Tuple, pickle.List:
		c.seen[v] = true
		i := 0
		for item := range c.d.Elements(v) {
			if err := c.walk(join(path, strconv.Itoa(i)), item, depth+1); err != nil {
				return err
			}
			i++
		}
	}
	return nil
}

// object lists the tensor that an object represents, or those in its arguments.
func (c *collector) object(path string, v pickle.Value, depth int) error {
	callee, args, contents, _ := c.d.Object(v)
	module, name, _ := c.d.Class(callee)
	c.noteClass(callee)
	if len(args) > 0 {
		c.noteClass(args[0]) // of an object made by copyreg
	}
	// A tensor with attributes is made by a function, a type, the function's arguments, and the attributes, which are
	// irrelevant.
	if module == "torch._tensor" && name == "_rebuild_from_type_v2" && len(args) >= 3 {
		if inner, ok := c.d.Tuple(args[2]); ok {
			module, name, _ = c.d.Class(args[0])
			args = inner
		}
	}
	if module == "torch._utils" {
		switch name {
		case "_rebuild_tensor", "_rebuild_tensor_v2":
			return c.tensor(path, v, args)
		case "_rebuild_parameter", "_rebuild_parameter_with_state":
			// A parameter is its tensor.
			if len(args) == 0 {
				return fmt.Errorf("tensor %q: parameter without data", path)
			}
			return c.walk(path, args[0], depth+1)
		}
	}
	// Any other class may hold a state dict in its state.
	c.seen[v] = true
	for _, arg := range args {
		if err := c.walk(path, arg, depth+1); err != nil {
			return err
		}
	}
	for item := range c.d.Elements(contents) {
		if err := c.walk(path, item, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (c *collector) tensor(path string, v pickle.Value, args []pickle.Value) error {
	t, ok := c.rebuilt[v]
	if !ok {
		var err error
		t, err = c.storages.rebuildTensor(c.d, args)
		if err != nil {
			return fmt.Errorf("%q: %w", path, err)
		}
		c.rebuilt[v] = t
	}
	if t == nil {
		return nil
	}
	if len(c.found) == maxTensors {
		return fmt.Errorf("more than %d tensors", maxTensors)
	}
	c.found = append(c.found, candidate{
		name: path, shape: t.shape, dtype: t.storage.dtype, place: t.place(),
		read: func() (safetensors.Tensor, error) { return t.resolve(path) },
	})
	return nil
}

// noteScorer records the scorer in a configuration of LibKGE.
func (c *collector) noteScorer(path string, v pickle.Value) {
	name, ok := c.d.Text(v)
	if !ok || name == "reciprocal_relations_model" {
		return
	}
	if strings.HasSuffix(path, "options.model") || strings.HasSuffix(path, "reciprocal_relations_model.base_model.type") {
		c.scorer = name
	}
}

// noteClass records the scorer of a class of PyKEEN.
func (c *collector) noteClass(v pickle.Value) {
	if module, name, _ := c.d.Class(v); strings.HasPrefix(module, "pykeen.models.") {
		c.scorer = name
	}
}

// maxPath bounds the name of a tensor.
const maxPath = 1024

// join appends a key to a path. It skips the dictionaries in which a pickled module keeps its parts, which gives the
// names of a state dict.
func join(path, text string) string {
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
