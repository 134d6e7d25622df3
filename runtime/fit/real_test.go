package fit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/compiler/plantest"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/importer"
	"github.com/efoc/efoc/testdata/shared"
)

// peer prints the degrees that another implementation gives the queries on its
// standard input: for each the sum, and the entities above 0 with theirs.
const peer = `
import sys, json, types
path, data, checkpoint, k = sys.argv[1:5]
sys.argv = ['fit_topk', data, checkpoint, '-', '--k', k]
module = types.ModuleType('fit_topk'); module.__file__ = path
exec(compile(open(path).read().split('mrr, cnt, tm')[0], path, 'exec'), module.__dict__)
for line in sys.stdin:
    q = json.loads(line)
    p = module.answer(q['type'], q)
    ids = p.nonzero().flatten()
    print(json.dumps({'ids': ids.tolist(), 'degrees': p[ids].tolist()}))
`

// candidates is K in the comparison.
const candidates = 64

// TestPeer compares the degrees of one query of each shape on FB15k-237 with those of
// the implementation that the semantics was measured with. That one leaves out the
// observed links of entities that are not among the K best.
func TestPeer(t *testing.T) {
	if testing.Short() {
		t.Skip("runs PyTorch")
	}
	dir := shared.Dir(t, "data", "fb15k-237")
	script, checkpoint := shared.Dir(t, "peer", "fit_topk.py"), filepath.Join(dir, "complex256.pt")
	asked := map[string]bool{}
	var queries []shared.Query
	var lines bytes.Buffer
	for _, q := range shared.Queries(t, filepath.Join(dir, "queries-dev.jsonl")) {
		if asked[q.Type] {
			continue
		}
		asked[q.Type] = true
		queries = append(queries, q)
		line := map[string]any{"type": q.Type}
		for slot, id := range q.Slots {
			line[slot] = id
		}
		text, err := json.Marshal(line)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&lines, "%s\n", text)
	}
	const python = "/usr/bin/python3"
	cmd := exec.Command(python, "-c", peer, script, dir, checkpoint, fmt.Sprint(candidates))
	cmd.Stdin = &lines
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if errors.Is(err, os.ErrNotExist) || strings.Contains(stderr.String(), "ModuleNotFoundError") {
		t.Skipf("needs %s with PyTorch and NumPy", python)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	model := importModel(t, dir, checkpoint)
	rows := NewRows(model, 0)
	dec := json.NewDecoder(bytes.NewReader(out))
	for _, q := range queries {
		var want struct {
			IDs     []int32
			Degrees []float64
		}
		if err := dec.Decode(&want); err != nil {
			t.Fatal(err)
		}
		degrees := make([]float64, model.NumEntities())
		for i, e := range want.IDs {
			degrees[e] = want.Degrees[i]
		}
		comparePeer(t, rows, q, degrees)
	}
}

func importModel(t testing.TB, dir, checkpoint string) *runtime.Model {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.efoc")
	if _, err := importer.Import(context.Background(), importer.Options{Graph: dir, Checkpoint: checkpoint, Output: path}); err != nil {
		t.Fatal(err)
	}
	m, err := runtime.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

// comparePeer compares the degrees of a query; want has length n.
func comparePeer(t *testing.T, rows *Rows, q shared.Query, want []float64) {
	t.Helper()
	shape, bindings := shapeOf(t, q)
	var patterns []runtime.Pattern
	for i := range shape.SCQs {
		patterns = append(patterns, shape.SCQs[i].Pattern())
	}
	e := New(rows, patterns)
	e.observed = false
	d := runtime.Degrees{Candidates: candidates, Negation: 3, Threshold: 0.0002, Temperature: 1, Leaf: 0.01}
	err := e.Scores(context.Background(), []runtime.Bindings{bindings}, d, func(_ int, answer runtime.Vector, _ []runtime.Vector) error {
		wrong := 0
		for i, got := range answer {
			if (got == 0 || want[i] == 0) && max(float64(got), want[i]) < d.Threshold*(1+1e-4) {
				continue // at the threshold, on either side of it
			}
			if math.Abs(float64(got)-want[i]) > 1e-4*want[i]+1e-7 {
				if wrong++; wrong < 4 {
					t.Errorf("%s: entity %d has degree %v, the peer says %v", q.Type, i, got, want[i])
				}
			}
		}
		if wrong >= 4 {
			t.Errorf("%s: %d entities differ; plan %v", q.Type, wrong, Describe(&patterns[0]))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// shapeOf returns the shape of a query and what fills its slots.
func shapeOf(t testing.TB, q shared.Query) (*lower.Shape, runtime.Bindings) {
	t.Helper()
	query, err := lang.ShapeQuery(q.Type)
	if err != nil {
		t.Fatal(err)
	}
	dnf, _, err := lang.Normalize(query)
	if err != nil {
		t.Fatal(err)
	}
	a := plantest.Arguments{Entities: map[string]runtime.EntityID{}, Relations: map[string]runtime.RelationID{}}
	for slot, id := range q.Slots {
		a.Entities[slot], a.Relations[slot] = runtime.EntityID(id), runtime.RelationID(id)
	}
	shape := lower.NewShape(dnf)
	return shape, a.Bindings(shape.Constants, shape.Relations)
}
