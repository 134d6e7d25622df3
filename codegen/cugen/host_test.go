//go:build cuda

package cugen_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/codegen/cugen"
	"github.com/efoc/efoc/codegen/shapes"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/device/nvidia"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/require"
)

// TestHost checks against the fake driver, which refuses launches that an H200 refuses, that the kernels of
// every shape are launched in order on each request, that batches and mixtures can be launched, and that two
// models can share the device.
func TestHost(t *testing.T) {
	host := newModel(t, 3, 100, 8, table.Float32, 100)
	d, err := nvidia.Open()
	require.NoError(t, err)
	defer d.Close()
	if !strings.HasPrefix(d.Name(), "FAKE") {
		t.Skip("needs the fake driver of kernels/cuda/toolkit, which notes what it is asked for")
	}
	m, err := d.Load(host.Bundle())
	require.NoError(t, err)
	defer m.Close()
	second, err := d.Load(newModel(t, 4, 70, 8, table.Float32, 100).Bundle())
	require.NoError(t, err)
	defer second.Close()
	settings := host.Bundle().Manifest.Settings
	// ask asks the given number of queries, and expects only a ranking: the fake computes nothing.
	ask := func(t *testing.T, q *device.Runner, p *device.Kernels, queries int) {
		t.Helper()
		b := scq.Bindings{Constants: make([]graph.EntityID, p.Constants), Relations: make([]graph.RelationID, p.Relations)}
		_, err := q.Top(context.Background(), slices.Repeat([]scq.Bindings{b}, queries), settings, 3, 0)
		if err == nil || !strings.Contains(err.Error(), "the ranking has entity") {
			t.Fatalf("%d queries: error is %v", queries, err)
		}
	}
	for i, s := range benchmark.Shapes {
		t.Run(s.Name, func(t *testing.T) {
			log := filepath.Join(t.TempDir(), "log")
			t.Setenv("EFOC_FAKECUDA_LOG", log)
			p := shapes.ShapesDevicePlans[i]
			q, err := m.Runner(p)
			require.NoError(t, err)
			ask(t, q, p, 1)
			ask(t, q, p, 1)
			want := slices.Repeat(launches(p), 2)
			// A mixture has kernels of two modules.
			mixed, err := cugen.Plan(compiledFor(t, s.Name, model.Mixed))
			require.NoError(t, err)
			mixed.Messages = p
			mixture, err := m.Runner(mixed)
			require.NoError(t, err)
			ask(t, mixture, p, 1)
			got := launched(t, log)
			if len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
				t.Errorf("launched %v, want %v", got, want)
			}
			truth := []string{"efoc_fit_scores", "efoc_fit_degrees", "efoc_fit_dense", "efoc_fit_mixture", "efoc_fit_top"}
			if want := append(launches(p), truth...); s.Name == "1p" && !slices.Equal(got[len(got)-len(want):], want) {
				t.Errorf("a mixture launched %v, want %v at the end", got, want)
			}
			ask(t, q, p, 4)
			ask(t, mixture, p, 4)
		})
	}
}

// TestApart checks that each step is a separate launch on a GPU that refuses cooperative launches.
func TestApart(t *testing.T) {
	var said bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&said, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	log := filepath.Join(t.TempDir(), "log")
	t.Setenv("EFOC_FAKECUDA_LOG", log)
	t.Setenv("EFOC_FAKECUDA_NOCOOPERATIVE", "1")
	d, err := nvidia.Open()
	require.NoError(t, err)
	defer d.Close()
	if !strings.HasPrefix(d.Name(), "FAKE") {
		t.Skip("needs the fake driver of kernels/cuda/toolkit, which refuses cooperative launches")
	}
	host := newModel(t, 3, 100, 8, table.Float32, 100)
	m, err := d.Load(host.Bundle())
	require.NoError(t, err)
	defer m.Close()
	for _, p := range shapes.ShapesDevicePlans[:2] {
		q, err := m.Runner(p)
		require.NoError(t, err)
		b := scq.Bindings{Constants: make([]graph.EntityID, p.Constants), Relations: make([]graph.RelationID, p.Relations)}
		_, err = q.Top(t.Context(), []scq.Bindings{b}, host.Settings(), 3, 0)
		if err == nil || !strings.Contains(err.Error(), "the ranking has entity") {
			t.Fatalf("error is %v", err)
		}
	}
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	if bytes.Contains(text, []byte("\ntogether ")) || bytes.Count(text, []byte("\nrefused ")) != 1 {
		t.Errorf("the driver was asked for\n%s", text)
	}
	if n := strings.Count(said.String(), "each step of a plan is launched alone"); n != 1 {
		t.Errorf("%d warnings, want 1: %s", n, &said)
	}
}

// launched returns the kernels that ran.
func launched(t *testing.T, log string) (kernels []string) {
	t.Helper()
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); slices.Contains([]string{"launch", "together", "beside"}, f[0]) {
			kernels = append(kernels, f[1])
		}
	}
	return kernels
}

// launches returns the kernels that answer one query, the last of which also ranks.
func launches(p *device.Kernels) (kernels []string) {
	for _, l := range p.Program.Launches {
		switch l.Kind {
		case device.Scores:
			kernels = append(kernels, "efoc_scores")
		case device.Sums:
			kernels = append(kernels, "efoc_sum")
		default:
			kernels = append(kernels, l.Kernel)
		}
	}
	return kernels
}
