package importer

import (
	"bytes"
	"cmp"
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
	_, err := checkMessage(data[len(data)-8-int(size) : len(data)-8])
	return err
}

// parsePageHeader returns the header of a page, and its length in bytes.
func parsePageHeader(data []byte) (h format.PageHeader, length int, err error) {
	if length, err = checkMessage(data); err == nil {
		err = thrift.Unmarshal(new(thrift.CompactProtocol), data[:length], &h)
	}
	return h, length, err
}

// checkPages checks the pages of a column of a row group; optional says that values may be
// missing.
func checkPages(data []byte, c *format.ColumnMetaData, optional bool) error {
	start, size := cmp.Or(c.DictionaryPageOffset, c.DataPageOffset), c.TotalCompressedSize
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

// maxThriftDepth bounds how deep values are in one another.
const maxThriftDepth = 32

// checkMessage walks over a struct in Thrift's compact protocol, and returns its length. The
// library makes room for as many values as a list claims, and goes as deep as they are in one
// another.
func checkMessage(data []byte) (length int, err error) {
	w := walk{BytesReader: new(thrift.CompactProtocol).NewReaderFromBytes(data)}
	if err := w.value(thrift.STRUCT, 0); err != nil {
		return 0, fmt.Errorf("%w: byte %d: %w", errParquet, w.BytesRead(), err)
	}
	return w.BytesRead(), nil
}

type walk struct {
	thrift.BytesReader
	structs int
}

// value walks over a value.
func (w *walk) value(kind thrift.Type, depth int) (err error) {
	if depth > maxThriftDepth {
		return errors.New("values too deep in one another")
	}
	switch kind {
	case thrift.TRUE, thrift.FALSE, thrift.I8: // booleans of a list; booleans of a field have no bytes
		_, err = w.ReadInt8()
	case thrift.I16, thrift.I32, thrift.I64:
		_, err = w.ReadInt64()
	case thrift.DOUBLE:
		_, err = w.ReadFloat64()
	case thrift.BINARY:
		_, err = w.ReadBytes() // which are not copied
	case thrift.LIST, thrift.SET:
		var l thrift.List
		l, err = w.ReadList()
		for i := int32(0); i < l.Size && err == nil; i++ {
			err = w.value(l.Type, depth+1)
		}
	case thrift.MAP:
		var m thrift.Map
		m, err = w.ReadMap()
		for i := int32(0); i < m.Size && err == nil; i++ {
			if err = w.value(m.Key, depth+1); err == nil {
				err = w.value(m.Value, depth+1)
			}
		}
	case thrift.STRUCT:
		if w.structs++; w.structs > maxStructs {
			return fmt.Errorf("more than %d structs", maxStructs)
		}
		for err == nil {
			var f thrift.Field
			if f, err = w.ReadField(); err != nil || f.Type == thrift.STOP {
				break
			}
			if f.Type != thrift.TRUE && f.Type != thrift.FALSE {
				err = w.value(f.Type, depth+1)
			}
		}
	default:
		err = fmt.Errorf("a value of type %d", kind)
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return err
}
