package fullfit

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model/importer"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/testdata/shared"
)

// TestAgreesReal compares with package fit where it is exact, on queries of FB15k-237.
// EFOC_FIT_CYCLES=1 adds one with a cycle.
func TestAgreesReal(t *testing.T) {
	if testing.Short() {
		t.Skip("makes matrices of 14,505 × 14,505 entities")
	}
	dir := shared.Dir(t, "data", "fb15k-237")
	path := filepath.Join(t.TempDir(), "model.efoc")
	_, err := importer.Import(context.Background(), importer.Options{Graph: dir, Checkpoint: filepath.Join(dir, "complex256.pt"), Output: path, SkipCheck: true})
	if err != nil {
		t.Fatal(err)
	}
	m, err := query.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	first := map[string]shared.Query{}
	for _, q := range shared.Queries(t, filepath.Join(dir, "queries-dev.jsonl")) {
		if _, ok := first[q.Type]; !ok {
			first[q.Type] = q
		}
	}
	names := []string{"2in", "2nm", "pni"}
	if os.Getenv("EFOC_FIT_CYCLES") != "" { // package fit takes minutes
		names = append(names, "3cm")
	}
	for _, name := range names {
		shape, err := lang.ShapeQuery(name)
		if err != nil {
			t.Fatal(err)
		}
		p := prepare(t, m, shape)
		var args []int32
		for _, param := range p.Source.Params {
			args = append(args, int32(first[name].Slots[param.Name]))
		}
		b, err := p.BindingsByID(args)
		if err != nil {
			t.Fatal(err)
		}
		s := p.Settings
		s.Degrees = s.Degrees.OrDefault()
		s.Degrees.Candidates = m.NumEntities()
		want, got := scores(t, p.Query, b, s), exact(t, p, b, s)
		// What is at the threshold may be on either side of it: the scores are of
		// different products.
		wrong := 0
		for e := range want {
			if math.Abs(float64(got[e]-want[e])) > 1e-4*float64(want[e])+1e-8 {
				if wrong++; wrong < 4 {
					t.Logf("%s: entity %d has degree %v, package fit says %v", name, e, got[e], want[e])
				}
			}
		}
		if wrong > m.NumEntities()/1000 {
			t.Errorf("%s: %d entities differ", name, wrong)
		}
	}
}
