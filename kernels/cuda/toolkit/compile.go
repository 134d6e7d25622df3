//go:build ignore

// Compile compiles kernels that are not current into an archive, with nvrtcc from the path:
//
//	go run kernels/cuda/toolkit/compile.go ARCHIVE.tar.zst FILE.cu...
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/efoc/efoc/kernels/cuda/offline"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: compile ARCHIVE.tar.zst FILE.cu...")
		os.Exit(2)
	}
	if err := offline.Compile(context.Background(), os.Args[1], os.Args[2:]...); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
