package safetensors

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
)

// Align is the multiple of bytes at which Write starts the data.
const Align = 64

// Write writes the tensors in the given order behind a header with the given
// metadata. The same input gives the same bytes. A tensor whose elements would
// not be aligned to their size is refused: put tensors of larger elements first.
func Write(w io.Writer, metadata map[string]string, tensors []Tensor) error {
	header, err := EncodeHeader(metadata, tensors)
	if err != nil {
		return err
	}
	if _, err := w.Write(header); err != nil {
		return err
	}
	for _, t := range tensors {
		if _, err := w.Write(t.Data); err != nil {
			return fmt.Errorf("tensor %q: %w", t.Name, err)
		}
	}
	return nil
}

// EncodeHeader returns the bytes that precede the data of the tensors: length,
// JSON, and spaces up to a multiple of Align.
func EncodeHeader(metadata map[string]string, tensors []Tensor) ([]byte, error) {
	var text bytes.Buffer
	text.WriteByte('{')
	entry := func(key string, value any) error {
		if text.Len() > 1 {
			text.WriteByte(',')
		}
		k, err := marshal(key)
		if err != nil {
			return err
		}
		v, err := marshal(value)
		if err != nil {
			return err
		}
		text.Write(k)
		text.WriteByte(':')
		text.Write(v)
		return nil
	}
	if len(metadata) > 0 {
		if err := entry(metadataKey, metadata); err != nil {
			return nil, err
		}
	}
	at := 0
	seen := map[string]bool{metadataKey: true}
	for _, t := range tensors {
		if seen[t.Name] {
			return nil, fmt.Errorf("tensor name %q is taken", t.Name)
		}
		seen[t.Name] = true
		if err := t.Check(); err != nil {
			return nil, err
		}
		if at%t.DType.Size() != 0 {
			return nil, fmt.Errorf("tensor %q: data would start at byte %d, not aligned to %s", t.Name, at, t.DType)
		}
		shape := t.Shape
		if shape == nil {
			shape = []int{}
		}
		err := entry(t.Name, struct {
			DType   DType  `json:"dtype"`
			Shape   []int  `json:"shape"`
			Offsets [2]int `json:"data_offsets"`
		}{t.DType, shape, [2]int{at, at + len(t.Data)}})
		if err != nil {
			return nil, err
		}
		at += len(t.Data)
	}
	text.WriteByte('}')
	for (8+text.Len())%Align != 0 {
		text.WriteByte(' ')
	}
	if text.Len() > MaxHeader {
		return nil, fmt.Errorf("header of %d bytes is longer than the allowed %d", text.Len(), MaxHeader)
	}
	header := binary.LittleEndian.AppendUint64(make([]byte, 0, 8+text.Len()), uint64(text.Len()))
	return append(header, text.Bytes()...), nil
}

// marshal is json.Marshal without the escapes for HTML.
func marshal(value any) ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimRight(text.Bytes(), "\n"), nil
}
