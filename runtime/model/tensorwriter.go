package model

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/efoc/efoc/runtime/model/safetensors"
)

// tensorWriter writes a bundle whose tensors need not be in memory: each from its start to its
// end, several side by side. The header, which has their checksums, comes last.
type tensorWriter struct {
	to       io.WriterAt
	manifest Manifest
	tensors  []safetensors.Tensor // whose data is not read
	regions  map[string]*region
}

// newTensorWriter begins a bundle with a manifest and tensors.
func newTensorWriter(w io.WriterAt, m Manifest, tensors []safetensors.Tensor) (*tensorWriter, error) {
	if err := m.validate(); err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	b := &tensorWriter{to: w, manifest: m, tensors: tensors, regions: map[string]*region{}}
	b.manifest.Checksums = map[string]string{}
	for _, t := range tensors {
		b.manifest.Checksums[t.Name] = noSum
	}
	header, err := b.header()
	if err != nil {
		return nil, err
	}
	at := int64(len(header))
	for _, t := range tensors {
		size, err := t.Bytes()
		if err != nil {
			return nil, err
		}
		b.regions[t.Name] = &region{to: io.NewOffsetWriter(w, at), left: int64(size)}
		at += int64(size)
	}
	return b, nil
}

// header returns the header, whose length does not depend on the checksums.
func (b *tensorWriter) header() ([]byte, error) {
	text, err := json.Marshal(b.manifest)
	if err != nil {
		return nil, err
	}
	return safetensors.EncodeShapes(map[string]string{metaManifest: string(text), metaHeader: noSum}, b.tensors)
}

// put writes the next bytes of tensors.
func (b *tensorWriter) put(tensors ...safetensors.Tensor) error {
	for _, t := range tensors {
		if _, err := b.regions[t.Name].Write(t.Data); err != nil {
			return fmt.Errorf("tensor %q: %w", t.Name, err)
		}
	}
	return nil
}

// end writes the header.
func (b *tensorWriter) end() error {
	for _, t := range b.tensors {
		r := b.regions[t.Name]
		if r.left != 0 {
			return fmt.Errorf("tensor %q lacks %d bytes", t.Name, r.left)
		}
		b.manifest.Checksums[t.Name] = r.sum()
	}
	header, err := b.header()
	if err != nil {
		return err
	}
	copy(header[headerSumAt(header):], formatSum(crc32.Checksum(header, castagnoli)))
	_, err = b.to.WriteAt(header, 0)
	return err
}

// region is the part of a file that has a tensor. It sums what is written to it.
type region struct {
	to   *io.OffsetWriter
	left int64
	// block is the sum of the block that n bytes are in, blocks those of the blocks before.
	block  uint32
	n      int
	blocks []byte
}

func (r *region) Write(data []byte) (int, error) {
	if int64(len(data)) > r.left {
		return 0, fmt.Errorf("%d bytes, but %d are left", len(data), r.left)
	}
	r.left -= int64(len(data))
	for rest := data; len(rest) > 0; {
		k := min(blockSize-r.n, len(rest))
		r.block = crc32.Update(r.block, castagnoli, rest[:k])
		if r.n += k; r.n == blockSize {
			r.end()
		}
		rest = rest[k:]
	}
	return r.to.Write(data)
}

// end ends a block.
func (r *region) end() {
	r.blocks = appendSum(r.blocks, r.block)
	r.block, r.n = 0, 0
}

// sum returns the checksum of what was written.
func (r *region) sum() string {
	if r.n > 0 {
		r.end()
	}
	return formatSum(crc32.Checksum(r.blocks, castagnoli))
}
