//go:build cuda

package driver

// What cu lacks: pinned memory, capture and launch of graphs, and attributes of functions. cgo types are private to a package, hence the conversions.

/*
#cgo LDFLAGS: -lcuda
#include <cuda.h>

static CUresult launch(CUfunction f, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned shared, CUstream s,
                       int cooperative, void *model, void *run, long long argument) {
	void *arguments[] = {model, run, &argument};
	if (cooperative) return cuLaunchCooperativeKernel(f, x, y, z, threads, 1, 1, shared, s, arguments);
	return cuLaunchKernel(f, x, y, z, threads, 1, 1, shared, s, arguments, 0);
}
*/
import "C"

import (
	"errors"
	"fmt"
	"unsafe"

	"gorgonia.org/cu"

	"github.com/efoc/efoc/kernels/cuda"
)

// failed turns a result into an error that names the call.
func failed(call string, r C.CUresult) error {
	if r == C.CUDA_SUCCESS {
		return nil
	}
	var name *C.char
	if C.cuGetErrorName(r, &name) != C.CUDA_SUCCESS || name == nil {
		return fmt.Errorf("%s: error %d", call, int(r))
	}
	return fmt.Errorf("%s: %s", call, C.GoString(name))
}

func streamOf(s cu.Stream) C.CUstream { return C.CUstream(unsafe.Pointer(s.C())) }

// pinned is page-locked host memory, which a device accesses directly.
type pinned struct {
	at    unsafe.Pointer
	bytes []byte
}

func pin(size int) (pinned, error) {
	var p unsafe.Pointer
	if err := failed("cuMemHostAlloc", C.cuMemHostAlloc(&p, C.size_t(size), 0)); err != nil {
		return pinned{}, err
	}
	return pinned{p, unsafe.Slice((*byte)(p), size)}, nil
}

func (p pinned) free() error { return failed("cuMemFreeHost", C.cuMemFreeHost(p.at)) }

// graph is a captured sequence; the zero graph is none.
type graph struct{ exec C.CUgraphExec }

// capture records the work that issue puts on the stream.
func capture(s cu.Stream, issue func() error) (graph, error) {
	err := failed("cuStreamBeginCapture", C.cuStreamBeginCapture(streamOf(s), C.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL))
	if err != nil {
		return graph{}, err
	}
	issued := issue()
	var g C.CUgraph
	err = failed("cuStreamEndCapture", C.cuStreamEndCapture(streamOf(s), &g))
	if err != nil { // a failed launch may end the capture
		return graph{}, errors.Join(issued, err)
	}
	defer C.cuGraphDestroy(g)
	if issued != nil {
		return graph{}, issued
	}
	var out graph
	err = failed("cuGraphInstantiate", C.cuGraphInstantiateWithFlags(&out.exec, g, 0))
	return out, err
}

func (g graph) launch(s cu.Stream) error {
	return failed("cuGraphLaunch", C.cuGraphLaunch(g.exec, streamOf(s)))
}

func (g graph) destroy() error {
	if g.exec == nil {
		return nil
	}
	return failed("cuGraphExecDestroy", C.cuGraphExecDestroy(g.exec))
}

// allowShared permits a kernel the given bytes of dynamic shared memory. The default limit, 48 KiB, includes
// static shared memory, so this is always set.
func allowShared(f cu.Function, kernel string, bytes int) error {
	r := C.cuFuncSetAttribute(handle(f), C.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, C.int(bytes))
	return failed(fmt.Sprintf("cuFuncSetAttribute of %s for %d bytes of shared memory", kernel, bytes), r)
}

// handle returns a function's handle: cu.Function has no accessor for its only field.
func handle(f cu.Function) C.CUfunction { return *(*C.CUfunction)(unsafe.Pointer(&f)) }

// resident returns the number of blocks of a kernel that a multiprocessor can hold at once.
func resident(f cu.Function, kernel string, threads, shared int) (int, error) {
	var blocks C.int
	r := C.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, handle(f), C.int(threads), C.size_t(shared))
	return int(blocks), failed("cuOccupancyMaxActiveBlocksPerMultiprocessor of "+kernel, r)
}

// launch launches a kernel of a sequence on a stream.
func launch(f cu.Function, l cuda.Launch, s cu.Stream, of *cuda.Sequence) error {
	call := "cuLaunchKernel"
	cooperative := C.int(0)
	if l.Cooperative {
		call = "cuLaunchCooperativeKernel"
		cooperative = 1
	}
	r := C.launch(handle(f), C.uint(l.Grid[0]), C.uint(l.Grid[1]), C.uint(l.Grid[2]), C.uint(l.Threads), C.uint(l.Shared), streamOf(s), cooperative,
		unsafe.Pointer(unsafe.SliceData(of.Model)), unsafe.Pointer(unsafe.SliceData(of.Run)), C.longlong(l.Argument))
	return failed(call, r)
}
