//go:build cuda

package driver

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"gorgonia.org/cu"

	"github.com/efoc/efoc/kernels/cuda"
	_ "github.com/efoc/efoc/kernels/cuda/probe" // before cu
)

// gpu is a device with its primary context, a main stream, and a second one for concurrent kernels.
type gpu struct {
	device  cu.Device
	context cu.CUContext
	stream  cu.Stream
	beside  branch
	name    string
	// capability is the compute capability, 90 for 9.0.
	capability int
	units      int
}

// Open opens a GPU and makes it current for the calling thread.
func Open(number int) (cuda.Driver, error) {
	d, err := cu.GetDevice(number)
	if err != nil {
		return nil, fmt.Errorf("GPU %d: %w", number, err)
	}
	g := &gpu{device: d}
	model, err := d.Name()
	if err != nil {
		return nil, named(err, "name of GPU %d", number)
	}
	major, minor, err := d.ComputeCapability()
	if err != nil {
		return nil, named(err, "compute capability of GPU %d", number)
	}
	if major < 8 {
		return nil, fmt.Errorf("GPU %d, %s, has compute capability %d.%d, want 8.0 or more: choose another by CUDA_VISIBLE_DEVICES, or answer on the processor", number, model, major, minor)
	}
	g.name = fmt.Sprintf("%s (CUDA %d)", model, cu.Version())
	g.capability = 10*major + minor
	g.units, err = d.Attribute(cu.MultiprocessorCount)
	if err != nil {
		return nil, fmt.Errorf("multiprocessors of GPU %d: %w", number, err)
	}
	g.context, err = d.RetainPrimaryCtx()
	if err != nil {
		return nil, fmt.Errorf("cuDevicePrimaryCtxRetain: %w", err)
	}
	if err := g.Enter(); err != nil {
		return nil, err
	}
	g.stream, err = cu.MakeStream(cu.NonBlocking)
	if err != nil {
		return nil, fmt.Errorf("cuStreamCreate: %w", err)
	}
	g.beside, err = newBranch()
	return g, err
}

// branch is a stream that forks from another and joins it again, with an event for each.
type branch struct {
	stream      cu.Stream
	begun, done cu.Event
}

func newBranch() (b branch, err error) {
	b.stream, err = cu.MakeStream(cu.NonBlocking)
	if err != nil {
		return b, fmt.Errorf("cuStreamCreate: %w", err)
	}
	for _, e := range []*cu.Event{&b.begun, &b.done} {
		*e, err = cu.MakeEvent(cu.DisableTiming)
		if err != nil {
			return b, fmt.Errorf("cuEventCreate: %w", err)
		}
	}
	return b, nil
}

// fork makes the branch wait for the work on the stream so far.
func (b *branch) fork(from cu.Stream) error { return after(b.stream, b.begun, from) }

// join makes the stream wait for the work on the branch.
func (b *branch) join(to cu.Stream) error { return after(to, b.done, b.stream) }

// after makes a stream wait for the work on another one.
func after(waits cu.Stream, e cu.Event, other cu.Stream) error {
	if err := e.Record(other); err != nil {
		return fmt.Errorf("cuEventRecord: %w", err)
	}
	return named(waits.Wait(e, 0), "cuStreamWaitEvent")
}

func (b *branch) close() error {
	return errors.Join(b.stream.Destroy(), cu.DestroyEvent(&b.begun), cu.DestroyEvent(&b.done))
}

func (g *gpu) Enter() error         { return named(cu.SetCurrentContext(g.context), "cuCtxSetCurrent") }
func (g *gpu) Name() string         { return g.name }
func (g *gpu) Multiprocessors() int { return g.units }

func (g *gpu) Memory() (int64, error) {
	free, _, err := cu.MemInfo()
	return free, named(err, "cuMemGetInfo")
}

func (g *gpu) Alloc(bytes int64) (cuda.Pointer, error) {
	p, err := cu.MemAlloc(bytes)
	return cuda.Pointer(p), named(err, "cuMemAlloc of %d bytes", bytes)
}

func (g *gpu) Free(p cuda.Pointer) error { return named(cu.MemFree(cu.DevicePtr(p)), "cuMemFree") }

// Write copies on the stream of the kernels: a copy on the default stream may be unfinished when a non-blocking
// stream starts.
func (g *gpu) Write(to cuda.Pointer, from []byte) error {
	if len(from) == 0 {
		return nil
	}
	err := cu.MemcpyHtoDAsync(cu.DevicePtr(to), unsafe.Pointer(&from[0]), int64(len(from)), g.stream)
	return g.copied(err, "cuMemcpyHtoDAsync", from)
}

func (g *gpu) Read(to []byte, from cuda.Pointer) error {
	if len(to) == 0 {
		return nil
	}
	err := cu.MemcpyDtoHAsync(unsafe.Pointer(&to[0]), cu.DevicePtr(from), int64(len(to)), g.stream)
	return g.copied(err, "cuMemcpyDtoHAsync", to)
}

// copied waits for a copy from or to host memory, and keeps that memory alive until then.
func (g *gpu) copied(err error, call string, host []byte) error {
	defer runtime.KeepAlive(host)
	if err != nil {
		return named(err, "%s of %d bytes", call, len(host))
	}
	return named(g.stream.Synchronize(), "cuStreamSynchronize after %s of %d bytes", call, len(host))
}

// module is a loaded module and the kernels looked up in it.
type module struct {
	cu.Module
	kernels map[string]*function
}

// function is a kernel and the limit on its dynamic shared memory.
type function struct {
	cu.Function
	shared int
}

func (m *module) Unload() error { return named(m.Module.Unload(), "cuModuleUnload") }

// Load loads a module: its machine code or its compiled PTX if the driver accepts it, otherwise its text,
// compiled by NVRTC.
func (g *gpu) Load(s cuda.Source) (cuda.Module, error) {
	if code := s.Machine(fmt.Sprintf("sm_%d", g.capability)); code != nil {
		if m, err := load(code); err == nil {
			return m, nil
		}
	}
	ptx, refused := s.PTX()
	if ptx != nil {
		m, err := load(ptx)
		if err == nil {
			return m, nil
		}
		refused = fmt.Errorf("cuModuleLoadData of %s: %w", s.Name, err)
	}
	ptx, err := compile(s, g.capability)
	if err != nil {
		return nil, errors.Join(refused, fmt.Errorf("compile %s: %w", s.Name, err))
	}
	m, err := load(ptx)
	if err != nil {
		return nil, errors.Join(refused, fmt.Errorf("cuModuleLoadData of %s, compiled by NVRTC: %w", s.Name, err))
	}
	return m, nil
}

// load loads PTX or machine code.
func load(code []byte) (*module, error) {
	m, err := cu.LoadData(string(code) + "\x00")
	if err != nil {
		return nil, err
	}
	return &module{Module: m, kernels: map[string]*function{}}, nil
}

// function looks up a kernel and raises its limit on shared memory if the launch needs more. The limit is never
// lowered: all launches of a kernel share it, and those with more shared memory would fail.
func (m *module) function(l cuda.Launch) (cu.Function, error) {
	k, ok := m.kernels[l.Kernel]
	if !ok {
		f, err := m.Function(l.Kernel)
		if err != nil {
			return f, fmt.Errorf("cuModuleGetFunction of %s: %w", l.Kernel, err)
		}
		k = &function{Function: f}
		m.kernels[l.Kernel] = k
	}
	if l.Shared <= k.shared {
		return k.Function, nil
	}
	err := allowShared(k.Function, l.Kernel, l.Shared)
	if err == nil {
		k.shared = l.Shared
	}
	return k.Function, err
}

// Resident asks the driver how many blocks fit, given registers, shared memory and threads.
func (g *gpu) Resident(m cuda.Module, l cuda.Launch) (int, error) {
	own, ok := m.(*module)
	if !ok {
		return 0, errForeign
	}
	f, err := own.function(l)
	if err != nil {
		return 0, err
	}
	blocks, err := resident(f, l.Kernel, l.Threads, l.Shared)
	return blocks * g.units, err
}

// errForeign says that a module was not loaded by this driver.
var errForeign = errors.New("internal error: a module of another driver")

// Close releases the context.
func (g *gpu) Close() error {
	return errors.Join(g.beside.close(), g.stream.Destroy(), g.device.ReleasePrimaryCtx())
}

// named adds the name of the call to an error; it is nil for nil.
func named(err error, call string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(call, args...), err)
}
