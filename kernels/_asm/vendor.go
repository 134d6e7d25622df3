package main

import (
	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

// writeVendor writes to dir what asks the processor who made it.
func writeVendor(dir string) {
	output(dir, "vendor")
	TEXT("vendor", attr.NOSPLIT, "func() (b, d, c uint32)")
	Doc("vendor returns the vendor's name, twelve letters: leaf 0 of CPUID.")
	XORL(reg.EAX, reg.EAX)
	XORL(reg.ECX, reg.ECX)
	CPUID()
	for i, r := range []reg.Register{reg.EBX, reg.EDX, reg.ECX} {
		Store(r, ReturnIndex(i))
	}
	RET()
	Generate()
}
