// Package cuda holds the CUDA C++ sources of generated kernels and declares the device interface
// that host code uses. It does not depend on plans and models, and builds everywhere. The code
// that talks to a GPU is in package driver, behind the build tag cuda.
package cuda

import (
	"embed"
	"io/fs"
)

//go:embed src/*.cuh
var sources embed.FS

// Headers returns the sources that generated kernels include, by name.
func Headers() map[string]string {
	headers := map[string]string{}
	names, _ := fs.Glob(sources, "src/*.cuh") // the pattern is well formed
	for _, name := range names {
		text, _ := sources.ReadFile(name) // it was just listed
		headers[name[len("src/"):]] = string(text)
	}
	return headers
}

// Pointer is an address in a device's memory; 0 is none.
type Pointer uint64

// Source is a module of kernels.
type Source struct {
	// Name of the file, for errors.
	Name string
	// Text is CUDA C++ that includes Headers.
	Text string
	// Compiled is the output of Pack for the text, nil if the text is to be compiled when it is
	// loaded.
	Compiled []byte
}

// Launch is a run of a kernel. Kernels take three arguments of eight bytes: the
// addresses of the model and of the run, and a number.
type Launch struct {
	Kernel string
	// Module has the kernel; nil means the sequence's module.
	Module Module
	// Grid is the number of blocks in each direction.
	Grid [3]int
	// Threads of a block, a multiple of 32, and its shared memory in bytes.
	Threads, Shared int
	// Cooperative says that blocks wait for one another: Resident holds all of them at once.
	Cooperative bool
	// Beside says that the kernel needs none of those before it but those that are Beside, too: it may run at the same
	// time. One after it that is not Beside needs all before it.
	Beside   bool
	Argument int64
}

// Sequence describes the work for each query: bytes go in, kernels run in order, bytes come out.
type Sequence struct {
	Module Module
	// Model and Run are the first two arguments of every kernel: the bytes of what the headers
	// call so.
	Model, Run []byte
	Launches   []Launch
	// To and ToBytes say where the input goes, From and FromBytes where the output is.
	To, From           Pointer
	ToBytes, FromBytes int
}

// Module is a Source that a device has loaded.
type Module interface {
	// Unload frees it.
	Unload() error
}

// Recording is a Sequence that is ready to be replayed.
type Recording interface {
	// In is the input, Out the output of the last replay; both belong to the
	// recording.
	In() []byte
	Out() []byte
	// Replay does everything and waits for the end.
	Replay() error
	Close() error
}

// Driver is one device. Its methods, and the methods of its modules and recordings, are called one at
// a time, by a goroutine that is locked to its thread and has called Enter, or opened the driver.
// Errors name the call that failed.
type Driver interface {
	// Enter makes the device current for the calling thread.
	Enter() error
	// Name of the device and of its driver, for people.
	Name() string
	// Multiprocessors is their number.
	Multiprocessors() int
	// Memory returns the bytes that are free.
	Memory() (free int64, err error)
	Alloc(bytes int64) (Pointer, error)
	Free(p Pointer) error
	// Write and Read copy and wait.
	Write(to Pointer, from []byte) error
	Read(to []byte, from Pointer) error
	// Load loads a module: what was compiled ahead of time, or else its text, compiled now.
	Load(s Source) (Module, error)
	// Resident is how many blocks of a kernel the device holds at once; Grid and Argument do
	// not matter.
	Resident(m Module, l Launch) (int, error)
	Record(s Sequence) (Recording, error)
	Close() error
}
