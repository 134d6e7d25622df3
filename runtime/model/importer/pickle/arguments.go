package pickle

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
)

func (d *Decoder) protocol() error {
	p, err := d.number(1)
	if err == nil && p > maxProtocol {
		err = fmt.Errorf("protocol %d, want at most %d", p, maxProtocol)
	}
	return err
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
	if err != nil {
		return err
	}
	return d.push(Value{Int, int32(n)})
}

// long reads an integer whose length takes width bytes. The value of one over 64 bits is not kept.
func (d *Decoder) long(width int) error {
	size, err := d.number(width)
	if err != nil {
		return err
	}
	if size > 8 {
		if d.item != nil {
			return fmt.Errorf("an integer of %d bytes, want at most 4", size)
		}
		return d.opaque(size, nil)
	}
	n, err := d.number(int(size))
	if err != nil {
		return err
	}
	// Move the sign up to bit 63 and back.
	shift := 64 - 8*size
	return d.pushInt(int64(n<<shift) >> shift)
}

// pushInt puts an integer on the stack. Those of ReadDict must fit an id.
func (d *Decoder) pushInt(n int64) error {
	if n >= math.MinInt32 && n <= math.MaxInt32 {
		return d.push(Value{Int, int32(n)})
	}
	if d.item != nil {
		return fmt.Errorf("integer %d, want at most %d", n, math.MaxInt32)
	}
	d.memory += valueSize
	d.longs = append(d.longs, n)
	return d.push(Value{Long, int32(len(d.longs) - 1)})
}

// text reads a text that starts with its length.
func (d *Decoder) text(width int) error {
	n, err := d.number(width)
	if err != nil {
		return err
	}
	if n > uint64(d.maxText) {
		return fmt.Errorf("a text of %d bytes, want at most %d", n, d.maxText)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(d.r, text); err != nil {
		return err
	}
	d.offset += int64(n)
	return d.pushText(string(text))
}

func (d *Decoder) pushText(text string) error {
	d.memory += textSize + int64(len(text))
	d.texts = append(d.texts, text)
	return d.push(Value{Text, int32(len(d.texts) - 1)})
}

// line reads an argument up to the end of its line.
func (d *Decoder) line() (string, error) {
	line, err := d.r.ReadSlice('\n')
	switch {
	case len(line) > maxLine+1 || errors.Is(err, bufio.ErrBufferFull):
		return "", fmt.Errorf("a line is longer than %d bytes", maxLine)
	case err != nil:
		return "", err
	}
	d.offset += int64(len(line))
	return string(line[:len(line)-1]), nil
}

// opaque steps over a value of n bytes, which is not kept.
func (d *Decoder) opaque(n uint64, err error) error {
	if err == nil && n > math.MaxInt64 {
		err = io.ErrUnexpectedEOF
	}
	if err == nil {
		_, err = io.CopyN(io.Discard, d.r, int64(n))
	}
	if err != nil {
		return err
	}
	d.offset += int64(n)
	return d.push(Value{kind: Opaque})
}
