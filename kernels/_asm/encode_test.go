package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/mmcloughlin/avo/reg"
)

// every returns each instruction with all registers that matter to its encoding.
func every() []code {
	bases := []reg.GPPhysical{reg.RAX, reg.RCX, reg.RDX, reg.RBX, reg.RSP, reg.RBP, reg.RSI, reg.RDI,
		reg.R8, reg.R9, reg.R10, reg.R11, reg.R12, reg.R13, reg.R14, reg.R15}
	list := []code{tilerelease()}
	for i, base := range bases {
		list = append(list, ldtilecfg(memory{base: base, disp: 0x1234567}))
		for j, index := range bases {
			if index == reg.RSP {
				continue // means none
			}
			m := memory{base, index, 0x100000 + 16*i + j}
			list = append(list, tileloadd(byte(j%8), m), tilestored(m, byte(i%8)))
		}
	}
	for c := range byte(8) {
		list = append(list, tilezero(c))
		for a := range byte(8) {
			if b := (c + a + 1) % 8; a != b && a != c && b != c {
				list = append(list, tdpbf16ps(c, a, b), tdpbssd(c, a, b))
			}
		}
	}
	for i := range byte(32) {
		for j := range byte(32) {
			list = append(list, vcvtne2ps2bf16(j, i, (3*i+j)%32))
		}
	}
	return list
}

// TestEncode compares some instructions with bytes worked out by hand from the
// tables of the manual.
func TestEncode(t *testing.T) {
	for _, c := range []struct {
		got  code
		want []byte
	}{
		{tilerelease(), []byte{0xc4, 0xe2, 0x78, 0x49, 0xc0}},
		{tilezero(5), []byte{0xc4, 0xe2, 0x7b, 0x49, 0xe8}},
		{ldtilecfg(memory{base: reg.RAX}), []byte{0xc4, 0xe2, 0x78, 0x49, 0x80, 0, 0, 0, 0}},
		{tileloadd(4, memory{reg.RDX, reg.R8, 1024}), []byte{0xc4, 0xa2, 0x7b, 0x4b, 0xa4, 0x02, 0, 4, 0, 0}},
		{tilestored(memory{reg.R9, reg.RBX, 64}, 3), []byte{0xc4, 0xc2, 0x7a, 0x4b, 0x9c, 0x19, 64, 0, 0, 0}},
		{tdpbf16ps(1, 4, 7), []byte{0xc4, 0xe2, 0x42, 0x5c, 0xcc}},
		{tdpbssd(1, 4, 7), []byte{0xc4, 0xe2, 0x43, 0x5e, 0xcc}},
		{vcvtne2ps2bf16(1, 2, 3), []byte{0x62, 0xf2, 0x6f, 0x48, 0x72, 0xcb}},
	} {
		if !bytes.Equal(c.got.bytes, c.want) {
			t.Errorf("%s is % x, want % x", c.got.text, c.got.bytes, c.want)
		}
	}
}

// TestAssembler compares all instructions with what the assembler of GNU binutils
// makes of their texts.
func TestAssembler(t *testing.T) {
	for _, tool := range []string{"as", "objcopy"} {
		if _, err := exec.LookPath(tool); err != nil || runtime.GOARCH != "amd64" {
			t.Skip("needs as and objcopy for amd64")
		}
	}
	dir := t.TempDir()
	source, object, raw := filepath.Join(dir, "a.s"), filepath.Join(dir, "a.o"), filepath.Join(dir, "a.bin")
	text := []byte(".intel_syntax noprefix\n")
	for _, c := range every() {
		text = append(text, "{disp32} "+c.text+"\n"...)
	}
	if err := os.WriteFile(source, text, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"as", "-o", object, source}, {"objcopy", "-O", "binary", "-j", ".text", object, raw}} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	got, err := os.ReadFile(raw)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range every() {
		n := len(c.bytes)
		if len(got) < n || !bytes.Equal(got[:n], c.bytes) {
			t.Fatalf("%s is % x, want % x", c.text, c.bytes, got[:min(n, len(got))])
		}
		got = got[n:]
	}
	if len(got) > 0 {
		t.Fatalf("%d bytes are left", len(got))
	}
}
