// Package mapfile maps files into memory for reading.
package mapfile

import (
	"errors"
	"fmt"
	"math"
	"os"
	goruntime "runtime"
	"sync"

	mmap "github.com/edsrzf/mmap-go"

	"github.com/efoc/efoc/runtime/regularfile"
)

// ErrEmpty is wrapped by the error for an empty file.
var ErrEmpty = errors.New("empty file")

// File is a file in memory, which must not be changed in place until it is closed. A file that is never closed is
// unmapped when it is garbage-collected, even if slices of Data remain.
type File struct {
	// Data is the content of the file. It must not be written to.
	Data []byte

	once    sync.Once
	cleanup goruntime.Cleanup
}

// OpenRegular opens a nonempty regular file and returns its size.
func OpenRegular(path string) (*os.File, int, error) {
	f, size, err := regularfile.Open(path)
	if err != nil {
		return nil, 0, err
	}
	switch {
	case size == 0:
		err = fmt.Errorf("%s: %w", path, ErrEmpty)
	case size > math.MaxInt:
		err = fmt.Errorf("%s: %d bytes are too many for this machine's address space", path, size)
	default:
		return f, int(size), nil
	}
	return nil, 0, errors.Join(err, f.Close())
}

// Open maps a regular file.
func Open(path string) (*File, error) {
	f, size, err := OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Map(f, size)
}

// Map maps the first size bytes of an open file, which the caller may then close.
func Map(f *os.File, size int) (*File, error) {
	data, err := mmap.MapRegion(f, size, mmap.RDONLY, 0, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: map into memory: %w", f.Name(), err)
	}
	m := &File{Data: data}
	m.cleanup = goruntime.AddCleanup(m, func(data mmap.MMap) { data.Unmap() }, data)
	return m, nil
}

// Close releases the memory, after which no slice of Data may be used. Closing twice is harmless.
func (f *File) Close() (err error) {
	f.once.Do(func() {
		f.cleanup.Stop()
		data := mmap.MMap(f.Data)
		f.Data = nil
		err = data.Unmap()
	})
	return err
}
