package pickle

import (
	"errors"
	"fmt"
)

// The classes that ReadDict allows, as module and name.
var (
	defaultDict = [2]string{"collections", "defaultdict"}
	builtinSet  = [2]string{"builtins", "set"}
	python2Set  = [2]string{"__builtin__", "set"}
)

func (d *Decoder) classLines() error {
	for range 2 {
		line, err := d.line()
		if err == nil {
			err = d.pushText(line)
		}
		if err != nil {
			return err
		}
	}
	return d.class()
}

// class makes a class of the module and the name on the stack.
func (d *Decoder) class() error {
	if err := d.need(2); err != nil {
		return err
	}
	top := d.stack[len(d.stack)-2:]
	module, okModule := d.Text(top[0])
	name, okName := d.Text(top[1])
	if !okModule || !okName {
		return errors.New("a class whose name is not a text")
	}
	if class := [2]string{module, name}; d.item != nil && class != defaultDict && class != builtinSet && class != python2Set {
		return fmt.Errorf("class %.100s.%.100s is not allowed, want collections.defaultdict or builtins.set", module, name)
	}
	return d.record(len(d.stack)-2, Class)
}

// call makes an object that stands for the result of a call. The stack has the class, or another value
// that Python could call here, and the tuple of arguments.
func (d *Decoder) call() error {
	if err := d.need(2); err != nil {
		return err
	}
	top := d.stack[len(d.stack)-2:]
	callee := top[0]
	args, ok := d.Tuple(top[1])
	if callee.kind != Class && callee.kind != Object && callee.kind != Reference || !ok {
		return fmt.Errorf("calls %v with %v", callee.kind, top[1].kind)
	}
	if d.item != nil {
		return d.callPlain(callee, args)
	}
	_ = d.newSequence(List) // for the contents
	return d.record(len(d.stack)-3, Object)
}

// callNamed is call with a dict of named arguments, which the object is given.
func (d *Decoder) callNamed() error {
	if err := d.need(3); err != nil {
		return err
	}
	named := d.stack[len(d.stack)-1]
	_ = d.pop(len(d.stack) - 1)
	if err := d.call(); err != nil {
		return err
	}
	_ = d.push(named)
	return d.extend(len(d.stack)-1, Object)
}

// callPlain makes a dict or set, as ReadDict allows.
func (d *Decoder) callPlain(callee Value, args []Value) error {
	module, name, _ := d.Class(callee)
	isDict := [2]string{module, name} == defaultDict
	_ = d.pop(len(d.stack) - 2)
	switch {
	case isDict && (len(args) == 0 || len(args) == 1 && args[0].kind == Class):
		return d.newDict()
	case !isDict && len(args) == 0:
		return d.newSequence(Set)
	case !isDict && len(args) == 1 && (args[0].kind == List || args[0].kind == Set):
		// The list is of no further use, so the set takes its elements over.
		return d.push(Value{Set, args[0].n})
	}
	return errors.New("unknown arguments of a class")
}

// refer makes a reference of the identifier on the stack.
func (d *Decoder) refer() error {
	if err := d.need(1); err != nil {
		return err
	}
	top := &d.stack[len(d.stack)-1]
	d.memory += valueSize
	d.references = append(d.references, *top)
	*top = Value{Reference, int32(len(d.references) - 1)}
	return nil
}

// contents returns the list of what an object was given.
func (d *Decoder) contents(object Value) Value { return d.cells[object.n+3] }

// Class returns the module and the name of a class or function.
func (d *Decoder) Class(v Value) (module, name string, ok bool) {
	if v.kind != Class {
		return "", "", false
	}
	return d.texts[d.cells[v.n+1].n], d.texts[d.cells[v.n+2].n], true
}

// Object returns what made an object, which is a class, another object or a
// reference, its arguments, and a list of what it was given afterwards: its state,
// its elements, and its entries as dicts.
func (d *Decoder) Object(v Value) (callee Value, args []Value, contents Value, ok bool) {
	if v.kind != Object {
		return Value{}, nil, Value{}, false
	}
	args, _ = d.Tuple(d.cells[v.n+2])
	return d.cells[v.n+1], args, d.contents(v), true
}

// Reference returns the number of a reference among References.
func (d *Decoder) Reference(v Value) (i int, ok bool) { return int(v.n), v.kind == Reference }

// References returns the identifiers of all references, in the order of the file.
func (d *Decoder) References() []Value { return d.references }
