package pickle

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
)

// Bounds of what a pickle may take.
const (
	// maxMemory bounds the values of a pickle, in bytes. BetaE's take about five
	// times the room that they have in the file, a hostile file's fifty times.
	maxMemory = 8 << 30
	// maxText bounds a text, in bytes.
	maxText = 1 << 16
	// maxProtocol is the newest protocol that is read.
	maxProtocol = 5
)

// Room that values take, in bytes.
const (
	valueSize    = 8
	sequenceSize = 48
	textSize     = 16
)

// The classes that are known.
const (
	classDefaultDict int32 = iota
	classSet
)

var classes = map[string]int32{
	"collections defaultdict": classDefaultDict,
	"builtins set":            classSet,
	"__builtin__ set":         classSet,
}

// Decoder holds the values of a pickle while it is read.
type Decoder struct {
	r      *bufio.Reader
	offset int64 // of the next byte
	memory int64
	item   func(d *Decoder, key, value Value) error
	dicts  int

	stack []Value
	marks []int // heights of the stack
	memo  []Value
	// cells holds tuples: their length and then their elements.
	cells     []Value
	texts     []string
	sequences []sequence
}

// itemError is an error of the function that takes the entries, which names its
// own place.
type itemError struct{ error }

func (e itemError) Unwrap() error { return e.error }

// ReadDict reads the pickle of a dict, and calls item with every entry in the
// order of the file. Errors about the pickle name the byte at which the opcode
// stands; those of item and of r are returned as they are.
func ReadDict(r io.Reader, item func(d *Decoder, key, value Value) error) error {
	d := &Decoder{r: bufio.NewReaderSize(r, 1<<16), item: item}
	for {
		at := d.offset
		op, err := d.r.ReadByte()
		if err != nil {
			return atByte(at, unexpectedEnd(err))
		}
		d.offset++
		done, err := d.step(op)
		var own itemError
		switch {
		case errors.As(err, &own):
			return own.error
		case err != nil:
			return atByte(at, fmt.Errorf("opcode %q: %w", op, unexpectedEnd(err)))
		case d.memory > maxMemory:
			return atByte(at, fmt.Errorf("its values take more than the allowed %d GiB of memory", maxMemory>>30))
		case done:
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

// step runs one opcode.
func (d *Decoder) step(op byte) (done bool, err error) {
	switch op {
	case 0x80: // PROTO
		p, err := d.number(1)
		if err == nil && (p < 2 || p > maxProtocol) {
			err = fmt.Errorf("protocol %d, want 2 to %d", p, maxProtocol)
		}
		return false, err
	case 0x95: // FRAME, which says how much to read ahead
		_, err := d.number(8)
		return false, err
	case 'K': // BININT1
		return false, d.integer(1)
	case 'M': // BININT2
		return false, d.integer(2)
	case 'J': // BININT
		return false, d.integer(4)
	case 0x8a: // LONG1
		return false, d.long()
	case 'X': // BINUNICODE
		return false, d.text(4)
	case 0x8c: // SHORT_BINUNICODE
		return false, d.text(1)
	case '(': // MARK
		d.memory += valueSize
		d.marks = append(d.marks, len(d.stack))
	case ')': // EMPTY_TUPLE
		return false, d.tuple(len(d.stack))
	case 0x85, 0x86, 0x87: // TUPLE1 to TUPLE3
		n := int(op) - 0x84
		if err := d.need(n); err != nil {
			return false, err
		}
		return false, d.tuple(len(d.stack) - n)
	case 't': // TUPLE
		from, err := d.mark()
		if err != nil {
			return false, err
		}
		return false, d.tuple(from)
	case ']': // EMPTY_LIST
		d.newSequence(List)
	case 0x8f: // EMPTY_SET
		d.newSequence(Set)
	case 'a': // APPEND
		return false, d.extend(len(d.stack)-1, List)
	case 'e', 0x90: // APPENDS, ADDITEMS
		from, err := d.mark()
		if err != nil {
			return false, err
		}
		kind := List
		if op == 0x90 {
			kind = Set
		}
		return false, d.extend(from, kind)
	case '}': // EMPTY_DICT
		return false, d.newDict()
	case 's': // SETITEM
		return false, d.setItems(len(d.stack) - 2)
	case 'u': // SETITEMS
		from, err := d.mark()
		if err != nil {
			return false, err
		}
		return false, d.setItems(from)
	case 'c', 0x93: // GLOBAL, STACK_GLOBAL
		return false, d.class(op)
	case 'R': // REDUCE
		return false, d.call()
	case 'q': // BINPUT
		return false, d.put(1)
	case 'r': // LONG_BINPUT
		return false, d.put(4)
	case 0x94: // MEMOIZE
		return false, d.keep(uint64(len(d.memo)))
	case 'h': // BINGET
		return false, d.get(1)
	case 'j': // LONG_BINGET
		return false, d.get(4)
	case '.': // STOP
		if len(d.stack) != 1 || d.stack[0].kind != dict {
			return false, errors.New("the pickle is not of a dict")
		}
		return true, nil
	default:
		return false, errors.New("not allowed: want a dict of integers, texts, tuples, lists and sets")
	}
	return false, nil
}

// number reads an unsigned number of up to 8 bytes.
func (d *Decoder) number(width int) (uint64, error) {
	var n uint64
	for i := range width {
		b, err := d.r.ReadByte()
		if err != nil {
			return 0, err
		}
		n |= uint64(b) << (8 * i)
	}
	d.offset += int64(width)
	return n, nil
}

// integer reads an integer, which has a sign if it takes four bytes.
func (d *Decoder) integer(width int) error {
	n, err := d.number(width)
	d.push(Value{Int, int32(n)})
	return err
}

// long reads an integer of any length, which must fit an id.
func (d *Decoder) long() error {
	width, err := d.number(1)
	if err != nil {
		return err
	}
	if width > 8 {
		return fmt.Errorf("an integer of %d bytes, want at most 4", width)
	}
	n, err := d.number(int(width))
	if err != nil {
		return err
	}
	// Move the sign up to bit 63 and back.
	shift := 64 - 8*width
	signed := int64(n<<shift) >> shift
	if signed < math.MinInt32 || signed > math.MaxInt32 {
		return fmt.Errorf("integer %d, want at most %d", signed, math.MaxInt32)
	}
	d.push(Value{Int, int32(signed)})
	return nil
}

// text reads a text that starts with its length.
func (d *Decoder) text(width int) error {
	n, err := d.number(width)
	if err != nil {
		return err
	}
	if n > maxText {
		return fmt.Errorf("a text of %d bytes, want at most %d", n, maxText)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(d.r, text); err != nil {
		return err
	}
	d.offset += int64(n)
	d.memory += textSize + int64(n)
	d.texts = append(d.texts, string(text))
	d.push(Value{Text, int32(len(d.texts) - 1)})
	return nil
}
