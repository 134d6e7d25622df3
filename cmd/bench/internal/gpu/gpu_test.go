package gpu

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/bench/internal/cli"
	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/kernels/cuda/emulate"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/require"
)

// TestMeasure checks on an emulated device that what is measured runs, and is reported.
func TestMeasure(t *testing.T) {
	driver := emulate.New(t)
	d, err := device.Open(func() (cuda.Driver, error) { return driver, nil }, device.Tuning{MapThreads: 32, TopThreads: 32})
	require.NoError(t, err)
	defer d.Close()
	var out bytes.Buffer
	b := &bench{
		command: &Command{Rank: 4, Runs: 2, Batch: 2, Scale: 1 << 20}, device: d, shapes: []string{"1p"},
		out: &cli.Output{Stdout: &out, Stderr: io.Discard},
	}
	require.NoError(t, b.on(context.Background(), sizes{name: "tiny", entities: 40, relations: 3, triples: 50}, model.Float32))
	if len(b.report.Shapes) != 2 || b.report.Shapes[0].Seconds <= 0 || b.report.Shapes[1].Batch != 2 {
		t.Errorf("the report is %+v", b.report)
	}
	for _, want := range []string{"| tiny, float32, mean of the shapes | ", "| tiny, float32, 1p | ", "batch 2, mean of the shapes"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, &out)
		}
	}
}

// TestKernels checks on an emulated device that every kernel of a plan is measured.
func TestKernels(t *testing.T) {
	driver := emulate.New(t)
	d, err := device.Open(func() (cuda.Driver, error) { return driver, nil }, device.Tuning{MapThreads: 32, TopThreads: 32})
	require.NoError(t, err)
	defer d.Close()
	host, err := synthetic(sizes{name: "tiny", entities: 40, relations: 3, triples: 50}, 4, model.Float32)
	require.NoError(t, err)
	defer host.Close()
	m, err := d.Load(host)
	require.NoError(t, err)
	defer m.Close()
	p, err := planOf("1p")
	require.NoError(t, err)
	p = &device.Plan{ABI: p.ABI, Name: p.Name, Shape: p.Shape, Constants: p.Constants, Relations: p.Relations, Files: p.Files, File: p.File, Single: p.Single}
	p.Single.Launches = p.Single.Launches[:2] // compiling a copy for each takes a while
	list, err := kernels(context.Background(), m, host, p, 1)
	require.NoError(t, err)
	if len(list) != 2 || list[0].Kind != "Pass" || list[0].Bytes != 40*8*4 {
		t.Errorf("kernels are %+v", list)
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
