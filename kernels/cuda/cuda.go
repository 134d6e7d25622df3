// Package cuda holds the CUDA C++ sources of generated kernels and declares the device interface for host code.
// It does not depend on plans and models, and builds everywhere. The code that talks to a GPU is in package
// driver, behind the build tag cuda.
package cuda

import (
	"embed"
	"io/fs"
)

//go:embed src/*.cuh
var sources embed.FS

// Headers returns the headers of generated kernels, by name.
func Headers() map[string]string {
	headers := map[string]string{}
	names, _ := fs.Glob(sources, "src/*.cuh") // the pattern is well formed
	for _, name := range names {
		text, _ := sources.ReadFile(name) // it was just listed
		headers[name[len("src/"):]] = string(text)
	}
	return headers
}

// Pointer is a device address; 0 is null.
type Pointer uint64

// Source is a module of kernels.
type Source struct {
	// Name of the file, for errors.
	Name string
	// Text is CUDA C++ that includes Headers.
	Text string
	// Compiled is the output of Pack for the text, nil if the text is to be compiled at loading.
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
	// Cooperative says that blocks wait for one another; the device must hold all of them at once, see Resident.
	Cooperative bool
	// Beside says that the kernel depends only on those earlier kernels that are also Beside: it may run concurrently
	// with the others. A later kernel that is not Beside waits for all earlier ones.
	Beside   bool
	Argument int64
}

// Sequence describes the work for each query: copy the input, run kernels in order, copy the output.
type Sequence struct {
	Module Module
	// Model and Run are the first two arguments of every kernel: the bytes of the structs of these names in the
	// headers.
	Model, Run []byte
	Launches   []Launch
	// To and ToBytes are the destination of the input, From and FromBytes the source of the output.
	To, From           Pointer
	ToBytes, FromBytes int
}

// Module is a Source that a device has loaded.
type Module interface {
	// Unload frees it.
	Unload() error
}

// Recording is a Sequence that is ready for replay.
type Recording interface {
	// In is the input, Out the output of the last replay; both belong to the recording.
	In() []byte
	Out() []byte
	// Replay runs the sequence and waits for its end.
	Replay() error
	Close() error
}

// Driver is one device. Methods of the driver, its modules and its recordings are called sequentially, by a
// goroutine that is locked to its thread and has called Enter or opened the driver. Errors name the failed
// call.
type Driver interface {
	// Enter makes the device current for the calling thread.
	Enter() error
	// Name of the device and of its driver, for users.
	Name() string
	// Multiprocessors returns the number of multiprocessors.
	Multiprocessors() int
	// Memory returns the number of free bytes.
	Memory() (free int64, err error)
	Alloc(bytes int64) (Pointer, error)
	Free(p Pointer) error
	// Write and Read copy synchronously.
	Write(to Pointer, from []byte) error
	Read(to []byte, from Pointer) error
	// Load loads a module: the precompiled code or else the text, compiled now.
	Load(s Source) (Module, error)
	// Resident returns the number of blocks of a kernel that the device can hold at once; it ignores Grid and
	// Argument.
	Resident(m Module, l Launch) (int, error)
	Record(s Sequence) (Recording, error)
	Close() error
}
