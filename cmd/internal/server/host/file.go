package host

import "os"

// look returns the current state of a file, nil if it does not exist.
func look(path string) os.FileInfo {
	if file, err := os.Stat(path); err == nil {
		return file
	}
	return nil
}

// unchanged reports whether two states of a file are equal.
func unchanged(a, b os.FileInfo) bool {
	return a != nil && b != nil && os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
