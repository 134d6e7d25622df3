//go:build !linux

package mapfile

// Release does nothing: the system evicts pages as needed.
func (f *File) Release() {}

// ReleasePart does nothing.
func (f *File) ReleasePart([]byte) {}
