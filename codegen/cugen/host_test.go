//go:build cuda

package cugen_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/codegen/cugen"
	"github.com/efoc/efoc/codegen/shapes"
	"github.com/efoc/efoc/runtime/device"
	"github.com/efoc/efoc/runtime/device/nvidia"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/require"
)

// TestHost checks, against the fake driver, that the kernels of a plan are launched in
// its order, each time it is asked, and that two models can share the device.
func TestHost(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	t.Setenv("EFOC_FAKECUDA_LOG", log)
	host := newModel(t, 3, 100, 8, model.Float32, 100)
	d, err := nvidia.Open()
	require.NoError(t, err)
	defer d.Close()
	if !strings.HasPrefix(d.Name(), "FAKE") {
		t.Skip("needs the fake driver of kernels/cuda/toolkit, which notes what it is asked for")
	}
	m, err := d.Load(host.Bundle())
	require.NoError(t, err)
	defer m.Close()
	second, err := d.Load(newModel(t, 4, 70, 8, model.BFloat16, 100).Bundle())
	require.NoError(t, err)
	defer second.Close()
	var want []string
	for _, p := range shapes.ShapesDevicePlans[:2] {
		q, err := m.Runner(p)
		require.NoError(t, err)
		b := scq.Bindings{Constants: make([]model.EntityID, p.Constants), Relations: make([]model.RelationID, p.Relations)}
		for range 2 {
			// The fake computes nothing: there is no ranking.
			if _, err := q.Top(context.Background(), []scq.Bindings{b}, host.Bundle().Manifest.Settings, 3, 0); err == nil || !strings.Contains(err.Error(), "ranking") {
				t.Fatalf("error is %v", err)
			}
		}
		want = append(want, slices.Repeat(launches(p), 2)...)
	}
	// A mixture has kernels of two modules.
	mixed, err := cugen.Plan(compiledFor(t, "1p", model.Mixed))
	require.NoError(t, err)
	mixed.Messages = shapes.ShapesDevicePlans[0]
	q, err := m.Runner(mixed)
	require.NoError(t, err)
	b := scq.Bindings{Constants: []model.EntityID{1}, Relations: []model.RelationID{1}}
	if _, err := q.Top(context.Background(), []scq.Bindings{b}, host.Bundle().Manifest.Settings, 3, 0); err == nil || !strings.Contains(err.Error(), "ranking") {
		t.Fatalf("error is %v", err)
	}
	want = append(want, launches(mixed.Messages)...)
	want = append(want, "efoc_fit_scores", "efoc_fit_degrees", "efoc_fit_dense", "efoc_fit_mixture", "efoc_fit_top")
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	var got []string
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); f[0] == "launch" || f[0] == "together" {
			got = append(got, strings.TrimSuffix(f[1], "_f32"))
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("launched %v, want %v", got, want)
	}
}

// launches are the kernels that answer one query, of which the last one ranks, too.
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
