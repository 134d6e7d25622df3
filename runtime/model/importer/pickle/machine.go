package pickle

import (
	"errors"
	"fmt"
)

var (
	errShort = errors.New("the stack has too few values")
	errOdd   = errors.New("a key without a value")
)

func (d *Decoder) push(v Value) error {
	d.memory += valueSize
	d.stack = append(d.stack, v)
	return nil
}

// pop removes the values from a height of the stack upwards.
func (d *Decoder) pop(from int) error {
	d.memory -= int64(len(d.stack)-from) * valueSize
	d.stack = d.stack[:from]
	return nil
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

func (d *Decoder) setMark() error {
	d.memory += valueSize
	d.marks = append(d.marks, len(d.stack))
	return nil
}

// fromMark removes the last mark and runs what takes the values above it.
func (d *Decoder) fromMark(run func(from int) error) error {
	if len(d.marks) == 0 {
		return errors.New("no mark is open")
	}
	from := d.marks[len(d.marks)-1]
	d.marks = d.marks[:len(d.marks)-1]
	d.memory -= valueSize
	return run(from)
}

// popOne removes the top of the stack, which may be a mark.
func (d *Decoder) popOne() error {
	if d.need(1) != nil {
		return d.fromMark(d.pop)
	}
	return d.pop(len(d.stack) - 1)
}

// record makes a value of a kind that is kept like a tuple.
func (d *Decoder) record(from int, kind Kind) error {
	if err := d.need(len(d.stack) - from); err != nil {
		return err
	}
	at := len(d.cells)
	n := len(d.stack) - from
	if at > maxEntries/valueSize-n-1 {
		return errors.New("too many tuples")
	}
	d.cells = append(append(d.cells, Value{n: int32(n)}), d.stack[from:]...)
	d.memory += int64(n+1) * valueSize
	_ = d.pop(from)
	return d.push(Value{kind, int32(at)})
}

func (d *Decoder) newSequence(kind Kind) error {
	d.memory += sequenceSize
	d.sequences = append(d.sequences, sequence{})
	return d.push(Value{kind, int32(len(d.sequences) - 1)})
}

// newDict makes a dict. ReadDict allows one.
func (d *Decoder) newDict() error {
	d.dicts++
	if d.dicts > 1 && d.item != nil {
		return errors.New("a nested dict, want only the outer one")
	}
	return d.newSequence(Dict)
}

// collect makes a list or dict of the values from a height upwards.
func (d *Decoder) collect(from int, kind Kind) error {
	if kind == Dict && (len(d.stack)-from)%2 != 0 {
		return errOdd
	}
	values := d.stack[from:]
	_ = d.newSequence(kind)
	made := d.stack[len(d.stack)-1]
	d.grow(made, values)
	_ = d.pop(from)
	return d.push(made)
}

func (d *Decoder) grow(target Value, values []Value) {
	d.memory += int64(len(values)) * valueSize
	d.sequences[target.n].add(values)
}

// extend adds the values from a height upwards to the list, set or object below
// them. An object takes anything.
func (d *Decoder) extend(from int, kind Kind) error {
	if from < 1 || d.need(len(d.stack)-from+1) != nil {
		return errShort
	}
	target := d.stack[from-1]
	switch target.kind {
	case Object:
		target = d.contents(target)
	case kind:
	default:
		return fmt.Errorf("adds to %v, want %v", target.kind, kind)
	}
	d.grow(target, d.stack[from:])
	return d.pop(from)
}

// setItems adds the keys and values from a height upwards to the dict or object
// below them, or hands them over.
func (d *Decoder) setItems(from int) error {
	if from < 1 || d.need(len(d.stack)-from+1) != nil {
		return errShort
	}
	target := d.stack[from-1]
	entries := d.stack[from:]
	switch {
	case len(entries)%2 != 0:
		return errOdd
	case target.kind == Object:
		// The entries of an object are a dict of their own among its contents.
		_ = d.collect(from, Dict)
		return d.extend(from, Object)
	case target.kind != Dict:
		return fmt.Errorf("sets items of %v", target.kind)
	case d.item == nil:
		d.grow(target, entries)
		return d.pop(from)
	}
	for ; len(entries) > 0; entries = entries[2:] {
		if err := d.item(d, entries[0], entries[1]); err != nil {
			return itemError{err}
		}
	}
	return d.pop(from)
}

// put keeps the top of the stack under a number. The numbers count the kept values, so none is larger
// than the number of bytes read.
func (d *Decoder) put(i uint64, err error) error {
	switch {
	case err != nil:
		return err
	case d.need(1) != nil:
		return errShort
	case i > uint64(d.offset):
		return fmt.Errorf("stores value %d of a memo of %d", i, len(d.memo))
	}
	for uint64(len(d.memo)) <= i {
		d.memory += valueSize
		d.memo = append(d.memo, Value{})
	}
	d.memo[i] = d.stack[len(d.stack)-1]
	return nil
}

func (d *Decoder) get(i uint64, err error) error {
	if err != nil {
		return err
	}
	if i >= uint64(len(d.memo)) || d.memo[i].kind == 0 {
		return fmt.Errorf("fetches value %d, which was never stored", i)
	}
	return d.push(d.memo[i])
}

// stop checks that one value is left.
func (d *Decoder) stop() error {
	if len(d.stack) != 1 || len(d.marks) > 0 {
		return fmt.Errorf("%d values and %d marks are left, want one value", len(d.stack), len(d.marks))
	}
	if d.item != nil && d.stack[0].kind != Dict {
		return errors.New("the pickle is not of a dict")
	}
	return nil
}

// itemError is an error of the function that takes the entries, which names its
// own place.
type itemError struct{ error }

func (e itemError) Unwrap() error { return e.error }
