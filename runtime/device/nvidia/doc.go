// Package nvidia opens an NVIDIA GPU as a device: in programs that are built with the
// tag cuda, which need cgo. In others it builds too, and Open says what is missing.
//
// A program with the tag ends at its start, with a message, where there is no GPU.
package nvidia
