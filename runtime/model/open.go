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

// OpenOption changes how Open loads a bundle into memory.
type OpenOption func(*openOptions)

type openOptions struct{ mapped, once, part bool }

// Mapped makes Open map the file into memory. The memory stays available to others, models of
// the same file share it, and parts that are not read are never loaded again after the check.
// This suits programs that run for a short time, and models larger than memory. The file must
// not be overwritten or truncated in place while the model is open, as cp does: reading it then
// ends the process with SIGBUS, or gives wrong answers. Replacing it by a rename, as Save and
// mv do, is safe.
func Mapped() OpenOption {
	return func(o *openOptions) { o.mapped = true }
}

// ReadOnce makes Open map the file for one sequential read, as in Split: no part of it stays in
// the memory of the process for long.
func ReadOnce() OpenOption {
	return func(o *openOptions) {
		o.mapped = true
		o.once = true
	}
}

// copyShare is the share of the memory available that a copy may take: as much again is
// left for another one, such as of the bundle that takes its place.
const copyShare = 2

// copyUnknown is how large a copy may be where it is not known how much memory there is.
const copyUnknown = 1 << 30

// headerStart is how much of a header looksLikeBundle wants to see.
const headerStart = 64

// copies reports whether a file of some size is read into memory, if the user leaves that
// open. How much memory is available may be unknown, 0.
func copies(size, available int64) bool {
	if available == 0 {
		return size <= copyUnknown
	}
	return size <= available/copyShare
}

// Open opens the bundle at path and checks all of it: structure, checksums, and the invariants
// of graphs and names. It applies the journal beside the bundle, if there is one: see package
// journal.
//
// It reads the file into Go's heap, so that later changes to the file do not matter, if that
// takes at most half of the available memory. On Linux that is what the system reports and what
// the control groups of the process still allow; elsewhere, if it is unknown, files of up to 1
// GiB are read. Larger files are mapped, and all are with Mapped; Model.Mapped reports the
// outcome.
func Open(path string, options ...OpenOption) (*Model, error) {
	var o openOptions
	for _, set := range options {
		set(&o)
	}
	return openWithJournal(path, func() (*Model, os.FileInfo, error) { return openFile(path, o) })
}

// ReadIdentity returns the identity of the bundle at path, without a check of the bundle.
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

// openFile opens the bundle at path alone, and returns which file that was.
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
	if o.part { // queries read some of what was checked
		file.Release()
	}
	return m, nil
}

// openCopied opens the bundle in a file by reading it. Pieces are checked while they are
// in the cache.
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
