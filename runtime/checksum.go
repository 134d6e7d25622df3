package runtime

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	goruntime "runtime"
	"slices"

	"github.com/efoc/efoc/runtime/internal/pool"
	"github.com/efoc/efoc/runtime/safetensors"
)

// blockSize is the length of the blocks whose CRC-32Cs make up the checksum of
// a tensor: the checksum is the CRC-32C of the block CRCs, each written as four
// little-endian bytes, so that blocks can be summed side by side.
const blockSize = 4 << 20

// maxSummers bounds the goroutines that sum blocks: a few saturate the memory.
const maxSummers = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// noSum is a checksum of zeros; it takes the place of the header's checksum while
// that is computed.
var noSum = formatSum(0)

// formatSum writes a CRC-32C the way manifests do.
func formatSum(sum uint32) string { return fmt.Sprintf("crc32c:%08x", sum) }

// checksums returns the checksum of each tensor, in order. fill, if not nil, is called
// with each block first, to read what is in the file from some byte on; the data of the
// first tensor is at byte from. The error is the first of fill.
func checksums(tensors []safetensors.Tensor, from int64, fill func(part []byte, from int64) error) ([]string, error) {
	type block struct {
		data []byte
		from int64
		sum  *uint32
	}
	var blocks []block
	sums, total := make([][]uint32, len(tensors)), 0
	for i, t := range tensors {
		count := (len(t.Data) + blockSize - 1) / blockSize
		sums[i] = make([]uint32, count)
		for b := range count {
			lo := b * blockSize
			blocks = append(blocks, block{t.Data[lo:min(lo+blockSize, len(t.Data))], from + int64(lo), &sums[i][b]})
		}
		from, total = from+int64(len(t.Data)), total+len(t.Data)
	}
	errs := make([]error, len(blocks))
	var workers *pool.Pool
	if total >= blockSize {
		workers = pool.New(min(maxSummers, goruntime.GOMAXPROCS(0)))
		defer workers.Close()
	}
	workers.Each(len(blocks), func(_, i int) {
		b := blocks[i]
		if fill != nil {
			errs[i] = fill(b.data, b.from)
		}
		*b.sum = crc32.Checksum(b.data, castagnoli)
	})
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return nil, errs[i]
	}
	texts := make([]string, len(tensors))
	for i, list := range sums {
		var all []byte
		for _, sum := range list {
			all = binary.LittleEndian.AppendUint32(all, sum)
		}
		texts[i] = formatSum(crc32.Checksum(all, castagnoli))
	}
	return texts, nil
}

// verifyChecksums reports the first tensor that does not have the checksum of
// the manifest. fill is that of checksums.
func verifyChecksums(f *safetensors.File, want map[string]string, fill func(part []byte, from int64) error) error {
	if len(want) != len(f.Tensors) {
		return fmt.Errorf("manifest: checksums of %d tensors, but the bundle has %d", len(want), len(f.Tensors))
	}
	sums, err := checksums(f.Tensors, int64(len(f.Header)), fill)
	if err != nil {
		return err
	}
	for i, sum := range sums {
		if name := f.Tensors[i].Name; want[name] != sum {
			return fmt.Errorf("tensor %q: checksum is %s, want %s: the bundle is damaged; import it again", name, sum, want[name])
		}
	}
	return nil
}
