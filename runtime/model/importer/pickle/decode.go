package pickle

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// ReadDict reads the pickle of a dict, and calls item with every entry in the order of the file.
// Errors about the pickle name the byte at which the opcode stands; errors of item and of r are
// returned as they are.
func ReadDict(r io.Reader, item func(d *Decoder, key, value Value) error) error {
	d := &Decoder{r: bufio.NewReaderSize(r, 1<<16), limit: maxEntries, maxText: maxText, item: item}
	return d.run()
}

// Load reads the pickle at the start of data.
func Load(data []byte) (*Decoder, error) {
	d := &Decoder{
		r:     bufio.NewReaderSize(bytes.NewReader(data), min(len(data), 1<<16)),
		limit: maxObjects, maxText: min(int64(len(data)), maxObjects),
	}
	if err := d.run(); err != nil {
		return nil, err
	}
	return d, nil
}

// Root returns the value that Load read.
func (d *Decoder) Root() Value { return d.stack[0] }

func (d *Decoder) run() error {
	for {
		at := d.offset
		code, err := d.r.ReadByte()
		if err != nil {
			return atByte(at, unexpectedEnd(err))
		}
		d.offset++
		op := &opcodes[code]
		switch {
		case op.run == nil:
			return atByte(at, fmt.Errorf("opcode 0x%02x is unknown or not allowed", code))
		case d.item != nil && !op.plain:
			return atByte(at, fmt.Errorf("opcode %s is not allowed: want a dict of integers, texts, tuples, lists and sets", op.name))
		}
		if err := op.run(d); err != nil {
			if own := (itemError{}); errors.As(err, &own) {
				return own.error
			}
			return atByte(at, fmt.Errorf("opcode %s: %w", op.name, unexpectedEnd(err)))
		}
		switch {
		case d.memory > d.limit:
			return atByte(at, fmt.Errorf("its values take more than the allowed %d GiB of memory", d.limit>>30))
		case code == '.':
			return nil
		}
	}
}

// atByte adds the place to an error about the pickle itself.
func atByte(at int64, err error) error { return fmt.Errorf("pickle, byte %d: %w", at, err) }

// unexpectedEnd says in words that the pickle ends too early.
func unexpectedEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the file ends within the pickle")
	}
	return err
}
