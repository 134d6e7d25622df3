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
	t := &thrift{data: data[len(data)-8-int(size) : len(data)-8]}
	t.object(0, nil)
	return t.err
}

// pageHeader is what a page says of itself.
type pageHeader struct {
	kind                        format.PageType
	compressed, plain           int64
	values, encoding            int64
	definitions, repetitions    int64 // bytes before what is compressed, in version 2
	uncompressed                bool  // although the column is compressed
	length                      int   // of the header itself
	hasData, hasDict, hasDataV2 bool
}

// parsePageHeader reads the header of a page, compact Thrift.
func parsePageHeader(data []byte) (h pageHeader, err error) {
	t := &thrift{data: data}
	numbers := func(to map[int16]*int64) func(int16, byte) bool {
		return func(id int16, kind byte) bool {
			if p, ok := to[id]; ok && kind == thriftI32 {
				*p = t.zigzag()
				return true
			}
			return false
		}
	}
	var kind int64
	t.object(0, func(id int16, of byte) bool {
		switch {
		case id == 5 && of == thriftStruct:
			h.hasData = true
			t.object(1, numbers(map[int16]*int64{1: &h.values, 2: &h.encoding}))
		case id == 7 && of == thriftStruct:
			h.hasDict = true
			t.object(1, numbers(map[int16]*int64{1: &h.values, 2: &h.encoding}))
		case id == 8 && of == thriftStruct:
			h.hasDataV2 = true
			plain := numbers(map[int16]*int64{1: &h.values, 4: &h.encoding, 5: &h.definitions, 6: &h.repetitions})
			t.object(1, func(id int16, of byte) bool {
				h.uncompressed = h.uncompressed || id == 7 && of == thriftFalse
				return plain(id, of)
			})
		default:
			return numbers(map[int16]*int64{1: &kind, 2: &h.plain, 3: &h.compressed})(id, of)
		}
		return true
	})
	h.kind, h.length = format.PageType(kind), t.at
	return h, t.err
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
		h, err := parsePageHeader(rest)
		if err != nil {
			return fmt.Errorf("page %d: %w", n, err)
		}
		rest = rest[h.length:]
		if h.compressed < 0 || h.compressed > int64(len(rest)) {
			return fmt.Errorf("page %d: %d bytes, but %d are left", n, h.compressed, len(rest))
		}
		if err := h.check(rest[:h.compressed], c.Codec, optional); err != nil {
			return fmt.Errorf("page %d: %w", n, err)
		}
		rest = rest[h.compressed:]
	}
	return nil
}

// check compares a page with its header.
func (h *pageHeader) check(body []byte, codec format.CompressionCodec, optional bool) error {
	if h.plain < 0 || h.plain > maxPage {
		return fmt.Errorf("%d bytes without compression, want at most %d", h.plain, maxPage)
	}
	if h.values < 0 || h.values > maxPageValues {
		return fmt.Errorf("%d values, want at most %d", h.values, maxPageValues)
	}
	kinds := map[format.PageType]bool{format.DataPage: h.hasData, format.DictionaryPage: h.hasDict, format.DataPageV2: h.hasDataV2}
	if !kinds[h.kind] {
		return fmt.Errorf("a page of kind %d without its header", h.kind)
	}
	if h.hasDataV2 {
		levels := h.definitions + h.repetitions
		if h.definitions < 0 || h.repetitions < 0 || levels > int64(len(body)) || levels > h.plain {
			return fmt.Errorf("%d bytes of levels in a page of %d", levels, len(body))
		}
		body, h.plain = body[levels:], h.plain-levels
	}
	if h.uncompressed {
		codec = format.Uncompressed
	}
	text, err := unpack(body, codec, h.plain)
	if err != nil {
		return err
	}
	if optional && h.kind == format.DataPage {
		if len(text) < 4 || int64(binary.LittleEndian.Uint32(text)) > int64(len(text)-4) {
			return errors.New("levels that leave the page")
		}
		text = text[4+binary.LittleEndian.Uint32(text):]
	}
	return h.checkEncoding(text)
}

// checkEncoding checks the values of a page, without its levels, as far as they claim how
// many they are.
func (h *pageHeader) checkEncoding(text []byte) error {
	switch e := format.Encoding(h.encoding); e {
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
		if of[0] > 1<<16 || of[1] < 1 || of[1] > of[0] || of[2] > uint64(h.values) {
			return fmt.Errorf("%d differences in blocks of %d by %d, in a page of %d values", of[2], of[0], of[1], h.values)
		}
		return nil
	default:
		return fmt.Errorf("encoding %s: write the column again in plain or dictionary encoding", e)
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

// The types of compact Thrift.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftI8     = 3
	thriftI32    = 5
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

// thrift walks over a message in Thrift's compact protocol, and keeps the first error.
type thrift struct {
	data    []byte
	at      int
	structs int
	err     error
}

func (t *thrift) fail(format string, args ...any) {
	if t.err == nil {
		t.err = fmt.Errorf("%w: byte %d: %s", errParquet, t.at, fmt.Sprintf(format, args...))
		t.at = len(t.data)
	}
}

func (t *thrift) byte() byte {
	if t.at >= len(t.data) {
		t.fail("the end")
		return 0
	}
	t.at++
	return t.data[t.at-1]
}

func (t *thrift) uvarint() uint64 {
	v, n := binary.Uvarint(t.data[t.at:])
	if n <= 0 {
		t.fail("not a number")
		return 0
	}
	t.at += n
	return v
}

func (t *thrift) zigzag() int64 {
	v := t.uvarint()
	return int64(v>>1) ^ -int64(v&1)
}

// skip goes on by n bytes.
func (t *thrift) skip(n uint64) {
	if n > uint64(len(t.data)-t.at) {
		t.fail("%d bytes, but %d are left", n, len(t.data)-t.at)
		return
	}
	t.at += int(n)
}

// maxThriftDepth bounds how deep values are in one another.
const maxThriftDepth = 32

// object walks over the fields of a struct. field, if not nil, may read the value of one,
// and then returns true.
func (t *thrift) object(depth int, field func(id int16, kind byte) bool) {
	if t.structs++; t.structs > maxStructs || depth > maxThriftDepth {
		t.fail("too many structs, or too deep")
	}
	id := int16(0)
	for t.err == nil {
		head := t.byte()
		kind := head & 15
		if kind == 0 {
			return
		}
		if delta := head >> 4; delta > 0 {
			id += int16(delta)
		} else {
			id = int16(t.zigzag())
		}
		if t.err == nil && (field == nil || !field(id, kind)) {
			t.value(kind, depth)
		}
	}
}

// value walks over a value.
func (t *thrift) value(kind byte, depth int) {
	switch kind {
	case thriftTrue, thriftFalse:
	case thriftI8:
		t.skip(1)
	case 4, thriftI32, thriftI64:
		t.uvarint()
	case thriftDouble:
		t.skip(8)
	case thriftBinary:
		t.skip(t.uvarint())
	case thriftList, thriftSet:
		head := t.byte()
		n := uint64(head >> 4)
		if n == 15 {
			n = t.uvarint()
		}
		t.items(n, depth, head&15)
	case thriftMap:
		if n := t.uvarint(); n > 0 {
			head := t.byte()
			t.items(n, depth, head>>4, head&15)
		}
	case thriftStruct:
		t.object(depth+1, nil)
	default:
		t.fail("type %d", kind)
	}
}

// items walks over n times values of some types, each of which takes a byte at least.
func (t *thrift) items(n uint64, depth int, kinds ...byte) {
	if n > uint64(len(t.data)-t.at) {
		t.fail("a list of %d, but %d bytes are left", n, len(t.data)-t.at)
	}
	if depth > maxThriftDepth {
		t.fail("too deep")
	}
	for range n {
		for _, kind := range kinds {
			if t.err != nil {
				return
			}
			if kind == thriftTrue || kind == thriftFalse {
				t.skip(1) // in a list it is a byte
				continue
			}
			t.value(kind, depth+1)
		}
	}
}
