//go:build !linux

package mapfile

// Release does nothing: the system takes pages out of memory when it needs to.
func (f *File) Release() {}

// ReleasePart does nothing.
func (f *File) ReleasePart([]byte) {}

// Resident does not know.
func Resident() (size int64, known bool) { return 0, false }
