// Package bf16 holds the assembly of matrix products of bfloat16 numbers, and of 16-bit integers
// as two bytes each (AMXInt8 and TotalInt8, which need AMX-INT8), for amd64
// machines with AVX-512 F, BW, DQ, VL and BF16, and in AMX with AMX-TILE and AMX-BF16
// in a process that the system lets use tiles. It checks nothing: package product
// does, and tests what is here.
//
// Go's assembler has neither AMX nor AVX-512 BF16; these instructions are bytes, which
// the generator makes, with their texts beside them.
//
// A function that uses tiles sets their shapes first and releases them last, and
// depends on nothing that tiles hold between calls: the scheduler may move a
// goroutine to another thread between any two calls. Within a call it cannot, since
// the runtime never preempts a goroutine in assembly; it takes a signal, whose frame
// holds the tiles, and goes on where it was.
package bf16

//go:generate go -C ../_asm run . -isa bf16 -family product
