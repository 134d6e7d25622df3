package runtime

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	goruntime "runtime"
	"sync"
	"sync/atomic"

	"github.com/efoc/efoc/runtime/safetensors"
)

// blockSize is the length of the blocks whose CRC-32Cs make up the checksum of
// a tensor: the checksum is the CRC-32C of the block CRCs, each written as four
// little-endian bytes, so that blocks can be summed side by side.
const blockSize = 4 << 20

// maxSummers bounds the goroutines that sum blocks: a few saturate the memory.
const maxSummers = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// noSum is a checksum of zeros; it stands in the header while its own checksum
// is taken.
var noSum = formatSum(0)

// formatSum writes a CRC-32C as it stands in a manifest.
func formatSum(sum uint32) string { return fmt.Sprintf("crc32c:%08x", sum) }

// checksums returns the checksum of each tensor, in order.
func checksums(tensors []safetensors.Tensor) []string {
	type block struct {
		data []byte
		sum  *uint32
	}
	var blocks []block
	sums := make([][]uint32, len(tensors))
	for i, t := range tensors {
		count := (len(t.Data) + blockSize - 1) / blockSize
		sums[i] = make([]uint32, count)
		for b := range count {
			lo := b * blockSize
			blocks = append(blocks, block{t.Data[lo:min(lo+blockSize, len(t.Data))], &sums[i][b]})
		}
	}
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(maxSummers, goruntime.GOMAXPROCS(0), len(blocks)) {
		group.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(blocks) {
					return
				}
				*blocks[i].sum = crc32.Checksum(blocks[i].data, castagnoli)
			}
		})
	}
	group.Wait()
	texts := make([]string, len(tensors))
	for i, list := range sums {
		var all []byte
		for _, sum := range list {
			all = binary.LittleEndian.AppendUint32(all, sum)
		}
		texts[i] = formatSum(crc32.Checksum(all, castagnoli))
	}
	return texts
}

// verifyChecksums reports the first tensor that does not have the checksum of
// the manifest.
func verifyChecksums(tensors []safetensors.Tensor, want map[string]string) error {
	if len(want) != len(tensors) {
		return fmt.Errorf("manifest: checksums of %d tensors, but the bundle has %d", len(want), len(tensors))
	}
	for i, sum := range checksums(tensors) {
		if name := tensors[i].Name; want[name] != sum {
			return fmt.Errorf("tensor %q: checksum is %s, want %s: the bundle is damaged; import it again", name, sum, want[name])
		}
	}
	return nil
}
