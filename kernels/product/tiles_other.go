//go:build amd64 && !noasm && !linux

package product

// tilesAllowed returns false: permission to use tiles is implemented only for Linux.
func tilesAllowed() bool { return false }
