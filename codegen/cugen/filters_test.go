package cugen_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/efoc/efoc/codegen/cugen"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
)

// filterTemplates filter answers and other variables, some with a parameter.
var filterTemplates = []string{
	`query T(n number) y = exists x. "0"("1", x) & "1"(x, y) & size(x) > $n & !size(y) =? 3 & y != "2"`,
	`query T(n number) y = "0"("1", y) & size(y) <=? $n | "2"(y, "3") & size(y) != $n`,
}

// TestFilters asks questions with value filters on an emulated device and on the CPU, under every semantics: one at
// a time and in a batch whose queries have different filters.
func TestFilters(t *testing.T) {
	const n = 64 // the degree of unknown values is in a separate row
	d, driver := open(t)
	host := newModel(t, 3, n, 4, table.Float32, 30)
	onDevice, err := host.On(d)
	require.NoError(t, err)
	known := 0
	for _, text := range filterTemplates {
		f, err := lang.ParseFile("t.efo", []byte(text))
		require.NoError(t, err)
		for _, semantics := range model.AllSemantics {
			known += compareFiltered(t, host, onDevice, f.Queries[0], semantics)
		}
	}
	if known == 0 {
		t.Error("no answer is known")
	}
	if err := onDevice.Close(); err != nil {
		t.Error(err)
	}
	if driver.Allocated != 0 {
		t.Errorf("%d allocations are left", driver.Allocated)
	}
}

// TestRandomFilters is TestFilters with random templates.
func TestRandomFilters(t *testing.T) {
	long.Need(t, "it compiles more shapes with g++")
	d, _ := open(t)
	host := newModel(t, 5, 24, 4, table.Float32, 30)
	onDevice, err := host.On(d)
	require.NoError(t, err)
	templates := plantest.Formulas(plantest.Options{Entities: 24, Relations: 3, Name: "T", Values: true, Atoms: 6, Disjuncts: 4})
	asked := 0
	for seed := 0; asked < 20; seed++ {
		q := templates.Example(seed)
		if len(q.Params) != 1 || q.Params[0].Name != plantest.NumberParam {
			continue
		}
		asked++
		for _, semantics := range model.AllSemantics {
			compareFiltered(t, host, onDevice, q, semantics)
		}
	}
	if err := onDevice.Close(); err != nil {
		t.Error(err)
	}
}

// compareFiltered compares the answers of a template with one number parameter, and returns the number of known answers.
func compareFiltered(t *testing.T, host, onDevice *runtime.Model, q *lang.Query, semantics model.Semantics) (known int) {
	t.Helper()
	var replies [2][]*runtime.Reply
	for i, m := range []*runtime.Model{host, onDevice} {
		o := compiler.Options{Semantics: &semantics, Engine: compiler.EngineInterpreted}
		if m == onDevice {
			o.Engine = compiler.EngineCUDA
			o.Kernels = cugen.Plan
		}
		p, err := compiler.Prepare(m, q, o)
		require.NoError(t, err)
		var batch []runtime.Args
		for value := range plantest.MaxValue + 2 {
			a, err := p.Args(map[string]string{q.Params[0].Name: strconv.Itoa(value)})
			require.NoError(t, err)
			batch = append(batch, a)
		}
		all := runtime.Options{K: host.NumEntities()}
		replies[i], err = p.AskAll(t.Context(), batch, all)
		require.NoError(t, err)
		for _, a := range batch[:2] {
			alone, err := p.Ask(t.Context(), a, all)
			require.NoError(t, err)
			replies[i] = append(replies[i], alone)
		}
	}
	for i, want := range replies[0] {
		rows := map[graph.EntityID]runtime.Row{}
		for _, r := range replies[1][i].Rows {
			rows[r.Values[0].ID] = r
		}
		if len(rows) != len(want.Rows) {
			t.Errorf("%s by %s, query %d: %d answers on the device, want %d", q, semantics, i, len(rows), len(want.Rows))
		}
		for _, w := range want.Rows {
			r := rows[w.Values[0].ID]
			if r.Status != w.Status || math.Abs(float64(r.Score)-float64(w.Score)) > 1e-4*float64(w.Score)+1e-9 {
				t.Errorf("%s by %s, query %d: on the device %+v, want %+v", q, semantics, i, r, w)
			}
			if w.Status == runtime.Known {
				known++
			}
		}
	}
	return known
}
