// Package amx holds the assembly of matrix products by AMX: of float32 numbers as sums of bfloat16
// numbers (AMX-BF16), and of 16-bit integers as two bytes each (AMX-INT8). It is for amd64 machines
// that have both, AVX-512 F, BW, DQ, VL and BF16, and a system that lets the process use tiles.
// PanelsDP, which multiplies the same panels, and the functions that make them need AVX-512 only.
// It checks nothing: package product does, and has the tests.
//
// Go's assembler has neither AMX nor AVX-512 BF16; the generator encodes these instructions as
// bytes, with their texts beside them.
//
// A function that uses tiles sets their shapes first and releases them last, and
// depends on nothing that tiles hold between calls: the scheduler may move a
// goroutine to another thread between any two calls. Within a call it cannot, since
// the runtime never preempts a goroutine in assembly; it takes a signal, whose frame
// holds the tiles, and goes on where it was.
package amx

//go:generate go -C ../../_asm run . -isa amx -family product
