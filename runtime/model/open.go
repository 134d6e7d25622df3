package model

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"github.com/efoc/efoc/runtime/internal/largepages"
	"github.com/efoc/efoc/runtime/internal/mapfile"
	"github.com/efoc/efoc/runtime/memory"
	"github.com/efoc/efoc/runtime/model/safetensors"
)

// OpenOption changes how Open loads a bundle.
type OpenOption func(*openOptions)

type openOptions struct{ mapped, once, part bool }

// Mapped makes Open map the file into memory. The system can reclaim the memory, models of the same file share it,
// and after the check unread parts are never loaded again. This suits short-lived programs, and models larger than
// memory. The file must not be overwritten or truncated in place while the model is open, as cp does: reading it then
// ends the process with SIGBUS, or gives wrong answers. Replacing it by a rename, as Save and mv do, is safe.
func Mapped() OpenOption {
	return func(o *openOptions) { o.mapped = true }
}

// ReadOnce makes Open map the file for one sequential read, as in Split: parts leave the memory of the process soon
// after use.
func ReadOnce() OpenOption {
	return func(o *openOptions) {
		o.mapped = true
		o.once = true
	}
}

// copyShare is the divisor of the available memory that a copy may take: as much is left for a second one, such as
// the bundle that replaces it.
const copyShare = 2

// copyUnknown bounds a copy if the available memory is unknown.
const copyUnknown = 1 << 30

// headerStart is the number of bytes that looksLikeBundle reads.
const headerStart = 64

// copies reports whether to read a file of the given size into memory by default. available may be unknown, 0.
func copies(size, available int64) bool {
	if available == 0 {
		return size <= copyUnknown
	}
	return size <= available/copyShare
}

// Open opens the bundle at path and checks all of it: structure, checksums, and the invariants of graphs and names.
// It applies the journal beside the bundle, if any: see package journal.
//
// Open reads the file into Go's heap, which makes it independent of later changes to the file, if that takes at most
// half of the available memory. On Linux this is the memory that the system and the control groups of the process
// allow; elsewhere it is unknown, and files of up to 1 GiB are read. Larger files are mapped, and all files with
// Mapped; Model.Mapped reports the outcome.
func Open(path string, options ...OpenOption) (*Model, error) {
	var o openOptions
	for _, set := range options {
		set(&o)
	}
	return openWithJournal(path, func() (*Model, os.FileInfo, error) { return openFile(path, o) })
}

// ReadIdentity returns the identity of the bundle at path, without checking the bundle.
func ReadIdentity(path string) (string, error) {
	f, size, err := mapfile.OpenRegular(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	var length [8]byte
	if _, err := f.ReadAt(length[:], 0); err != nil {
		return "", fmt.Errorf("%s: %w", path, ErrNotBundle)
	}
	n := binary.LittleEndian.Uint64(length[:])
	if n > safetensors.MaxHeader || 8+int(n) > size {
		return "", fmt.Errorf("%s: %w", path, ErrNotBundle)
	}
	header := make([]byte, 8+n)
	if _, err := f.ReadAt(header, 0); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return identityOf(header), nil
}

// openFile opens the bundle at path without a journal, and returns the file's identity.
func openFile(path string, o openOptions) (*Model, os.FileInfo, error) {
	f, size, err := mapfile.OpenRegular(path)
	switch {
	case errors.Is(err, mapfile.ErrEmpty):
		return nil, nil, fmt.Errorf("%w: %w", err, ErrNotBundle)
	case err != nil:
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !o.mapped {
		o.mapped = !copies(int64(size), memory.Available())
	}
	var m *Model
	if o.mapped {
		m, err = openMapped(f, size, o)
	} else {
		m, err = openCopied(f, size)
	}
	return m, info, err
}

// openMapped opens the bundle in a file by mapping it.
func openMapped(f *os.File, size int, o openOptions) (*Model, error) {
	file, err := mapfile.Map(f, size)
	if err != nil {
		return nil, err
	}
	m, err := openBundle(f.Name(), bundleSource{data: file.Data, mapping: file, once: o.once, part: o.part})
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if o.part { // queries read only some of the checked pages
		file.Release()
	}
	return m, nil
}

// openCopied opens the bundle in a file by reading it. It checks pieces while they are in the cache.
func openCopied(f *os.File, size int) (*Model, error) {
	read := func(part []byte, from int64) error {
		if _, err := f.ReadAt(part, from); err != nil {
			return fmt.Errorf("read %d bytes from byte %d: %w", len(part), from, err)
		}
		return nil
	}
	data := largepages.Make[byte](size)
	if err := read(data[:min(8, size)], 0); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	if size > 8 {
		header := binary.LittleEndian.Uint64(data)
		if header > safetensors.MaxHeader {
			header = headerStart // not a bundle, or a damaged one: enough to tell
		}
		if err := read(data[8:min(uint64(size), 8+header)], 8); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
	}
	return openBundle(f.Name(), bundleSource{data: data, read: read})
}
