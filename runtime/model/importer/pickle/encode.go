package pickle

import (
	"bufio"
	"encoding/binary"
	"io"
)

// Writer writes the pickle of one dict in protocol 3, as BetaE does: begin with
// DefaultDict or Dict, write a key and a value and then Item for every entry, and
// end with Close. What is within must be begun and ended in pairs.
type Writer struct {
	w *bufio.Writer
	// texts holds the places in the memo of short texts, which repeat.
	texts map[string]byte
	memo  byte // how many values the memo has
}

// NewWriter returns a writer to w.
func NewWriter(w io.Writer) *Writer {
	return &Writer{w: bufio.NewWriterSize(w, 1<<16), texts: map[string]byte{}}
}

// DefaultDict begins a defaultdict(set).
func (w *Writer) DefaultDict() {
	w.op("\x80\x03ccollections\ndefaultdict\nq\x00cbuiltins\nset\nq\x01\x85R")
	w.memo = 2
}

// Item enters the key and the value that were written last.
func (w *Writer) Item() { w.op("s") }

// Int writes an integer.
func (w *Writer) Int(n int32) {
	switch {
	case n >= 0 && n < 1<<8:
		w.op("K")
		w.little(uint32(n), 1)
	case n >= 0 && n < 1<<16:
		w.op("M")
		w.little(uint32(n), 2)
	default:
		w.op("J")
		w.little(uint32(n), 4)
	}
}

// Text writes a text.
func (w *Writer) Text(text string) {
	if at, ok := w.texts[text]; ok {
		w.op("h" + string([]byte{at}))
		return
	}
	w.op("X")
	w.little(uint32(len(text)), 4)
	w.op(text)
	if len(text) == 1 && w.memo < 255 {
		w.op("q" + string([]byte{w.memo}))
		w.texts[text] = w.memo
		w.memo++
	}
}

// BeginTuple begins a tuple of n elements, which EndTuple ends.
func (w *Writer) BeginTuple(n int) {
	if n > 3 {
		w.op("(")
	}
}

// EndTuple ends a tuple of n elements.
func (w *Writer) EndTuple(n int) {
	if n > 3 {
		w.op("t")
		return
	}
	w.op([]string{")", "\x85", "\x86", "\x87"}[n])
}

// BeginSet begins a set in a defaultdict, which EndSet ends.
func (w *Writer) BeginSet() { w.op("h\x01](") }

// EndSet ends a set.
func (w *Writer) EndSet() { w.op("e\x85R") }

// Close ends the pickle, and returns the first error of writing.
func (w *Writer) Close() error {
	w.op(".")
	return w.w.Flush()
}

// op writes bytes; bufio keeps the error for Close.
func (w *Writer) op(text string) { _, _ = w.w.WriteString(text) }

// little writes a number of so many bytes.
func (w *Writer) little(n uint32, width int) {
	var word [4]byte
	binary.LittleEndian.PutUint32(word[:], n)
	_, _ = w.w.Write(word[:width])
}
