// Package safetensors reads and writes the safetensors container: an 8-byte
// little-endian header length, a JSON header that names tensors with their
// types, shapes and byte ranges, and the data.
//
// The reader works on bytes in memory or mapped, and copies no tensor data. It trusts
// nothing: an accepted file has exactly the bytes that its header describes. The package
// knows nothing of graphs or models.
//
// The format is described at https://github.com/huggingface/safetensors.
package safetensors
