//go:build ignore

// Compile compiles kernels that are not current, with nvrtcc from the path:
//
//	go run kernels/cuda/toolkit/compile.go FILE.cu...
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/efoc/efoc/kernels/cuda/offline"
)

func main() {
	for _, path := range os.Args[1:] {
		if err := offline.Compile(context.Background(), path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
