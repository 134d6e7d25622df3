//go:build cuda

package cugen_test

import (
	"strings"
	"testing"

	"github.com/efoc/efoc/codegen/cugen"
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
	t.Run("ops", func(t *testing.T) { compareOps(t, d) })
	for _, table := range []model.TableType{model.Float32, model.BFloat16, model.Float16} {
		host := newModel(t, 3, 300, 40, table, 100)
		m, err := d.Load(host.Model)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range lang.Shapes {
			t.Run(string(table)+"/"+s.Name, func(t *testing.T) {
				c := compiledShape(t, s.Name)
				p, err := cugen.Plan(c)
				if err != nil {
					t.Fatal(err)
				}
				q, err := m.Query(p)
				if err != nil {
					t.Fatal(err)
				}
				compareShape(t, host, q, c)
			})
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		t.Run(string(table)+"/typed", func(t *testing.T) {
			m, err := host.On(d)
			if err != nil {
				t.Fatal(err)
			}
			compareTyped(t, host, m)
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
