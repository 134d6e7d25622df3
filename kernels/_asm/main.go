package main

import (
	"flag"
	"log"
	"path/filepath"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
)

const rodata = attr.RODATA | attr.NOPTR

// functions holds the kernels of package ref by name.
var functions map[string]kernel

// families writes the groups of kernels, by file.
var families = map[string]func(isa){
	"dot": isa.dots, "axpy": isa.axpys, "exp": isa.exps, "vector": isa.vectors,
	"gemm": isa.gemm, "train": isa.train, "int8": isa.ints8, "product": isa.products,
}

// define starts a kernel.
func define(name, signature string, doc ...string) {
	TEXT(name, attr.NOSPLIT, signature)
	Doc(doc...)
	Pragma("noescape")
}

// begin starts the kernel of that name, as described in package ref.
func begin(name string) {
	k, ok := functions[name]
	if !ok {
		log.Fatalf("package ref lacks %s", name)
	}
	define(name, k.signature(), k.doc...)
}

// leave ends a kernel that has used wide registers.
func leave() {
	VZEROUPPER()
	RET()
}

// output makes avo write a file of that name to dir, with its stubs.
func output(dir, name string) {
	for flags, value := range map[string]string{
		"out":   filepath.Join(dir, name+"_amd64.s"),
		"stubs": filepath.Join(dir, "z"+name+"_amd64.go"),
		"pkg":   filepath.Base(dir),
	} {
		if err := flag.Set(flags, value); err != nil {
			log.Fatal(err)
		}
	}
	ConstraintExpr("!noasm")
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("asm: ")
	dispatch := flag.String("dispatch", "", "write package simd to this `folder`")
	set := flag.String("isa", "", "instruction `set`: avx2, avx512 or amx")
	family := flag.String("family", "", "`name` of the group of kernels to write")
	flag.Parse()
	if *dispatch != "" {
		if err := writeDispatch(*dispatch); err != nil {
			log.Fatal(err)
		}
		return
	}
	s, ok := isas[*set]
	if !ok {
		log.Fatalf("no instruction set %q", *set)
	}
	write, ok := families[*family]
	if !ok {
		log.Fatalf("no family %q", *family)
	}
	var err error
	functions, err = readFuncs("../internal/ref/*.go")
	if err != nil {
		log.Fatal(err)
	}
	output("../internal/"+s.name, *family)
	write(s)
	Generate()
}
