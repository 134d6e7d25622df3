package safetensors

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
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
	header, body := data[8:8+length], data[8+length:]
	if len(header) == 0 || header[0] != '{' {
		return nil, errors.New("not a safetensors file: the header does not start with '{'")
	}
	if !utf8.Valid(header) {
		return nil, errors.New("safetensors header is not valid UTF-8")
	}
	f := &File{Header: data[:8+length]}
	spans, err := f.parseHeader(header)
	if err != nil {
		return nil, fmt.Errorf("safetensors header: %w", err)
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

// headerReader reads the tokens of a header. Its decoder refuses repeated keys.
type headerReader struct{ dec *jsontext.Decoder }

// parseHeader reads the JSON object and refuses trailing data other than spaces.
func (f *File) parseHeader(text []byte) ([]span, error) {
	r := headerReader{jsontext.NewDecoder(bytes.NewBuffer(text))}
	var spans []span
	err := r.object(func(name string) error {
		if name == metadataKey {
			f.Metadata = map[string]string{}
			return r.object(func(key string) error {
				value, err := r.text()
				f.Metadata[key] = value
				return err
			})
		}
		s, err := r.tensor(name)
		spans = append(spans, s)
		return err
	})
	if err != nil {
		return nil, err
	}
	if rest := bytes.TrimRight(text[r.dec.InputOffset():], " "); len(rest) > 0 {
		return nil, fmt.Errorf("%d bytes of trailing data after the object", len(rest))
	}
	return spans, nil
}

func (r headerReader) tensor(name string) (span, error) {
	s := span{Tensor: Tensor{Name: name}}
	var offsets []uint64
	seen := 0
	err := r.object(func(key string) (err error) {
		seen++
		switch key {
		case "dtype":
			var text string
			text, err = r.text()
			s.DType = DType(text)
		case "shape":
			var dims []uint64
			dims, err = r.numbers(maxDims)
			s.Shape = make([]int, len(dims))
			for i, d := range dims {
				if s.Shape[i] = int(d); s.Shape[i] < 0 {
					return fmt.Errorf("dimension %d is too large", d)
				}
			}
		case "data_offsets":
			offsets, err = r.numbers(2)
		default:
			return fmt.Errorf("unknown field %q", key)
		}
		return err
	})
	if err != nil {
		return s, fmt.Errorf("tensor %q: %w", name, err)
	}
	if seen != 3 || len(offsets) != 2 {
		return s, fmt.Errorf("tensor %q: want dtype, shape and two data_offsets", name)
	}
	s.begin, s.end = offsets[0], offsets[1]
	return s, nil
}

// object reads an object and calls field for each key, which must read the
// value.
func (r headerReader) object(field func(key string) error) error {
	if err := r.delim(jsontext.BeginObject); err != nil {
		return err
	}
	for r.dec.PeekKind() != jsontext.EndObject.Kind() {
		key, err := r.text()
		if err != nil {
			return err
		}
		if err := field(key); err != nil {
			return err
		}
	}
	return r.delim(jsontext.EndObject)
}

// numbers reads an array of at most limit non-negative integers.
func (r headerReader) numbers(limit int) ([]uint64, error) {
	if err := r.delim(jsontext.BeginArray); err != nil {
		return nil, err
	}
	var numbers []uint64
	for r.dec.PeekKind() != jsontext.EndArray.Kind() {
		text, err := r.token('0', "a number")
		if err != nil {
			return nil, err
		}
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s is not a whole number from 0 up", text)
		}
		if len(numbers) == limit {
			return nil, fmt.Errorf("more than %d numbers", limit)
		}
		numbers = append(numbers, n)
	}
	return numbers, r.delim(jsontext.EndArray)
}

func (r headerReader) text() (string, error) { return r.token('"', "a string") }

func (r headerReader) delim(want jsontext.Token) error {
	_, err := r.token(want.Kind(), want.String())
	return err
}

// token reads a token of some kind, which errors call want.
func (r headerReader) token(kind jsontext.Kind, want string) (string, error) {
	token, err := r.dec.ReadToken()
	if err != nil {
		return "", err
	}
	if token.Kind() != kind {
		return "", fmt.Errorf("found %v, want %s", token, want)
	}
	return token.String(), nil
}
