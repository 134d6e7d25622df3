//go:build cuda

package gpu

import (
	"strings"
	"testing"

	"github.com/efoc/efoc/codegen/cugen/devicetest"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/device/nvidia"
	"github.com/efoc/efoc/runtime/model"
)

// TestGPU compares every op and every shape with the interpreter on the GPU.
func TestGPU(t *testing.T) {
	d, err := nvidia.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}()
	if strings.HasPrefix(d.Name(), "FAKE") {
		t.Skip("a fake driver computes nothing: comparing numbers needs a GPU")
	}
	t.Run("ops", func(t *testing.T) { devicetest.Ops(t, d) })
	for _, table := range []model.TableType{model.Float32, model.BFloat16, model.Float16} {
		host := devicetest.NewModel(t, 3, 300, 40, table, 100)
		there, err := d.Load(host.Model)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range lang.Shapes {
			t.Run(string(table)+"/"+s.Name, func(t *testing.T) {
				c := devicetest.Shape(t, s.Name)
				kernels, err := Kernels(c)
				if err != nil {
					t.Fatal(err)
				}
				q, err := there.Query(kernels)
				if err != nil {
					t.Fatal(err)
				}
				devicetest.Compare(t, host, q, c)
			})
		}
		if err := there.Close(); err != nil {
			t.Error(err)
		}
		m, err := Load(host)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(string(table)+"/typed", func(t *testing.T) { devicetest.Typed(t, host, m.Model) })
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}
