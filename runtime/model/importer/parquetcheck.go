package importer

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// The library makes room for what a Parquet file claims: lists, texts, pages and values.
// Here these claims are compared with the bytes that are there, and bounded.
const (
	maxFooter = 64 << 20
	// maxStructs bounds the columns, row groups and the like of a footer.
	maxStructs = 1 << 20
	// maxPage bounds a page without compression, in bytes.
	maxPage = 256 << 20
	// maxPageValues bounds the values of a page: many may take one bit.
	maxPageValues = 1 << 24
)

// oldDictionary is the encoding of dictionaries that files of the first version have.
const oldDictionary = format.Encoding(2)

var errParquet = errors.New("not a Parquet file, or a damaged one")

// checkParquetFooter checks the sizes in the footer.
func checkParquetFooter(data []byte) error {
	if len(data) < 12 || string(data[:4]) != "PAR1" || string(data[len(data)-4:]) != "PAR1" {
		return errParquet
	}
	size := int64(binary.LittleEndian.Uint32(data[len(data)-8:]))
	switch {
	case size > int64(len(data)-12):
		return fmt.Errorf("%w: a footer of %d bytes in a file of %d", errParquet, size, len(data))
	case size > maxFooter:
		return fmt.Errorf("a Parquet footer of %d bytes, more than the allowed %d", size, maxFooter)
	}
	t := &message{data: data[len(data)-8-int(size) : len(data)-8]}
	t.object(0)
	return t.err
}

// parsePageHeader returns what a page says of itself, and how many bytes that takes.
func parsePageHeader(data []byte) (h format.PageHeader, length int, err error) {
	t := &message{data: data}
	if t.object(0); t.err == nil {
		t.err = thrift.Unmarshal(new(thrift.CompactProtocol), data[:t.at], &h)
	}
	return h, t.at, t.err
}

// checkPages checks the pages of a column of a row group; optional says that values may be
// missing.
func checkPages(data []byte, c *format.ColumnMetaData, optional bool) error {
	start, size := c.DataPageOffset, c.TotalCompressedSize
	if c.DictionaryPageOffset != 0 {
		start = c.DictionaryPageOffset
	}
	if start < 4 || size < 0 || start > int64(len(data)) || size > int64(len(data))-start {
		return fmt.Errorf("%d bytes of pages from byte %d in a file of %d", size, start, len(data))
	}
	rest := data[start : start+size]
	for n := 0; len(rest) > 0; n++ {
		h, length, err := parsePageHeader(rest)
		if err != nil {
			return fmt.Errorf("page %d: %w", n, err)
		}
		rest = rest[length:]
		size := int64(h.CompressedPageSize)
		if size < 0 || size > int64(len(rest)) {
			return fmt.Errorf("page %d: %d bytes, but %d are left", n, size, len(rest))
		}
		if err := checkPage(&h, rest[:size], c.Codec, optional); err != nil {
			return fmt.Errorf("page %d: %w", n, err)
		}
		rest = rest[size:]
	}
	return nil
}

// checkPage compares a page with its header.
func checkPage(h *format.PageHeader, body []byte, codec format.CompressionCodec, optional bool) error {
	var values int32
	var encoding format.Encoding
	plain := int64(h.UncompressedPageSize)
	if plain < 0 || plain > maxPage {
		return fmt.Errorf("%d bytes without compression, want at most %d", plain, maxPage)
	}
	switch data, dictionary, v2 := &h.DataPageHeader, &h.DictionaryPageHeader, &h.DataPageHeaderV2; {
	case h.Type == format.DataPage && data.Valid:
		values, encoding = data.V.NumValues, data.V.Encoding
	case h.Type == format.DictionaryPage && dictionary.Valid:
		values, encoding = dictionary.V.NumValues, dictionary.V.Encoding
	case h.Type == format.DataPageV2 && v2.Valid:
		values, encoding = v2.V.NumValues, v2.V.Encoding
		definitions, repetitions := int64(v2.V.DefinitionLevelsByteLength), int64(v2.V.RepetitionLevelsByteLength)
		levels := definitions + repetitions
		if definitions < 0 || repetitions < 0 || levels > int64(len(body)) || levels > plain {
			return fmt.Errorf("%d bytes of levels in a page of %d", levels, len(body))
		}
		if body, plain = body[levels:], plain-levels; v2.V.IsCompressed.Valid && !v2.V.IsCompressed.V {
			codec = format.Uncompressed
		}
	default:
		return fmt.Errorf("a page of kind %d without its header", h.Type)
	}
	if values < 0 || values > maxPageValues {
		return fmt.Errorf("%d values, want at most %d", values, maxPageValues)
	}
	text, err := unpack(body, codec, plain)
	if err != nil {
		return err
	}
	if optional && h.Type == format.DataPage {
		if len(text) < 4 || int64(binary.LittleEndian.Uint32(text)) > int64(len(text)-4) {
			return errors.New("levels that leave the page")
		}
		text = text[4+binary.LittleEndian.Uint32(text):]
	}
	return checkEncoding(encoding, values, text)
}

// checkEncoding checks the values of a page, without its levels, as far as they claim how
// many they are.
func checkEncoding(encoding format.Encoding, values int32, text []byte) error {
	switch encoding {
	case format.Plain, oldDictionary, format.RLEDictionary:
		return nil
	case format.DeltaBinaryPacked, format.DeltaLengthByteArray:
		var of [3]uint64 // numbers in a block, blocks in it, and all numbers
		for i := range of {
			v, n := binary.Uvarint(text)
			if n <= 0 {
				return errors.New("differences without their number")
			}
			of[i], text = v, text[n:]
		}
		if of[0] > 1<<16 || of[1] < 1 || of[1] > of[0] || of[2] > uint64(values) {
			return fmt.Errorf("%d differences in blocks of %d by %d, in a page of %d values", of[2], of[0], of[1], values)
		}
		return nil
	default:
		return fmt.Errorf("encoding %s: write the column again in plain or dictionary encoding", encoding)
	}
}

// unpack returns a page without compression, which must have want bytes.
func unpack(body []byte, codec format.CompressionCodec, want int64) (text []byte, err error) {
	switch codec {
	case format.Uncompressed:
		text = body
	case format.Snappy:
		n, e := snappy.DecodedLen(body)
		if len(body) > 0 && e != nil {
			return nil, e
		}
		if len(body) == 0 || int64(n) != want {
			return nil, sizeError(int64(n), want, len(body) == 0 && want == 0)
		}
		text, err = snappy.Decode(nil, body)
	case format.Gzip:
		z, e := gzip.NewReader(bytes.NewReader(body))
		if e != nil {
			return nil, e
		}
		text, err = io.ReadAll(io.LimitReader(z, want+1))
	case format.Zstd:
		z, e := zstd.NewReader(bytes.NewReader(body), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if e != nil {
			return nil, e
		}
		defer z.Close()
		text, err = io.ReadAll(io.LimitReader(z, want+1))
	default:
		return nil, fmt.Errorf("compression %s, want none, SNAPPY, GZIP or ZSTD", codec)
	}
	if err != nil {
		return nil, err
	}
	return text, sizeError(int64(len(text)), want, int64(len(text)) == want)
}

func sizeError(n, want int64, ok bool) error {
	if ok {
		return nil
	}
	return fmt.Errorf("%d bytes without compression, but the page says %d", n, want)
}

// message walks over a message in Thrift's compact protocol, and keeps the first error.
type message struct {
	data    []byte
	at      int
	structs int
	err     error
}

func (t *message) fail(format string, args ...any) {
	if t.err == nil {
		t.err = fmt.Errorf("%w: byte %d: %s", errParquet, t.at, fmt.Sprintf(format, args...))
		t.at = len(t.data)
	}
}

func (t *message) byte() byte {
	if t.at >= len(t.data) {
		t.fail("the end")
		return 0
	}
	t.at++
	return t.data[t.at-1]
}

func (t *message) number() uint64 {
	v, n := binary.Uvarint(t.data[t.at:])
	if n <= 0 {
		t.fail("not a number")
		return 0
	}
	t.at += n
	return v
}

// skip goes on by n bytes.
func (t *message) skip(n uint64) {
	if n > uint64(len(t.data)-t.at) {
		t.fail("%d bytes, but %d are left", n, len(t.data)-t.at)
		return
	}
	t.at += int(n)
}

// maxThriftDepth bounds how deep values are in one another.
const maxThriftDepth = 32

// object walks over the fields of a struct.
func (t *message) object(depth int) {
	if t.structs++; t.structs > maxStructs || depth > maxThriftDepth {
		t.fail("too many structs, or too deep")
	}
	for t.err == nil {
		head := t.byte()
		kind := thrift.Type(head & 15)
		if kind == thrift.STOP {
			return
		}
		if head>>4 == 0 { // the field's number is no difference to that of the one before
			t.number()
		}
		if kind != thrift.TRUE && kind != thrift.FALSE { // which have no bytes but this
			t.value(kind, depth)
		}
	}
}

// value walks over a value.
func (t *message) value(kind thrift.Type, depth int) {
	if t.err != nil {
		return
	}
	switch kind {
	case thrift.TRUE, thrift.FALSE, thrift.I8:
		t.skip(1)
	case thrift.I16, thrift.I32, thrift.I64:
		t.number()
	case thrift.DOUBLE:
		t.skip(8)
	case thrift.BINARY:
		t.skip(t.number())
	case thrift.LIST, thrift.SET:
		head := t.byte()
		n := uint64(head >> 4)
		if n == 15 {
			n = t.number()
		}
		t.items(n, depth, thrift.Type(head&15))
	case thrift.MAP:
		if n := t.number(); n > 0 {
			head := t.byte()
			t.items(n, depth, thrift.Type(head>>4), thrift.Type(head&15))
		}
	case thrift.STRUCT:
		t.object(depth + 1)
	default:
		t.fail("type %d", kind)
	}
}

// items walks over n times values of some types, each of which takes a byte at least.
func (t *message) items(n uint64, depth int, kinds ...thrift.Type) {
	if n > uint64(len(t.data)-t.at) {
		t.fail("a list of %d, but %d bytes are left", n, len(t.data)-t.at)
	}
	if depth > maxThriftDepth {
		t.fail("too deep")
	}
	for range n {
		for _, kind := range kinds {
			if t.value(kind, depth+1); t.err != nil {
				return
			}
		}
	}
}
