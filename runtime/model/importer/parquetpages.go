package importer

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

const (
	// maxFooter bounds the bytes that are decoded before anything is known about the file.
	maxFooter = 64 << 20
	// maxPage bounds the bytes of a page.
	maxPage = 256 << 20
)

var errParquet = errors.New("not a Parquet file, or a damaged one")

// parquetFooter reads the footer of a file.
func parquetFooter(data []byte) (*format.FileMetaData, error) {
	const magic = "PAR1"
	if len(data) < 12 || string(data[:4]) != magic || string(data[len(data)-4:]) != magic {
		return nil, errParquet
	}
	data = data[:len(data)-4]
	size := int64(binary.LittleEndian.Uint32(data[len(data)-4:]))
	data = data[:len(data)-4]
	if size > int64(len(data)-4) {
		return nil, fmt.Errorf("%w: a footer of %d bytes in a file of %d", errParquet, size, len(data)+8)
	}
	if size > maxFooter {
		return nil, fmt.Errorf("a Parquet footer of %d bytes, more than the allowed %d", size, maxFooter)
	}
	footer := &format.FileMetaData{}
	if err := decodeThrift(bytes.NewReader(data[int64(len(data))-size:]), footer); err != nil {
		return nil, fmt.Errorf("%w: %w", errParquet, err)
	}
	return footer, nil
}

// decodeThrift decodes a structure.
func decodeThrift(r io.Reader, to any) error {
	return thrift.NewDecoder((&thrift.CompactProtocol{}).NewReader(r)).Decode(to)
}

// parquetColumn is a column of a file.
type parquetColumn struct {
	format.SchemaElement
	leaf   int  // its position among columns that hold values, if it does
	wanted bool // whether it has facts
}

// parquetColumns returns the columns of a schema, a tree in depth-first order. Columns that are trees themselves hold
// several columns of values.
func parquetColumns(schema []format.SchemaElement) (columns []parquetColumn, err error) {
	leaf := 0
	for at := 1; at < len(schema); {
		columns = append(columns, parquetColumn{SchemaElement: schema[at], leaf: leaf})
		for open := int32(1); open > 0; at++ {
			if at == len(schema) {
				return nil, errParquet
			}
			children := schema[at].NumChildren.V
			if children == 0 {
				leaf++
			}
			open += children - 1
		}
	}
	return columns, nil
}

// parquetPages reads the values of a column in a row group, page by page.
type parquetPages struct {
	column  parquetColumn
	codec   format.CompressionCodec
	pages   []byte         // those that follow
	left    int            // how many values of the page follow, null ones included
	levels  *hybrid        // 0 for null; nil if no value is
	indexes *hybrid        // of values in words; nil if the page has values of its own
	values  *parquetValues // of the page
	read    int            // of these
	words   *parquetValues // the dictionary
}

// newParquetPages returns the pages of a column.
func newParquetPages(data []byte, of *format.ColumnMetaData, column parquetColumn) (*parquetPages, error) {
	from := of.DataPageOffset
	if of.DictionaryPageOffset > 0 {
		from = min(from, of.DictionaryPageOffset)
	}
	size := of.TotalCompressedSize
	if from < 0 || size < 0 || from > int64(len(data)) || size > int64(len(data))-from {
		return nil, errParquet
	}
	return &parquetPages{column: column, codec: of.Codec, pages: data[from : from+size], words: &parquetValues{}}, nil
}

// next returns the next value: that of values at i. values is nil if it is null.
func (p *parquetPages) next() (values *parquetValues, i int, err error) {
	for p.left <= 0 {
		if err := p.nextPage(); err != nil {
			return nil, 0, err
		}
	}
	p.left--
	if p.levels != nil {
		level, err := p.levels.next()
		if err != nil || level == 0 {
			return nil, 0, err
		}
	}
	if p.indexes == nil {
		p.read++
		return p.values, p.read - 1, nil
	}
	index, err := p.indexes.next()
	return p.words, int(index), err
}

// nextPage reads the next page.
func (p *parquetPages) nextPage() error {
	if len(p.pages) == 0 {
		return errors.New("fewer values than there are rows")
	}
	r := bytes.NewReader(p.pages)
	var header format.PageHeader
	if err := decodeThrift(r, &header); err != nil {
		return fmt.Errorf("%w: %w", errParquet, err)
	}
	rest := p.pages[len(p.pages)-r.Len():]
	page := rest[:header.CompressedPageSize]
	p.pages = rest[header.CompressedPageSize:]
	if header.CRC != 0 && crc32.ChecksumIEEE(page) != uint32(header.CRC) {
		return fmt.Errorf("%w: a page has the wrong checksum", errParquet)
	}
	switch header.Type {
	case format.DictionaryPage:
		words, err := p.decompress(page, header.UncompressedPageSize)
		if err != nil {
			return err
		}
		p.words, err = decodeParquet(&p.column, format.Plain, words)
		return err
	case format.DataPage:
		return p.dataPage(&header.DataPageHeader.V, page, header.UncompressedPageSize)
	case format.DataPageV2:
		return p.dataPage2(&header.DataPageHeaderV2.V, page, header.UncompressedPageSize)
	}
	return nil
}

// dataPage reads a page of format 1, in which levels are compressed with the values.
func (p *parquetPages) dataPage(of *format.DataPageHeader, page []byte, size int32) error {
	text, err := p.decompress(page, size)
	if err != nil {
		return err
	}
	var levels []byte
	if p.column.RepetitionType.V == format.Optional {
		if of.DefinitionLevelEncoding != format.RLE {
			return fmt.Errorf("levels of encoding %s, want RLE", of.DefinitionLevelEncoding)
		}
		end := 4 + int(binary.LittleEndian.Uint32(text))
		levels = text[4:end]
		text = text[end:]
	}
	return p.open(of.NumValues, levels, of.Encoding, text)
}

// dataPage2 reads a page of format 2, in which levels are not compressed.
func (p *parquetPages) dataPage2(of *format.DataPageHeaderV2, page []byte, size int32) error {
	from := of.RepetitionLevelsByteLength
	end := from + of.DefinitionLevelsByteLength
	text := page[end:]
	if of.IsCompressed.V || !of.IsCompressed.Valid {
		var err error
		text, err = p.decompress(text, size-end)
		if err != nil {
			return err
		}
	}
	return p.open(of.NumValues, page[from:end], of.Encoding, text)
}

// open begins to read the values of a page.
func (p *parquetPages) open(n int32, levels []byte, encoding format.Encoding, text []byte) (err error) {
	p.left = int(n)
	p.levels = nil
	if p.column.RepetitionType.V == format.Optional {
		p.levels = &hybrid{data: levels, width: 1}
	}
	p.indexes = nil
	if encoding == format.PlainDictionary || encoding == format.RLEDictionary {
		p.indexes = &hybrid{}
		if len(text) > 0 {
			p.indexes = &hybrid{data: text[1:], width: int(text[0])}
		}
		return nil
	}
	p.read = 0
	p.values, err = decodeParquet(&p.column, encoding, text)
	return err
}

// decompress returns the text of a page, of a size.
func (p *parquetPages) decompress(page []byte, size int32) ([]byte, error) {
	if size > maxPage {
		return nil, fmt.Errorf("a page of %d bytes, more than the allowed %d", size, maxPage)
	}
	var text io.Reader
	switch p.codec {
	case format.Uncompressed:
		return page, nil
	case format.Snappy:
		if n, err := s2.DecodedLen(page); err != nil || n != int(size) {
			return nil, errParquet
		}
		return s2.Decode(nil, page)
	case format.Gzip:
		r, err := gzip.NewReader(bytes.NewReader(page))
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		text = r
	case format.Zstd:
		r, err := zstd.NewReader(bytes.NewReader(page), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, fmt.Errorf("zstd: %w", err)
		}
		defer r.Close()
		text = r
	default:
		return nil, fmt.Errorf("compressed by %s: write the file with SNAPPY, ZSTD, GZIP or without compression", p.codec)
	}
	return io.ReadAll(io.LimitReader(text, int64(size)))
}
