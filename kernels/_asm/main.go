package main

import (
	"flag"
	"log"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("asm: ")
	dispatch := flag.String("dispatch", "", "write package simd to this `folder`")
	flag.Parse()
	if *dispatch != "" {
		if err := writeDispatch(*dispatch); err != nil {
			log.Fatal(err)
		}
	}
}
