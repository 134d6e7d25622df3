//go:build amd64 && !noasm && !linux

package product

// tilesAllowed says that tiles are not used: how to ask for them is known for Linux
// only.
func tilesAllowed() bool { return false }
