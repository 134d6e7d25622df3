//go:build !linux

package mapfile

// Release does nothing: the system takes pages out of memory when it needs to.
func (f *File) Release() {}

// ReleasePart does nothing.
func (f *File) ReleasePart([]byte) {}
