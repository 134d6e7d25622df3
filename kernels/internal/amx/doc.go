// Package amx holds the assembly of matrix products with AMX: of float32 numbers as sums of bfloat16 numbers
// (AMX-BF16), and of 16-bit integers as two bytes each (AMX-INT8). It requires amd64 with both, AVX-512 F, BW,
// DQ, VL and BF16, and a system that permits the process to use tiles. PanelsDP, which multiplies the same
// panels, and the functions that pack them need only AVX-512. It checks nothing: package product does, and
// contains the tests.
//
// Go's assembler supports neither AMX nor AVX-512 BF16; the generator encodes these instructions as bytes, with
// their assembly text as comments.
//
// A function that uses tiles configures them first and releases them last, and expects no tile state to persist
// between calls: the scheduler may move a goroutine to another thread between two calls. Within a call it
// cannot, because the runtime does not preempt assembly; a signal's frame saves the tiles, and the function
// then resumes.
package amx

//go:generate go -C ../../_asm run . -isa amx -family product
