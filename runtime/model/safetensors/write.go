package safetensors

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// align is the multiple of bytes at which Write starts the data.
const align = 64

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
// JSON, and spaces up to a multiple of align. Data that is not there yet, nil, is taken to be of
// the length that its shape says.
func EncodeHeader(metadata map[string]string, tensors []Tensor) ([]byte, error) {
	text := bytes.NewBuffer(make([]byte, 8))
	enc := jsontext.NewEncoder(text)
	entry := func(key string, value any) error {
		if err := enc.WriteToken(jsontext.String(key)); err != nil {
			return err
		}
		return json.MarshalEncode(enc, value, json.Deterministic(true))
	}
	err := enc.WriteToken(jsontext.BeginObject)
	if err == nil && len(metadata) > 0 {
		err = entry(metadataKey, metadata)
	}
	if err != nil {
		return nil, err
	}
	at := 0
	seen := map[string]bool{metadataKey: true}
	for _, t := range tensors {
		if seen[t.Name] {
			return nil, fmt.Errorf("tensor name %q is taken", t.Name)
		}
		seen[t.Name] = true
		size, err := t.bytes()
		if err == nil && t.Data != nil {
			err = t.Check()
		}
		if err != nil {
			return nil, err
		}
		if at%t.DType.Size() != 0 {
			return nil, fmt.Errorf("tensor %q: data would start at byte %d, not aligned to %s", t.Name, at, t.DType)
		}
		err = entry(t.Name, struct {
			DType   DType  `json:"dtype"`
			Shape   []int  `json:"shape"`
			Offsets [2]int `json:"data_offsets"`
		}{t.DType, t.Shape, [2]int{at, at + size}})
		if err != nil {
			return nil, err
		}
		at += size
	}
	if err := enc.WriteToken(jsontext.EndObject); err != nil {
		return nil, err
	}
	header := bytes.TrimSuffix(text.Bytes(), []byte("\n"))
	for len(header)%align != 0 {
		header = append(header, ' ')
	}
	if len(header)-8 > MaxHeader {
		return nil, fmt.Errorf("header of %d bytes is longer than the allowed %d", len(header)-8, MaxHeader)
	}
	binary.LittleEndian.PutUint64(header, uint64(len(header)-8))
	return header, nil
}
