//go:build ignore

// Report prints what the compiled kernels of .cu files take of a multiprocessor of
// compute capability 9.0: registers of a thread, bytes spilled, static shared memory, blocks of
// 256 threads (a pass at rank 1000) that there are registers for, and instructions.
//
//	go run kernels/cuda/toolkit/report.go codegen/shapes/shapes_{2p,3c}.cu
package main

import (
	"fmt"
	"os"

	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/kernels/cuda/offline"
)

func main() {
	fmt.Println("| kernel | registers | spilled | shared | resident | instructions |\n|---|---:|---:|---:|---:|---:|")
	for _, path := range os.Args[1:] {
		if err := report(path); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", path, err)
			os.Exit(1)
		}
	}
}

func report(path string) error {
	s := cuda.Source{Name: path}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	s.Text = string(text)
	if s.Compiled, err = os.ReadFile(path + offline.Extension); err != nil {
		return err
	}
	codes, err := s.Codes(90)
	if err != nil {
		return err
	}
	if len(codes) == 0 {
		return fmt.Errorf("there is no machine code for compute capability 9.0")
	}
	list, err := offline.Usages(codes[0].Bytes)
	for _, u := range list {
		fmt.Printf("| %s | %d | %d | %d | %d | %d |\n", u.Kernel, u.Registers, u.Local, u.Shared, u.Resident(256), u.Instructions)
	}
	return err
}
