//go:build cuda

package driver

import (
	"errors"
	"fmt"
	"unsafe"

	"gorgonia.org/cu"

	"github.com/efoc/efoc/kernels/cuda"
	_ "github.com/efoc/efoc/kernels/cuda/probe" // before cu
)

// gpu is a device with its primary context and one stream.
type gpu struct {
	device cu.Device
	stream cu.Stream
	name   string
	arch   string // such as compute_90
	units  int
}

// Count returns the number of GPUs.
func Count() (int, error) { return cu.NumDevices() }

// Open opens a GPU on the calling thread, which all calls must come from.
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
		return nil, fmt.Errorf("GPU %d, %s, has compute capability %d.%d, want 8.0 or more", number, model, major, minor)
	}
	g.name = fmt.Sprintf("%s (CUDA %d)", model, cu.Version())
	g.arch = fmt.Sprintf("compute_%d%d", major, minor)
	if g.units, err = d.Attribute(cu.MultiprocessorCount); err != nil {
		return nil, fmt.Errorf("multiprocessors of GPU %d: %w", number, err)
	}
	ctx, err := d.RetainPrimaryCtx()
	if err != nil {
		return nil, fmt.Errorf("cuDevicePrimaryCtxRetain: %w", err)
	}
	if err := cu.SetCurrentContext(ctx); err != nil {
		return nil, fmt.Errorf("cuCtxSetCurrent: %w", err)
	}
	if g.stream, err = cu.MakeStream(cu.NonBlocking); err != nil {
		return nil, fmt.Errorf("cuStreamCreate: %w", err)
	}
	return g, nil
}

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

func (g *gpu) Write(to cuda.Pointer, from []byte) error {
	if len(from) == 0 {
		return nil
	}
	err := cu.MemcpyHtoD(cu.DevicePtr(to), unsafe.Pointer(&from[0]), int64(len(from)))
	return named(err, "cuMemcpyHtoD of %d bytes", len(from))
}

func (g *gpu) Read(to []byte, from cuda.Pointer) error {
	if len(to) == 0 {
		return nil
	}
	err := cu.MemcpyDtoH(unsafe.Pointer(&to[0]), cu.DevicePtr(from), int64(len(to)))
	return named(err, "cuMemcpyDtoH of %d bytes", len(to))
}

// module is a loaded module and the kernels looked up in it.
type module struct {
	cu.Module
	kernels map[string]cu.Function
}

func (m *module) Unload() error { return named(m.Module.Unload(), "cuModuleUnload") }

// Load loads a module, compiled by NVRTC if it has no PTX.
func (g *gpu) Load(s cuda.Source) (cuda.Module, error) {
	ptx := s.PTX
	if ptx == nil {
		var err error
		if ptx, err = compile(s, g.arch); err != nil {
			return nil, fmt.Errorf("compile %s: %w", s.Name, err)
		}
	}
	m, err := cu.LoadData(string(ptx) + "\x00")
	if err != nil {
		return nil, fmt.Errorf("cuModuleLoadData of %s: %w", s.Name, err)
	}
	return &module{Module: m, kernels: map[string]cu.Function{}}, nil
}

// function looks a kernel up and gives it the shared memory that it asks for.
func (m *module) function(l cuda.Launch) (cu.Function, error) {
	f, ok := m.kernels[l.Kernel]
	if !ok {
		var err error
		if f, err = m.Function(l.Kernel); err != nil {
			return f, fmt.Errorf("cuModuleGetFunction of %s: %w", l.Kernel, err)
		}
		m.kernels[l.Kernel] = f
	}
	return f, allowShared(f, l.Kernel, l.Shared)
}

// Close releases the context.
func (g *gpu) Close() error { return errors.Join(g.stream.Destroy(), g.device.ReleasePrimaryCtx()) }

// named says which call an error is of; it is nil for none.
func named(err error, call string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", fmt.Sprintf(call, args...), err)
}
