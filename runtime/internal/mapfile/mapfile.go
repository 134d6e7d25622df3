// Package mapfile maps files into memory to read them. It knows nothing of what
// is in them.
package mapfile

import (
	"errors"
	"fmt"
	"math"
	"os"

	mmap "github.com/edsrzf/mmap-go"
)

// ErrEmpty is what the error for a file without a byte wraps.
var ErrEmpty = errors.New("empty file")

// Open maps a regular file, which must not be changed in place before the mapping
// is released with Unmap.
func Open(path string) (mmap.MMap, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: not a regular file", path)
	case info.Size() == 0:
		return nil, fmt.Errorf("%s: %w", path, ErrEmpty)
	case info.Size() > math.MaxInt:
		return nil, fmt.Errorf("%s: %d bytes are too many for this machine's address space", path, info.Size())
	}
	data, err := mmap.MapRegion(f, int(info.Size()), mmap.RDONLY, 0, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: map into memory: %w", path, err)
	}
	return data, nil
}
