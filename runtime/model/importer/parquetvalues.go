package importer

import (
	"encoding/binary"
	"fmt"

	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/encoding/bytestreamsplit"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/encoding/plain"
	"github.com/parquet-go/parquet-go/format"
)

// parquetValues are the values of a page or of a dictionary.
type parquetValues struct {
	numbers []int64
	texts   []byte   // one after the other
	offsets []uint32 // of each text and of the end; nil for numbers
}

// decodeParquet decodes values of a column.
func decodeParquet(c *parquetColumn, by format.Encoding, data []byte) (v *parquetValues, err error) {
	var decoder encoding.Encoding
	switch by {
	case format.Plain:
		decoder = &plain.Encoding{}
	case format.DeltaBinaryPacked:
		decoder = &delta.BinaryPackedEncoding{}
	case format.DeltaLengthByteArray:
		decoder = &delta.LengthByteArrayEncoding{}
	case format.DeltaByteArray:
		decoder = &delta.ByteArrayEncoding{}
	case format.ByteStreamSplit:
		decoder = &bytestreamsplit.Encoding{}
	default:
		return nil, fmt.Errorf("values of encoding %s, which is unknown", by)
	}
	v = &parquetValues{}
	switch c.Type.V {
	case format.Int32:
		var list []int32
		list, err = decoder.DecodeInt32(nil, data)
		for _, n := range list {
			v.numbers = append(v.numbers, int64(n))
		}
	case format.Int64:
		v.numbers, err = decoder.DecodeInt64(nil, data)
	case format.ByteArray:
		v.texts, v.offsets, err = decoder.DecodeByteArray(nil, data, nil)
	case format.FixedLenByteArray:
		v.texts, err = decoder.DecodeFixedLenByteArray(nil, data, int(c.TypeLength.V))
		for at := 0; at <= len(v.texts); at += int(c.TypeLength.V) {
			v.offsets = append(v.offsets, uint32(at))
		}
	}
	return v, err
}

// hybrid reads numbers from 0 of some bits, which alternate between runs of equal numbers and groups of eight.
type hybrid struct {
	data   []byte // the runs and groups that follow
	width  int    // bits of a number
	left   uint64 // how many numbers of the run or of the groups follow
	number uint32 // of the run
	groups []byte // nil in a run
	bit    int    // of the next number in groups
}

// next returns the next number.
func (h *hybrid) next() (uint32, error) {
	for h.left == 0 {
		header, n := binary.Uvarint(h.data)
		if n <= 0 || h.width > 32 {
			return 0, fmt.Errorf("%w: levels or indexes end early", errParquet)
		}
		h.data = h.data[n:]
		h.left = header >> 1
		h.groups = nil
		size := (h.width + 7) / 8
		if header&1 == 1 { // groups
			size = min(len(h.data), int(min(h.left, uint64(len(h.data))))*h.width)
			h.left *= 8
			h.groups = h.data[:size]
			h.bit = 0
		} else {
			h.number = uint32(littleEndian(h.data[:size]))
		}
		h.data = h.data[size:]
	}
	h.left--
	if h.groups == nil {
		return h.number, nil
	}
	bits := littleEndian(h.groups[h.bit/8:]) >> (h.bit % 8)
	h.bit += h.width
	return uint32(bits & (1<<h.width - 1)), nil
}

// littleEndian returns the number of the first bytes, at most eight.
func littleEndian(data []byte) uint64 {
	var buf [8]byte
	copy(buf[:], data)
	return binary.LittleEndian.Uint64(buf[:])
}
