package fit_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/fit"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/testdata/byslot"
	"github.com/efoc/efoc/testdata/require"
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

// TestPeer compares the degrees of one query of each shape on FB15k-237 with the implementation that
// the semantics was measured with. That one leaves out the observed links of entities that are not
// among the K best.
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
		require.NoError(t, err)
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
	model := realModel(t)
	dec := json.NewDecoder(bytes.NewReader(out))
	for _, q := range queries {
		var want struct {
			IDs     []int32
			Degrees []float64
		}
		require.NoError(t, dec.Decode(&want))
		degrees := make([]float64, model.NumEntities())
		for i, e := range want.IDs {
			degrees[e] = want.Degrees[i]
		}
		comparePeer(t, model, q, degrees)
	}
}

// comparePeer compares the degrees of a query; want has length n.
func comparePeer(t *testing.T, m *runtime.Model, q shared.Query, want []float64) {
	t.Helper()
	p, b := realQuery(t, m, q, compiler.Options{})
	alone := *p.Spec().Parts[0].Plan
	run := alone.Run
	alone.Run = func(w *plan.Workspace) error {
		fit.RowsAlone(w.Degrees())
		return run(w)
	}
	var err error
	p.Question, err = m.Bind(byslot.Spec("", &alone, nil))
	require.NoError(t, err)
	d := model.Degrees{Candidates: candidates, Negation: 3, Threshold: 0.0002, Temperature: 1, Leaf: 0.01}
	wrong := 0
	for i, got := range scores(t, p, b, d) {
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
		t.Errorf("%s: %d entities differ; plan\n%s", q.Type, wrong, p.Compiled().Optimized)
	}
}
