package offline

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"strings"
)

// Usage is what a kernel takes of a multiprocessor, as its machine code says.
type Usage struct {
	Kernel string
	// Registers are those of a thread, Local its bytes of local memory, where what has no
	// register is spilled to, Shared the bytes of a block, without what a launch adds.
	Registers, Local, Shared int
	// Instructions is how many the kernel has, with the functions that it calls.
	Instructions int
}

// Numbers of the format that NVIDIA's tools read: the bytes of an instruction since capability
// 7.0, shared memory, and attributes of functions, which hold a symbol and a number.
const (
	instructionBytes   = 16
	reservedShared     = 1024 // of each block, for the system
	formatSized        = 4
	attributeMinStack  = 0x12
	attributeRegisters = 0x2f
)

// Usages reads the kernels of machine code, an ELF file, in the order of its sections.
func Usages(code []byte) ([]Usage, error) {
	f, err := elf.NewFile(bytes.NewReader(code))
	if err != nil {
		return nil, fmt.Errorf("machine code: %w", err)
	}
	defer f.Close()
	var list []Usage
	for _, s := range f.Sections {
		if name, ok := strings.CutPrefix(s.Name, ".text."); ok {
			u := Usage{Kernel: name, Instructions: int(s.Size / instructionBytes)}
			if shared := f.Section(".nv.shared." + name); shared != nil {
				u.Shared = max(0, int(shared.Size)-reservedShared)
			}
			list = append(list, u)
		}
	}
	attributes, err := attributes(f)
	if err != nil {
		return nil, fmt.Errorf("machine code: %w", err)
	}
	for i, u := range list {
		list[i].Registers = attributes[attribute{u.Kernel, attributeRegisters}]
		list[i].Local = attributes[attribute{u.Kernel, attributeMinStack}]
	}
	return list, nil
}

// attribute is one of a function.
type attribute struct {
	function string
	number   byte
}

// attributes reads the numbers that functions have.
func attributes(f *elf.File) (map[attribute]int, error) {
	info := f.Section(".nv.info")
	if info == nil {
		return nil, nil
	}
	text, err := info.Data()
	if err != nil {
		return nil, err
	}
	symbols, err := f.Symbols()
	if err != nil {
		return nil, err
	}
	out := map[attribute]int{}
	for len(text) >= 4 { // format, attribute, and a value or the size of what follows
		format, number, size := text[0], text[1], int(binary.LittleEndian.Uint16(text[2:]))
		text = text[4:]
		if format != formatSized {
			continue
		}
		if size > len(text) {
			return nil, fmt.Errorf(".nv.info has %d bytes left, want %d", len(text), size)
		}
		value := text[:size]
		text = text[size:]
		if size != 8 || number != attributeRegisters && number != attributeMinStack {
			continue
		}
		symbol := int(binary.LittleEndian.Uint32(value)) - 1 // the first symbol is left out
		if symbol < 0 || symbol >= len(symbols) {
			return nil, fmt.Errorf(".nv.info names symbol %d of %d", symbol+1, len(symbols))
		}
		out[attribute{symbols[symbol].Name, number}] = int(binary.LittleEndian.Uint32(value[4:]))
	}
	return out, nil
}

// Multiprocessors of compute capability 9.0 hold so many registers, which threads take in
// steps, threads and blocks.
const (
	registersHeld = 65536
	registerStep  = 8
	threadsHeld   = 2048
	blocksHeld    = 32
)

// Resident returns how many blocks of so many threads a multiprocessor has registers for.
// Shared memory may allow fewer.
func (u *Usage) Resident(threads int) int {
	warps := (threads + 31) / 32
	each := max(registerStep, (u.Registers+registerStep-1)/registerStep*registerStep) * 32 * warps
	return min(registersHeld/each, threadsHeld/(32*warps), blocksHeld)
}
