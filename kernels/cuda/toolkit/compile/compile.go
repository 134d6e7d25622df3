// Compile compiles kernels that are not current into an archive, using nvrtcc from the path; with -machine it
// copies the archive and adds machine code, produced by ptxas, to the PTX:
//
//	go run ./kernels/cuda/toolkit/compile ARCHIVE.tar.zst FILE.cu...
//	go run ./kernels/cuda/toolkit/compile -machine sm_90 -o COPY.tar.zst ARCHIVE.tar.zst FILE.cu...
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/efoc/efoc/kernels/cuda/offline"
)

func main() {
	machine := flag.String("machine", "", "translate for this `architecture`")
	to := flag.String("o", "", "copy with machine code")
	flag.Parse()
	if flag.NArg() < 2 || (*machine == "") != (*to == "") {
		fmt.Fprintln(os.Stderr, "usage: compile [-machine ARCH -o COPY.tar.zst] ARCHIVE.tar.zst FILE.cu...")
		os.Exit(2)
	}
	archive := flag.Arg(0)
	paths := flag.Args()[1:]
	var err error
	if *machine == "" {
		err = offline.Compile(context.Background(), archive, paths...)
	} else {
		err = offline.Translate(context.Background(), archive, *machine, *to, paths...)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
