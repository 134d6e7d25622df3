// Package nvidia opens an NVIDIA GPU as a device, in programs built with the tag cuda, which
// need cgo. Without the tag it builds too, and Open returns an error that says so.
//
// On a machine without a GPU, a program with the tag exits at startup with a message.
package nvidia
