package main

import (
	"flag"
	"fmt"
	"log"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
)

const rodata = attr.RODATA | attr.NOPTR

// functions holds the kernels of package ref by name.
var functions map[string]kernel

// begin starts the kernel of that name.
func begin(name string) {
	k, ok := functions[name]
	if !ok {
		log.Fatalf("package ref lacks %s", name)
	}
	TEXT(name, attr.NOSPLIT, k.signature())
	Doc(k.doc...)
	Pragma("noescape")
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("asm: ")
	dispatch := flag.String("dispatch", "", "write package simd to this `folder`")
	set := flag.String("isa", "", "instruction `set`: avx2, avx512 or bf16")
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
	var err error
	if functions, err = readFuncs("../ref/*.go"); err != nil {
		log.Fatal(err)
	}
	for name, value := range map[string]string{
		"out":   fmt.Sprintf("../%s/%s_amd64.s", s.name, *family),
		"stubs": fmt.Sprintf("../%s/z%s_amd64.go", s.name, *family),
		"pkg":   s.name,
	} {
		if err := flag.Set(name, value); err != nil {
			log.Fatal(err)
		}
	}
	ConstraintExpr("!noasm")
	switch *family {
	case "dot":
		s.dots(float32s)
	case "dot16":
		s.dots(bfloat16s)
		s.dots(float16s)
	case "axpy":
		s.axpys(float32s)
		s.axpys(bfloat16s)
		s.axpys(float16s)
	case "exp":
		s.expSum()
	case "vector":
		s.vectors()
	case "gemm":
		s.gemm()
	case "train":
		s.train()
	case "product":
		s.products()
	default:
		log.Fatalf("no family %q", *family)
	}
	Generate()
}
