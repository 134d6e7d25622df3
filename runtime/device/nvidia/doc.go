// Package nvidia opens an NVIDIA GPU as a device: in programs that are built with the
// tag cuda, which need cgo. In others it builds too, and Open says what is missing.
//
// Without a GPU, a program with the tag exits at startup with a message.
package nvidia
