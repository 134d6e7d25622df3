package device

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/require"
)

// truthPlan is r1(s1,e1) & r2(e1,f) by truth degrees.
var truthPlan = &Plan{
	ABI: ABI, Name: "truth", Shape: "r1(s1,e1) & r2(e1,f)", Semantics: model.FIT, Constants: 1, Relations: 2,
	Degrees: &Degrees{
		Lists: []int{5, 1},
		Ops: []DegreeOp{
			{Name: "row", Rows: true}, {Name: "dense", Space: VectorSpace, Args: []int{0}}, {Name: "best", Space: CandidatesSpace, Args: []int{0}, Values: 1},
			{Name: "rows", Space: RowsSpace, Args: []int{2}, Rel: 1, Rows: true}, {Name: "push", Args: []int{0, 3}}, {Name: "dense", Space: VectorSpace, Args: []int{4}},
		},
	},
}

// TestDegreeLaunches checks how the ops of truth degrees are launched, and that other
// numbers of candidates have launches of their own.
func TestDegreeLaunches(t *testing.T) {
	d, f := openFake(t)
	m, q := loaded(t, d, truthPlan)
	b := scq.Bindings{Constants: []model.EntityID{7}, Relations: []model.RelationID{2, 1}}
	for i, candidates := range []int{3, 5, 3} {
		s := model.DefaultSettings()
		s.Degrees = model.DefaultDegrees()
		s.Degrees.Candidates = candidates
		before := len(f.sequence)
		got, err := q.Top(context.Background(), []scq.Bindings{b, b, b}, s, 2, 1)
		if err != nil || len(got) != 3 {
			t.Fatalf("%d rankings, %v", len(got), err)
		}
		if made := len(f.sequence) - before; made != []int{1, 1, 0}[i] {
			t.Errorf("%d candidates: %d recordings were made", candidates, made)
		}
	}
	var launches []string
	for _, l := range f.sequence[0].Launches {
		if l.Module == nil {
			t.Errorf("%s is of no module", l.Kernel)
		}
		launches = append(launches, fmt.Sprint(strings.TrimPrefix(l.Kernel, "efoc_fit_"), l.Grid[0], l.Grid[1], l.Grid[2]))
	}
	// One block for each entity's row, all for one branch; the ranking has two lists.
	want := []string{
		"project_f321 1 1", "scores_f322 1 1", "degrees1 1 1", "dense1 1 1", "best1 1 1",
		"project_f323 1 1", "scores_f322 1 1", "degrees3 1 1", "push1 1 1", "dense1 1 1", "top1 1 2",
	}
	if fmt.Sprint(launches) != fmt.Sprint(want) {
		t.Errorf("launches are %v, want %v", launches, want)
	}
	if f.modules != 1 {
		t.Errorf("%d modules are loaded, want 1", f.modules)
	}
	got, err := q.Top(context.Background(), []scq.Bindings{b}, model.DefaultSettings(), 2, 0)
	last := f.sequence[len(f.sequence)-1].Launches
	if ranking := last[len(last)-1].Grid; err != nil || len(got[0].Sets) != 1 || ranking != [3]int{1, 1, 1} {
		t.Errorf("without fuzzy sets %d are returned, and a ranking has the grid %v (%v)", len(got[0].Sets), ranking, err)
	}
	if err := m.Close(); err != nil || f.modules != 0 || len(f.held) != 0 {
		t.Errorf("after closing there are %d modules and %d blocks, error %v", f.modules, len(f.held), err)
	}
}

// TestDegreeMemory checks that what candidates take is known before it is taken.
func TestDegreeMemory(t *testing.T) {
	d, f := openFake(t)
	m, err := d.Load(testModel(t, model.Float32))
	require.NoError(t, err)
	defer m.Close()
	q, err := m.Query(truthPlan)
	require.NoError(t, err)
	f.free = 1000
	held := len(f.held)
	_, err = q.Top(context.Background(), []scq.Bindings{{Constants: []model.EntityID{7}, Relations: []model.RelationID{2, 1}}}, model.DefaultSettings(), 2, 0)
	const want = "by fit with 8 candidates takes 1 MiB on the device, which has 0 MiB free: ask with fewer candidates"
	if err == nil || !strings.Contains(err.Error(), want) || len(f.held) != held {
		t.Errorf("%d blocks were taken; the error is %v, want %s", len(f.held)-held, err, want)
	}
}

// TestLayout checks bounds of what a cutset takes, for graphs whose exact answers no memory
// holds too, and that values which live together are apart.
func TestLayout(t *testing.T) {
	ops := []DegreeOp{{Name: "row", Rows: true}, {Name: "root", Space: BranchesSpace}}
	last := 1
	for range 4 {
		n := len(ops)
		ops = append(ops, DegreeOp{Name: "values", Space: CandidatesSpace, Args: []int{0}, Values: 16}, DegreeOp{Name: "branch", Space: BranchesSpace, Args: []int{0, n, last}},
			DegreeOp{Name: "rows", Space: RowsSpace, Args: []int{n}, Rows: true}, DegreeOp{Name: "each", Args: []int{n + 1, n + 2}}, DegreeOp{Name: "times", Args: []int{n + 3, 0}})
		last = n + 1
	}
	ops = append(ops, DegreeOp{Name: "join", Args: []int{len(ops) - 1, last}, Joins: true}, DegreeOp{Name: "dense", Space: VectorSpace, Args: []int{len(ops)}})
	p := &Degrees{Ops: ops, Lists: []int{len(ops) - 1}}
	bounded, err := newLayout(p, 100000, 8, none, 0)
	require.NoError(t, err)
	for i, want := range map[int]int64{2: 128, 3: 128, 8: 512, 18: 512} {
		if got := bounded.values[i].most; got != want {
			t.Errorf("op %d, %s, has %d at most, want %d", i, ops[i].Name, got, want)
		}
	}
	exact, err := newLayout(p, 100000, 100000, none, 0)
	require.NoError(t, err)
	total := int64(0)
	for _, bytes := range exact.regions {
		if total += bytes; bytes < 0 || total < 0 {
			t.Fatal("the bytes overflow")
		}
	}
	if total < 1<<50 {
		t.Errorf("the exact method takes %d bytes", total)
	}
	used := map[int]int{} // ops by region, until they are read last
	for i, o := range ops {
		for _, a := range o.Args {
			if v := bounded.values[a]; v.degrees() && used[v.region] != a {
				t.Errorf("op %d reads op %d, whose place op %d has", i, a, used[v.region])
			}
		}
		if v := bounded.values[i]; v.degrees() {
			used[v.region] = i
		}
	}
	if len(used) > 8 { // of 14 values
		t.Errorf("%d regions hold degrees", len(used))
	}
}

// TestLayoutErrors checks what is said of plans that cannot have been generated.
func TestLayoutErrors(t *testing.T) {
	for _, c := range []struct {
		p    Degrees
		want string
	}{
		{Degrees{Ops: []DegreeOp{{Name: "peak", Args: []int{0}}}}, "op 0, peak, reads op 0"},
		{Degrees{Ops: []DegreeOp{{Name: "any"}}, Lists: []int{0}}, "op 0 is ranked and no vector"},
	} {
		if _, err := newLayout(&c.p, 10, 2, none, 0); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want %s", err, c.want)
		}
	}
}
