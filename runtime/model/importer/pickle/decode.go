package pickle

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Bounds of what a pickle may take.
const (
	// maxEntries bounds the values that ReadDict keeps, in bytes. BetaE's take about
	// five times the room that they have in the file, a hostile file's fifty times.
	maxEntries = 8 << 30
	// maxObjects bounds the values that Load keeps, in bytes. A checkpoint's pickle
	// is small: the numbers are stored apart.
	maxObjects = 1 << 30
	// maxText bounds a text of ReadDict, in bytes. In Load, the bytes present and maxObjects bound
	// texts.
	maxText = 1 << 16
	// maxLine bounds an argument that ends with its line, in bytes.
	maxLine = 4096
	// maxProtocol is the newest protocol that is read.
	maxProtocol = 5
)

// Room that values take, in bytes.
const (
	valueSize    = 8
	sequenceSize = 48
	textSize     = 16
)

// Decoder holds the values of a pickle.
type Decoder struct {
	r       *bufio.Reader
	offset  int64 // of the next byte
	memory  int64
	limit   int64
	maxText int64
	// item takes the entries of ReadDict's dict; nil while Load reads.
	item  func(d *Decoder, key, value Value) error
	dicts int

	stack []Value
	marks []int // heights of the stack
	memo  []Value
	// cells holds tuples: their length and then their elements. Classes and objects
	// are tuples too, of another kind.
	cells     []Value
	texts     []string
	longs     []int64
	sequences []sequence
	// references holds the identifiers of what lies outside the pickle.
	references []Value
}

// itemError is an error of the function that takes the entries, which names its
// own place.
type itemError struct{ error }

func (e itemError) Unwrap() error { return e.error }

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

func (d *Decoder) stop() error {
	if len(d.stack) != 1 || len(d.marks) > 0 {
		return fmt.Errorf("%d values and %d marks are left, want one value", len(d.stack), len(d.marks))
	}
	if d.item != nil && d.stack[0].kind != Dict {
		return errors.New("the pickle is not of a dict")
	}
	return nil
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
