package pickle

import (
	"errors"
	"fmt"
	"strings"
)

var errShort = errors.New("the stack has too few values")

// push puts a value on the stack.
func (d *Decoder) push(v Value) {
	d.memory += valueSize
	d.stack = append(d.stack, v)
}

// pop takes the values from a height of the stack upwards off.
func (d *Decoder) pop(from int) {
	d.memory -= int64(len(d.stack)-from) * valueSize
	d.stack = d.stack[:from]
}

// need checks that n values stand above the last mark.
func (d *Decoder) need(n int) error {
	floor := 0
	if len(d.marks) > 0 {
		floor = d.marks[len(d.marks)-1]
	}
	if len(d.stack)-n < floor {
		return errShort
	}
	return nil
}

// mark takes the last mark off and returns the height at which it stood.
func (d *Decoder) mark() (int, error) {
	if len(d.marks) == 0 {
		return 0, errors.New("no mark is open")
	}
	from := d.marks[len(d.marks)-1]
	d.marks = d.marks[:len(d.marks)-1]
	d.memory -= valueSize
	return from, nil
}

// tuple makes a tuple of the values from a height upwards.
func (d *Decoder) tuple(from int) error {
	at, n := len(d.cells), len(d.stack)-from
	if at > maxMemory/valueSize-n-1 {
		return errors.New("too many tuples")
	}
	d.cells = append(append(d.cells, Value{n: int32(n)}), d.stack[from:]...)
	d.memory += int64(n+1) * valueSize
	d.pop(from)
	d.push(Value{Tuple, int32(at)})
	return nil
}

// newSequence makes an empty list or set.
func (d *Decoder) newSequence(kind Kind) {
	d.memory += sequenceSize
	d.sequences = append(d.sequences, sequence{})
	d.push(Value{kind, int32(len(d.sequences) - 1)})
}

// extend adds the values from a height upwards to the list or set below them.
func (d *Decoder) extend(from int, kind Kind) error {
	if from < 1 || from > len(d.stack) || d.need(len(d.stack)-from+1) != nil {
		return errShort
	}
	target := d.stack[from-1]
	if target.kind != kind {
		return fmt.Errorf("adds to %v, want %v", target.kind, kind)
	}
	d.memory += int64(len(d.stack)-from) * valueSize
	d.sequences[target.n].add(d.stack[from:])
	d.pop(from)
	return nil
}

// newDict makes the one dict.
func (d *Decoder) newDict() error {
	if d.dicts++; d.dicts > 1 {
		return errors.New("a dict within, want the outer one alone")
	}
	d.push(Value{kind: dict})
	return nil
}

// setItems hands over the entries from a height upwards.
func (d *Decoder) setItems(from int) error {
	if from < 1 || from > len(d.stack) || d.need(len(d.stack)-from+1) != nil {
		return errShort
	}
	entries := d.stack[from:]
	if d.stack[from-1].kind != dict || len(entries)%2 != 0 {
		return fmt.Errorf("sets %d keys and values of %v", len(entries), d.stack[from-1].kind)
	}
	for ; len(entries) > 0; entries = entries[2:] {
		if err := d.item(d, entries[0], entries[1]); err != nil {
			return itemError{err}
		}
	}
	d.pop(from)
	return nil
}

// class reads the name of a class, or takes it from the stack.
func (d *Decoder) class(op byte) error {
	var module, name string
	var err error
	if op == 'c' {
		if module, err = d.line(); err == nil {
			name, err = d.line()
		}
		if err != nil {
			return err
		}
	} else {
		if d.need(2) != nil {
			return errShort
		}
		top := d.stack[len(d.stack)-2:]
		m, okModule := d.Text(top[0])
		n, okName := d.Text(top[1])
		if !okModule || !okName {
			return errors.New("a class whose name is no text")
		}
		module, name = m, n
		d.pop(len(d.stack) - 2)
	}
	id, ok := classes[module+" "+name]
	if !ok {
		return fmt.Errorf("class %s.%s is not allowed, want collections.defaultdict or builtins.set", module, name)
	}
	d.push(Value{class, id})
	return nil
}

// maxName bounds the name of a class or module, in bytes.
const maxName = 100

// line reads a line of a class's name.
func (d *Decoder) line() (string, error) {
	var b strings.Builder
	for {
		c, err := d.r.ReadByte()
		if err != nil {
			return "", err
		}
		d.offset++
		if c == '\n' {
			return b.String(), nil
		}
		if b.WriteByte(c); b.Len() > maxName {
			return "", fmt.Errorf("the name of a class is longer than %d bytes", maxName)
		}
	}
}

// call makes an object of a class and its arguments.
func (d *Decoder) call() error {
	if d.need(2) != nil {
		return errShort
	}
	top := d.stack[len(d.stack)-2:]
	callee := top[0]
	args, ok := d.Tuple(top[1])
	if callee.kind != class || !ok {
		return fmt.Errorf("calls %v with %v", callee.kind, top[1].kind)
	}
	d.pop(len(d.stack) - 2)
	switch {
	case callee.n == classDefaultDict && (len(args) == 0 || len(args) == 1 && args[0].kind == class):
		return d.newDict()
	case callee.n == classSet && len(args) == 0:
		d.newSequence(Set)
		return nil
	case callee.n == classSet && len(args) == 1 && (args[0].kind == List || args[0].kind == Set):
		// The list is of no further use, so the set takes its elements over.
		d.push(Value{Set, args[0].n})
		return nil
	}
	return errors.New("unknown arguments of a class")
}

// put keeps the top of the stack under a number.
func (d *Decoder) put(width int) error {
	i, err := d.number(width)
	if err != nil {
		return err
	}
	return d.keep(i)
}

// keep stores the top of the stack in the memo. Python counts its entries, so
// there are no gaps.
func (d *Decoder) keep(i uint64) error {
	switch n := uint64(len(d.memo)); {
	case d.need(1) != nil:
		return errShort
	case i > n:
		return fmt.Errorf("stores value %d of a memo of %d", i, n)
	case i == n:
		d.memory += valueSize
		d.memo = append(d.memo, Value{})
	}
	d.memo[i] = d.stack[len(d.stack)-1]
	return nil
}

// get fetches a value that was kept.
func (d *Decoder) get(width int) error {
	i, err := d.number(width)
	if err != nil {
		return err
	}
	if i >= uint64(len(d.memo)) {
		return fmt.Errorf("fetches value %d, which was never stored", i)
	}
	d.push(d.memo[i])
	return nil
}
