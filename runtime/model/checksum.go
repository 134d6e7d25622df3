package model

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/efoc/efoc/runtime/internal/mapfile"
	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/model/safetensors"
)

// blockSize is the length of the blocks whose CRC-32Cs make up the checksum of
// a tensor: the checksum is the CRC-32C of the block CRCs, each written as four
// little-endian bytes, so that blocks can be summed side by side.
const blockSize = 4 << 20

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// noSum is a checksum of zeros, the placeholder for the header's checksum during its computation.
var noSum = formatSum(0)

// formatSum formats a CRC-32C for manifests.
func formatSum(sum uint32) string { return fmt.Sprintf("crc32c:%08x", sum) }

// appendSum appends the sum of a block to the earlier ones.
func appendSum(to []byte, sum uint32) []byte { return binary.LittleEndian.AppendUint32(to, sum) }

// pieceSize is the number of bytes read and summed at a time, while they are in the cache.
const pieceSize = 256 << 10

// readFunc reads part from a file, starting at byte from.
type readFunc func(part []byte, from int64) error

// block is a part of a tensor with its own checksum.
type block struct {
	data  []byte
	from  int64 // where it starts in the file
	sum   uint32
	leave *mapfile.File
}

// take reads and sums the block once.
func (b *block) take(read readFunc) error {
	for at := 0; at < len(b.data); at += pieceSize {
		piece := b.data[at:min(at+pieceSize, len(b.data))]
		if read != nil {
			if err := read(piece, b.from+int64(at)); err != nil {
				return err
			}
		}
		b.sum = crc32.Update(b.sum, castagnoli, piece)
	}
	b.leave.ReleasePart(b.data)
	return nil
}

// checksums returns the checksum of each tensor, in order. read, if not nil, is called first with each piece; the
// data of the first tensor is at byte from of the file. If a block lies in leave, it is evicted afterwards. The error
// is the first of read.
func checksums(tensors []safetensors.Tensor, from int64, read readFunc, leave *mapfile.File) ([]string, error) {
	var blocks []block
	ends := make([]int, len(tensors))
	total := 0
	for i, t := range tensors {
		for lo := 0; lo < len(t.Data); lo += blockSize {
			data := t.Data[lo:min(lo+blockSize, len(t.Data))]
			blocks = append(blocks, block{data: data, from: from + int64(lo), leave: leave})
		}
		ends[i] = len(blocks)
		from += int64(len(t.Data))
		total += len(t.Data)
	}
	size := 1
	if total < blockSize { // too little to parallelise
		size += len(blocks)
	}
	err := pool.InParts(len(blocks), size, func(lo, hi int) (err error) {
		for i := lo; i < hi && err == nil; i++ {
			err = blocks[i].take(read)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(tensors))
	at := 0
	for i, end := range ends {
		var all []byte
		for ; at < end; at++ {
			all = appendSum(all, blocks[at].sum)
		}
		texts[i] = formatSum(crc32.Checksum(all, castagnoli))
	}
	return texts, nil
}

// verifyChecksums reports the first tensor whose checksum differs from the manifest's. read and leave are as for
// checksums.
func verifyChecksums(f *safetensors.File, want map[string]string, read readFunc, leave *mapfile.File) error {
	if len(want) != len(f.Tensors) {
		return fmt.Errorf("manifest: checksums of %d tensors, but the bundle has %d", len(want), len(f.Tensors))
	}
	sums, err := checksums(f.Tensors, int64(len(f.Header)), read, leave)
	if err != nil {
		return err
	}
	for i, sum := range sums {
		if name := f.Tensors[i].Name; want[name] != sum {
			return fmt.Errorf("tensor %q: checksum is %s, want %s", name, sum, want[name])
		}
	}
	return nil
}
