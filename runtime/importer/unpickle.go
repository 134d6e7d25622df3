package importer

import (
	"bytes"
	"fmt"

	"github.com/nlpodyssey/gopickle/pickle"
	"github.com/nlpodyssey/gopickle/types"
)

// unpickle decodes the pickle at the start of data and returns its length.
// Classes and functions are what find says, or inert where it says nil:
// nothing is executed.
func unpickle(data []byte, find func(module, name string) any, persistent func(id any) (any, error)) (value any, length int, err error) {
	s, err := scanPickle(data)
	if err != nil {
		return nil, 0, err
	}
	text := bytes.NewReader(s.text)
	at := func() int { return s.offset(len(s.text) - text.Len()) }
	defer func() {
		// The machine panics on stacks and arguments that do not fit an opcode.
		if fault := recover(); fault != nil {
			err = fmt.Errorf("malformed pickle at byte %d: %v", at(), fault)
		}
	}()
	machine := pickle.NewUnpickler(text)
	machine.FindClass = func(module, name string) (any, error) {
		if class := find(module, name); class != nil {
			return class, nil
		}
		return &inert{class: module + "." + name}, nil
	}
	machine.PersistentLoad = persistent
	value, err = machine.Load()
	if err != nil {
		return nil, 0, fmt.Errorf("malformed pickle at byte %d: %w", at(), shortError{err})
	}
	return value, s.length, nil
}

// shortError cuts the text of an error, which may quote a whole object.
type shortError struct{ error }

// Error returns the start of the text.
func (e shortError) Error() string {
	text := e.error.Error()
	if len(text) > 200 {
		text = text[:200] + "..."
	}
	return text
}

// inert stands for a Python class or function that efoc does not know, and for
// whatever it would have made. It takes anything and does nothing, but keeps
// what it was given, as a state dict may be within.
type inert struct {
	class string
	state []any
}

// Call stands for a call.
func (o *inert) Call(args ...any) (any, error) { return &inert{class: o.class, state: args}, nil }

// PyNew stands for __new__.
func (o *inert) PyNew(args ...any) (any, error) { return o.Call(args...) }

// PySetState stands for __setstate__ and for an update of __dict__.
func (o *inert) PySetState(state any) error {
	o.state = append(o.state, state)
	return nil
}

// Append stands for the method of a list.
func (o *inert) Append(value any) { o.state = append(o.state, value) }

// Add stands for the method of a set.
func (o *inert) Add(any) {}

// Set stands for the assignment of an item. The entry is kept as a dict of one.
func (o *inert) Set(key, value any) {
	o.state = append(o.state, &types.Dict{{Key: key, Value: value}})
}

// The interfaces that the machine asks for.
var (
	_ types.Callable        = (*inert)(nil)
	_ types.PyNewable       = (*inert)(nil)
	_ types.PyStateSettable = (*inert)(nil)
	_ types.ListAppender    = (*inert)(nil)
	_ types.SetAdder        = (*inert)(nil)
	_ types.DictSetter      = (*inert)(nil)
)
