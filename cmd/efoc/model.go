package main

import (
	"errors"
	"os"
	"sync"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/cmd/internal/gpu"
	"github.com/efoc/efoc/cmd/internal/print"
	"github.com/efoc/efoc/codegen/shapes"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/device/nvidia"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/shards/mpi"
)

// plans are the built-in generated plans, for the benchmark shapes.
var plans = shapes.Plans()

// modelFlag chooses the model.
type modelFlag struct {
	Model string `short:"m" env:"EFOC_MODEL" placeholder:"FILE.efoc" in:"" help:"Model to use; by default the built-in model of the world."`
}

// deviceFlag chooses the device.
type deviceFlag struct {
	Device string `enum:"cpu,cuda" default:"cpu" needs:"cuda" help:"Device that computes: cpu, or cuda for the first NVIDIA GPU."`
}

// openModel is a model with its source.
type openModel struct {
	*runtime.Model
	// path is empty for the built-in model.
	path string
	// onDevice is the model on device; both are nil in main memory.
	onDevice *runtime.Model
	device   *device.Device
	// shards waits for the shards that this process serves of a split model; it is nil for a whole model.
	shards *sync.WaitGroup
}

// open opens the model, by default the built-in one. It maps the file: commands are short-lived, and most read only a
// part of it.
func (f modelFlag) open(a *app) (*openModel, error) { return f.openAs(a, model.Mapped()) }

// openAs opens the model with the given options.
func (f modelFlag) openAs(a *app, how ...model.OpenOption) (*openModel, error) {
	if isFolder(f.Model) {
		return nil, usagef("%s is a folder: only answer, eval and serve take a model that efoc split has split", f.Model)
	}
	m, err := await(a.ctx, func() (*runtime.Model, error) {
		if f.Model == "" {
			return world.Open()
		}
		return runtime.Open(f.Model, how...)
	})
	if err != nil {
		return nil, notModel(f.Model, err)
	}
	a.inWorld = f.Model == ""
	a.noteJournal(f.Model, m)
	return &openModel{Model: m, path: f.Model}, nil
}

// toDevice returns the model on the device of the flag, and sets the options of Prepare for it.
func (m *openModel) toDevice(f deviceFlag, o *compiler.Options) (placed *runtime.Model, err error) {
	if f.Device == "cuda" && m.shards != nil {
		return nil, errSplitOnDevice
	}
	m.device, err = f.openDevice()
	if err != nil || m.device == nil {
		return m.Model, err
	}
	o.Engine = compiler.EngineCUDA
	o.Kernels = gpu.Kernels
	m.onDevice, err = m.On(m.device)
	return m.onDevice, err
}

// errSplitOnDevice refuses split models on devices.
var errSplitOnDevice = usagef("--device cuda: only processors answer a split model")

// openDevice opens the device for a server, nil for the processor.
func (f deviceFlag) openDevice() (*device.Device, error) {
	if f.Device != "cuda" {
		return nil, nil
	}
	return nvidia.Open()
}

// Close closes the model and the device.
func (m *openModel) Close() (err error) {
	if m.onDevice != nil {
		err = m.onDevice.Close()
	}
	if m.device != nil {
		err = errors.Join(err, m.device.Close())
	}
	err = errors.Join(err, m.Model.Close())
	if m.shards != nil {
		m.shards.Wait()
		mpi.Stop()
	}
	return err
}

// summary describes the model that was used.
func (m *openModel) summary() print.Model {
	f := m.Bundle().Manifest
	return print.Model{Name: f.Name, File: m.path, Entities: f.Entities, Relations: f.Relations, Triples: f.Triples}
}

// isFolder reports whether a path is a folder.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
