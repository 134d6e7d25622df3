package main

import (
	"github.com/efoc/efoc/cmd/internal/gpu"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime/query"
)

// deviceFlag says what computes.
type deviceFlag struct {
	Device string `enum:"cpu,cuda" default:"cpu" predictor:"device" help:"What computes: cpu, or cuda for the first NVIDIA GPU, in an efoc that was built with the tag cuda."`
}

// cuda reports whether a GPU is asked for.
func (f deviceFlag) cuda() bool { return f.Device == "cuda" }

// place returns the model where it answers, and makes the options of Prepare use the
// device that is asked for. The function that it returns gives the device back.
func (f deviceFlag) place(m *query.Model, o *compiler.PrepareOptions) (*query.Model, func() error, error) {
	if !f.cuda() {
		return m, func() error { return nil }, nil
	}
	g, err := gpu.Load(m)
	if err != nil {
		return nil, nil, err
	}
	o.Engine, o.Kernels = compiler.EngineCUDA, gpu.Kernels
	return g.Model, g.Close, nil
}
