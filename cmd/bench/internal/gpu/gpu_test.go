package gpu

import (
	"bytes"
	"context"
	"testing"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/kernels/cuda/emulate"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/model"
)

// TestBandwidths checks on an emulated device that the plans that are measured run.
func TestBandwidths(t *testing.T) {
	driver := emulate.New(t)
	d, err := device.Open(func() (cuda.Driver, error) { return driver, nil }, device.Tuning{MapThreads: 32, TopThreads: 32})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	host, err := synthetic(sizes{name: "tiny", entities: 40, relations: 3, triples: 50}, 4, model.Float32)
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	m, err := d.Load(host)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if _, _, err := bandwidths(context.Background(), m, host); err != nil {
		t.Fatal(err)
	}
}

// TestNoGPU checks that there is an error, and no output, without a GPU.
func TestNoGPU(t *testing.T) {
	var out bytes.Buffer
	if err := (&Command{Rank: 1000, Runs: 1, Batch: 2, Scale: 100}).Run(context.Background(), &cli.Output{Stdout: &out, Stderr: &out}); err == nil {
		t.Skip("there is a GPU")
	}
	if out.Len() != 0 {
		t.Errorf("figures without a GPU: %s", &out)
	}
}
