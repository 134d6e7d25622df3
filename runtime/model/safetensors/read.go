package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/efoc/efoc/runtime/internal/jsonfile"
)

// MaxHeader is the longest header that the format allows, in bytes.
const MaxHeader = 100_000_000

// metadataKey is the one header entry that is not a tensor.
const metadataKey = "__metadata__"

// maxDims bounds the dimensions of a tensor.
const maxDims = 16

// File is a parsed container. Its tensors are views into the bytes that Parse
// was given.
type File struct {
	// Metadata holds the free strings of the header, nil where it has none.
	Metadata map[string]string
	// Tensors are in the order of their data.
	Tensors []Tensor
	// Header holds the raw bytes up to the data: length, JSON and padding.
	Header []byte
}

// Tensor returns the tensor of that name.
func (f *File) Tensor(name string) (Tensor, bool) {
	i := slices.IndexFunc(f.Tensors, func(t Tensor) bool { return t.Name == name })
	if i < 0 {
		return Tensor{}, false
	}
	return f.Tensors[i], true
}

// span is a header entry: a tensor and its byte range within the data.
type span struct {
	Tensor
	begin, end uint64
}

// Parse checks that data is a whole safetensors file and nothing else, and
// returns its tensors.
func Parse(data []byte) (*File, error) {
	if len(data) < 8 {
		return nil, fmt.Errorf("not a safetensors file: %d bytes, shorter than the header length", len(data))
	}
	length := binary.LittleEndian.Uint64(data)
	if length > MaxHeader {
		return nil, fmt.Errorf("not a safetensors file: header of %d bytes, more than the allowed %d", length, MaxHeader)
	}
	if length > uint64(len(data)-8) {
		return nil, fmt.Errorf("safetensors header of %d bytes runs past the end of the file (%d bytes): truncated, or not a safetensors file", length, len(data))
	}
	header := data[8 : 8+length]
	body := data[8+length:]
	if len(header) == 0 || header[0] != '{' {
		return nil, errors.New("not a safetensors file: the header does not start with '{'")
	}
	if !utf8.Valid(header) {
		return nil, errors.New("safetensors header is not valid UTF-8")
	}
	f := &File{Header: data[:8+length]}
	spans, err := f.parseHeader(header)
	if err != nil {
		return nil, fmt.Errorf("safetensors header: %w", jsonfile.Explain(err))
	}
	if err := f.place(spans, body); err != nil {
		return nil, err
	}
	return f, nil
}

// place gives every tensor its bytes. The ranges must cover the body without
// gap or overlap.
func (f *File) place(spans []span, body []byte) error {
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.begin, b.begin), cmp.Compare(a.end, b.end)) })
	at := uint64(0)
	for _, s := range spans {
		switch {
		case s.begin > s.end:
			return fmt.Errorf("tensor %q: data ends at %d, before it starts at %d", s.Name, s.end, s.begin)
		case s.end > uint64(len(body)):
			return fmt.Errorf("tensor %q: data up to byte %d, but the file has %d bytes of data: truncated", s.Name, s.end, len(body))
		case s.begin != at:
			return fmt.Errorf("tensor %q: data starts at byte %d, want %d: tensors must follow one another without gap or overlap", s.Name, s.begin, at)
		}
		s.Data = body[s.begin:s.end:s.end]
		if err := s.Check(); err != nil {
			return err
		}
		f.Tensors = append(f.Tensors, s.Tensor)
		at = s.end
	}
	if at != uint64(len(body)) {
		return fmt.Errorf("%d bytes after the last tensor", uint64(len(body))-at)
	}
	return nil
}

// entry is the header's entry of a tensor.
type entry struct {
	DType   DType    `json:"dtype"`
	Shape   []uint64 `json:"shape"`
	Offsets []uint64 `json:"data_offsets"`
}

// parseHeader reads the JSON object and refuses repeated keys, and trailing data other than spaces.
func (f *File) parseHeader(text []byte) ([]span, error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(text), json.RejectUnknownMembers(true))
	if _, err := dec.ReadToken(); err != nil { // of the object, which begins the text
		return nil, err
	}
	var spans []span
	for dec.PeekKind() != jsontext.EndObject.Kind() {
		key, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		name := key.String()
		if name == metadataKey {
			if err := json.UnmarshalDecode(dec, &f.Metadata); err != nil {
				return nil, err
			}
			continue
		}
		var e entry
		if err := json.UnmarshalDecode(dec, &e); err != nil {
			return nil, err
		}
		s, err := e.span(name)
		if err != nil {
			return nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		spans = append(spans, s)
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	if rest := bytes.TrimRight(text[dec.InputOffset():], " "); len(rest) > 0 {
		return nil, fmt.Errorf("%d bytes of trailing data after the object", len(rest))
	}
	return spans, nil
}

// span returns the tensor of that name, without its data.
func (e *entry) span(name string) (span, error) {
	s := span{Tensor: Tensor{Name: name, DType: e.DType}}
	switch {
	case e.Shape == nil || len(e.Offsets) != 2:
		return s, errors.New("want dtype, shape and two data_offsets")
	case len(e.Shape) > maxDims:
		return s, fmt.Errorf("%d dimensions, more than %d", len(e.Shape), maxDims)
	}
	for _, d := range e.Shape {
		if d > math.MaxInt {
			return s, fmt.Errorf("dimension %d is too large", d)
		}
		s.Shape = append(s.Shape, int(d))
	}
	s.begin, s.end = e.Offsets[0], e.Offsets[1]
	return s, nil
}
