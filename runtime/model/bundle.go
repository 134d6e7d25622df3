package model

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"

	"github.com/efoc/efoc/runtime/internal/mapfile"
	"github.com/efoc/efoc/runtime/model/safetensors"
	"github.com/efoc/efoc/runtime/model/table"
)

// ErrNotBundle reports a file of another format.
var ErrNotBundle = errors.New("not an efoc bundle")

// OpenBytes opens a bundle in memory, such as an embedded one; errors use name. The model keeps
// views into data, which must not change. It copies the tables only if data is not aligned to 4
// bytes.
func OpenBytes(name string, data []byte) (*Model, error) {
	return openBundle(name, bundleSource{data: data})
}

// bundleSource is the source of a bundle.
type bundleSource struct {
	data []byte
	// mapping is the mapped file behind data, if any.
	mapping *mapfile.File
	// once says that it is read once: parts of the mapping are evicted after use.
	once bool
	// part says that it should be a part of a split model instead of a whole one.
	part bool
	// read, if not nil, reads the file; data has only the header so far.
	read readFunc
}

// openBundle opens a bundle; name is used in errors.
func openBundle(name string, source bundleSource) (*Model, error) {
	m, err := source.open()
	switch {
	case err == nil:
		return m, nil
	case errors.Is(err, ErrNotBundle), errors.As(err, new(undamaged)), errors.As(err, new(*fs.PathError)):
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return nil, fmt.Errorf("%s: %w: the bundle is damaged: copy it again, or make it anew", name, err)
}

func (source bundleSource) open() (*Model, error) {
	data := source.data
	f, err := safetensors.Parse(data)
	switch {
	case err != nil && looksLikeBundle(data):
		return nil, err
	case err != nil:
		return nil, ErrNotBundle
	}
	text, ok := f.Metadata[metaManifest]
	if !ok {
		return nil, ErrNotBundle
	}
	if err := checkHeader(f); err != nil {
		return nil, err
	}
	manifest, err := parseManifest(text)
	if err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	switch s := manifest.Shard; {
	case s != nil && !source.part:
		return nil, undamaged{fmt.Errorf("this is %s, not a whole model: name their folder", s)}
	case s == nil && source.part:
		return nil, undamaged{errors.New("this is a whole model, not a part of a split one: split it first")}
	}
	var leave *mapfile.File
	if source.once {
		leave = source.mapping
	}
	if err := verifyChecksums(f, manifest.Checksums, source.read, leave); err != nil {
		return nil, err
	}
	r := bundleReader{file: f, mapping: source.mapping}
	m := r.model(manifest)
	m.leave = leave
	m.identity = identityOf(f.Header)
	if r.err != nil {
		return nil, r.err
	}
	if r.used != len(f.Tensors) {
		hint := ""
		if _, there := f.Tensor(table.TensorRows); there && manifest.Exact == "" && !manifest.Table.IsFloat() {
			hint = fmt.Sprintf(": exact is missing in the manifest, but there is %s", table.TensorRows)
		}
		return nil, fmt.Errorf("%d tensors that do not belong in a bundle%s", len(f.Tensors)-r.used, hint)
	}
	return m, m.validate()
}

// looksLikeBundle reports whether data starts like the output of Write, to distinguish a damaged bundle from other
// files.
func looksLikeBundle(data []byte) bool {
	return len(data) > 8 && bytes.HasPrefix(data[8:], []byte(`{"__metadata__":{"`+metaManifest+`":`))
}

// checkHeader verifies the header's own checksum, which covers the header with zeros for the checksum's digits.
func checkHeader(f *safetensors.File) error {
	sum := f.Metadata[metaHeader]
	at := headerSumAt(f.Header)
	if at < 0 || len(sum) != len(noSum) || string(f.Header[at:at+len(noSum)]) != sum {
		return fmt.Errorf("header has no checksum: %w", ErrNotBundle)
	}
	blank := bytes.Clone(f.Header)
	copy(blank[at:], noSum)
	if want := formatSum(crc32.Checksum(blank, castagnoli)); want != sum {
		return fmt.Errorf("header: checksum is %s, want %s", want, sum)
	}
	return nil
}
