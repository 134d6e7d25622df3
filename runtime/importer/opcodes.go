package importer

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// Bounds on a pickle. A checkpoint's is small: the numbers are stored apart.
const (
	maxPickle   = 64 << 20 // bytes
	maxOpcodes  = 2 << 20
	maxMarks    = 10_000 // that are open at a time
	maxTextLine = 4096   // bytes of an argument that ends with its line
	maxLong     = 255    // bytes of an integer
)

// argKind is the kind of an opcode's argument.
type argKind uint8

const (
	argUnknown  argKind = iota
	argNone             // no argument
	argFixed            // a fixed number of bytes
	argLine             // text up to the end of the line
	argTwoLines         // two of them
	argLen1             // a length of 1, 4 or 8 bytes, and as many bytes
	argLen4
	argLen8
	argFrame // a frame header, which can be left out
)

// opcode describes the argument of an opcode and what it does to open marks.
type opcode struct {
	arg   argKind
	size  int // of argFixed; the longest argument of other kinds, 0 for any
	marks int
}

// opcodes is the table of the pickle protocols 0 to 5.
var opcodes = func() (table [256]opcode) {
	for _, c := range []byte(".012NQRabs)]}\x81\x85\x86\x87\x88\x89\x8f\x92\x93\x94\x97\x98") {
		table[c] = opcode{arg: argNone}
	}
	table['('] = opcode{arg: argNone, marks: 1}
	for _, c := range []byte("1delotu\x90\x91") {
		table[c] = opcode{arg: argNone, marks: -1}
	}
	for _, c := range []byte("FILPSVgp") {
		table[c] = opcode{arg: argLine}
	}
	table['c'] = opcode{arg: argTwoLines}
	table['i'] = opcode{arg: argTwoLines, marks: -1}
	for c, size := range map[byte]int{'J': 4, 'K': 1, 'M': 2, 'h': 1, 'j': 4, 'q': 1, 'r': 4, 'G': 8, 0x80: 1, 0x82: 1, 0x83: 2, 0x84: 4} {
		table[c] = opcode{arg: argFixed, size: size}
	}
	for _, c := range []byte("UC\x8c") {
		table[c] = opcode{arg: argLen1}
	}
	table[0x8a] = opcode{arg: argLen1, size: maxLong}
	for _, c := range []byte("TBX") {
		table[c] = opcode{arg: argLen4}
	}
	table[0x8b] = opcode{arg: argLen4, size: maxLong}
	for _, c := range []byte("\x8d\x8e\x96") {
		table[c] = opcode{arg: argLen8}
	}
	table[0x95] = opcode{arg: argFrame}
	return table
}()

// scanned is a pickle whose lengths all fit into it.
type scanned struct {
	// text is the pickle without frames.
	text []byte
	// frames are the places in text at which a frame header was left out.
	frames []int
	// length is that of the original.
	length int
}

// frameHeader is the length of a frame header: opcode and size.
const frameHeader = 9

// offset returns the place in the original of a place in text.
func (s *scanned) offset(at int) int {
	for _, f := range s.frames {
		if f > at {
			break
		}
		at += frameHeader
	}
	return at
}

// scanPickle walks over the opcodes of the pickle at the start of data and
// checks that each declared length fits into what is there, which the machine
// that runs them takes on trust. Frames, which mean nothing, are left out.
func scanPickle(data []byte) (*scanned, error) {
	s := &scanned{}
	marks := 0
	for at, count := 0, 0; ; count++ {
		if count == maxOpcodes || at > maxPickle {
			return nil, fmt.Errorf("pickle is longer than %d opcodes or %d bytes", maxOpcodes, maxPickle)
		}
		if at == len(data) {
			return nil, fmt.Errorf("pickle ends at byte %d without a stop", at)
		}
		op := opcodes[data[at]]
		if op.arg == argUnknown {
			return nil, fmt.Errorf("unknown pickle opcode 0x%02x at byte %d", data[at], at)
		}
		size, err := op.length(data[at+1:])
		if err != nil {
			return nil, fmt.Errorf("pickle opcode 0x%02x at byte %d: %w", data[at], at, err)
		}
		if marks = max(0, marks+op.marks); marks > maxMarks {
			return nil, fmt.Errorf("pickle nests deeper than %d at byte %d", maxMarks, at)
		}
		end := at + 1 + size
		switch {
		case op.arg == argFrame:
			s.frames = append(s.frames, len(s.text))
		case data[at] == 0x8a && data[at+1] == 0:
			// The integer of no bytes is zero, which the machine does not know.
			s.text = append(s.text, 'K', 0)
		default:
			s.text = append(s.text, data[at:end]...)
		}
		if data[at] == '.' {
			s.length = end
			return s, nil
		}
		at = end
	}
}

// length returns the length of the argument at the start of rest.
func (op opcode) length(rest []byte) (int, error) {
	switch op.arg {
	case argFixed:
		return fits(op.size, rest)
	case argLine:
		return lineLength(rest)
	case argTwoLines:
		first, err := lineLength(rest)
		if err != nil {
			return 0, err
		}
		second, err := lineLength(rest[first:])
		return first + second, err
	case argLen1:
		return op.counted(rest, 1)
	case argLen4:
		return op.counted(rest, 4)
	case argLen8:
		return op.counted(rest, 8)
	case argFrame:
		_, err := op.counted(rest, 8)
		return 8, err
	}
	return 0, nil
}

// counted returns the length of an argument that starts with its own length, a
// number of the given width.
func (op opcode) counted(rest []byte, width int) (int, error) {
	if _, err := fits(width, rest); err != nil {
		return 0, err
	}
	var word [8]byte
	copy(word[:], rest[:width])
	n := binary.LittleEndian.Uint64(word[:])
	if n > uint64(len(rest)-width) {
		return 0, fmt.Errorf("argument of %d bytes, but %d are left", n, len(rest)-width)
	}
	if op.size > 0 && n > uint64(op.size) {
		return 0, fmt.Errorf("argument of %d bytes, more than the allowed %d", n, op.size)
	}
	return width + int(n), nil
}

// fits returns n if as many bytes are left.
func fits(n int, rest []byte) (int, error) {
	if n > len(rest) {
		return 0, fmt.Errorf("argument of %d bytes, but %d are left", n, len(rest))
	}
	return n, nil
}

// lineLength returns the length of the line at the start of rest with its end.
func lineLength(rest []byte) (int, error) {
	i := bytes.IndexByte(rest[:min(len(rest), maxTextLine)], '\n')
	if i < 0 {
		return 0, fmt.Errorf("no end of line within %d bytes", maxTextLine)
	}
	return i + 1, nil
}
