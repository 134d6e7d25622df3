// Command asm generates the assembly of packages avx2, avx512 and amx with avo, and the dispatch of package
// simd. Names, signatures and comments come from package ref; the loops are written once for both instruction
// sets, over an isa that abstracts register width and masking.
//
// It is a separate module, so that users of efoc never download avo. Run it with go
// generate in avx2, avx512, amx and simd, in this order.
package main
