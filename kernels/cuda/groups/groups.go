// Package groups holds a kernel that compares how warp groups multiply, which code for one
// compute capability alone does, with how warps do. It says what the kernel's answer means,
// and knows no driver.
package groups

import (
	"embed"
	"encoding/binary"
	"errors"
	"io/fs"

	"github.com/efoc/efoc/kernels/cuda"
)

//go:embed groups.cu*
var files embed.FS

const (
	modelBytes, runBytes = 12 * 8, 22 * 8 // of Model and Run in model.cuh

	threads = 256
	sums    = 64 // of each thread
	shared  = 1024 + 2*128*32*2
)

// AnswerBytes is the size of the memory that the kernel adds its counts to, which are 0 before.
const AnswerBytes = 8

// Source returns the module, with what it was compiled to if it has been.
func Source() (cuda.Source, error) {
	text, err := files.ReadFile("groups.cu")
	if err != nil {
		return cuda.Source{}, err
	}
	compiled, err := files.ReadFile("groups.cu.tar.zst")
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return cuda.Source{Name: "groups.cu", Text: string(text), Compiled: compiled}, err
}

// Sequence compares both, with the answer at a place in memory.
func Sequence(m cuda.Module, at cuda.Pointer) cuda.Sequence {
	run := make([]byte, runBytes)
	binary.LittleEndian.PutUint64(run, uint64(at)) // the input
	return cuda.Sequence{
		Module: m, Model: make([]byte, modelBytes), Run: run,
		Launches: []cuda.Launch{{Kernel: "groups", Grid: [3]int{1, 1, 1}, Threads: threads, Shared: shared}},
		To:       at, ToBytes: AnswerBytes, From: at, FromBytes: AnswerBytes,
	}
}

// Equal reports whether all sums were computed and were equal.
func Equal(answer []byte) bool {
	differ, all := binary.LittleEndian.Uint32(answer), binary.LittleEndian.Uint32(answer[4:])
	return differ == 0 && all == threads*sums
}
