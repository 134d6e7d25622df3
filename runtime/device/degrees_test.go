package device

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/kernels/cuda"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/require"
)

// truthPlan is r1(s1,e1) & r2(e1,f) by truth degrees.
var truthPlan = &Kernels{
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
	b := scq.Bindings{Constants: []graph.EntityID{7}, Relations: []graph.RelationID{2, 1}}
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
	// Degrees have a block for each row of a query, of which there are 16; products have one for 128 rows of any of
	// them. The ranking has two lists.
	want := []string{
		"pack [1 1 16]", "products [1 1 1]", "stats [1 1 16]", "degrees [1 1 16]", "dense [1 1 16]", "best [1 1 16]",
		"pack [3 1 16]", "products [1 1 1]", "stats [1 3 16]", "degrees [1 3 16]", "push [1 1 16]", "dense [1 1 16]", "top [1 16 2]",
	}
	checkLaunches(t, f.sequence[0], want)
	if f.modules != 2 {
		t.Errorf("%d modules are loaded, want those of truth degrees and of the table", f.modules)
	}
	got, err := q.Top(context.Background(), []scq.Bindings{b}, model.DefaultSettings(), 2, 0)
	last := f.sequence[len(f.sequence)-1].Launches
	if ranking := last[len(last)-1].Grid; err != nil || len(got[0].Sets) != 1 || ranking != [3]int{1, 1, 1} {
		t.Errorf("without fuzzy sets %d are returned, and a ranking has the grid %v (%v)", len(got[0].Sets), ranking, err)
	}
	if err := m.Close(); err != nil || f.modules != 1 || len(f.held) != 0 {
		t.Errorf("after closing there are %d modules, want that of the table, and %d blocks, error %v", f.modules, len(f.held), err)
	}
}

func checkLaunches(t *testing.T, s cuda.Sequence, want []string) {
	t.Helper()
	var launches []string
	for _, l := range s.Launches {
		if l.Module == nil {
			t.Errorf("%s is of no module", l.Kernel)
		}
		launches = append(launches, fmt.Sprint(strings.TrimPrefix(l.Kernel, "efoc_fit_"), " ", l.Grid))
	}
	if !slices.Equal(launches, want) {
		t.Errorf("launches are\n%q\nwant\n%q", launches, want)
	}
}

// TestChoices checks that a choice among many is made in parts, as many as keep all multiprocessors
// busy with the queries of a batch, which chooses among the keys that are left.
func TestChoices(t *testing.T) {
	for _, c := range []struct{ entities, batch, parts, want int64 }{
		{14505, 1, 264, 14}, {14505, 64, 4, 4}, {14505, 256, 1, 1}, {1500, 1, 264, 1}, {10_000_000, 1, 264, 264},
	} {
		l, err := newLayout(truthPlan.Degrees, bounds{entities: c.entities, candidates: 8, batch: c.batch, parts: c.parts, part: 1024})
		require.NoError(t, err)
		if got := l.values[2].parts; got != c.want {
			t.Errorf("a choice among %d entities in a batch of %d has %d parts, want %d", c.entities, c.batch, got, c.want)
		}
	}
	l, err := newLayout(truthPlan.Degrees, bounds{entities: 14505, candidates: 5000, batch: 1, parts: 264, part: 1024})
	require.NoError(t, err)
	if got := l.values[2].parts; got != 1 {
		t.Errorf("a choice of 5000 among 14505 has %d parts, which would keep as many keys as there are", got)
	}
}

// TestExtremes checks that the search for the largest degrees of each set is divided like a choice.
func TestExtremes(t *testing.T) {
	p := &Degrees{Ops: []DegreeOp{{Name: "any"}, {Name: "peak", Args: []int{0}, Extremes: true}}}
	for _, c := range []struct{ entities, parts, want int64 }{{14505, 264, 14}, {14505, 1, 1}, {14505, 0, 1}, {500, 264, 1}, {10_000_000, 264, 264}} {
		l, err := newLayout(p, bounds{entities: c.entities, candidates: 8, batch: 1, parts: c.parts, part: 1024})
		require.NoError(t, err)
		if got := l.values[1].parts; got != c.want || l.room != 16*c.want {
			t.Errorf("a search among %d entities has %d parts, and room of %d bytes, want %d parts of 16", c.entities, got, l.room, c.want)
		}
	}
}

// TestDegreeMemory checks that what candidates take is known before it is taken.
func TestDegreeMemory(t *testing.T) {
	d, f := openFake(t)
	m, err := d.Load(testModel(t, table.Float32))
	require.NoError(t, err)
	defer m.Close()
	q, err := m.Runner(truthPlan)
	require.NoError(t, err)
	f.free = 1000
	held := len(f.held)
	one := []scq.Bindings{{Constants: []graph.EntityID{7}, Relations: []graph.RelationID{2, 1}}}
	_, err = q.Top(context.Background(), one, model.DefaultSettings(), 2, 0)
	const want = "by fit with 8 candidates takes 1 MiB on the device, which has 0 MiB free: ask with fewer candidates"
	if err == nil || !strings.Contains(err.Error(), want) || len(f.held) != held {
		t.Errorf("%d blocks were taken; the error is %v, want %s", len(f.held)-held, err, want)
	}
	// Of a batch of 256 only parts fit: the free memory of the fake does not change.
	f.free = 400_000
	if got, err := q.Top(context.Background(), slices.Repeat(one, 200), model.DefaultSettings(), 2, 0); err != nil || len(got) != 200 {
		t.Errorf("a batch that does not fit: %d rankings, %v", len(got), err)
	}
	if last := f.sequence[len(f.sequence)-1].Launches[0].Grid; last != [3]int{1, 1, 16} {
		t.Errorf("its last part has the grid %v", last)
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
	bounded, err := newLayout(p, bounds{entities: 100000, candidates: 8, batch: 1, parts: 8, part: 1024})
	require.NoError(t, err)
	for i, want := range map[int]int64{2: 128, 3: 128, 8: 512, 18: 512} {
		if got := bounded.values[i].most; got != want {
			t.Errorf("op %d, %s, has %d at most, want %d", i, ops[i].Name, got, want)
		}
	}
	exact, err := newLayout(p, bounds{entities: 100000, candidates: 100000, batch: 1, parts: 8, part: 1024})
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

// TestLayoutErrors checks the errors of plans that cannot have been generated.
func TestLayoutErrors(t *testing.T) {
	for _, c := range []struct {
		p    Degrees
		want string
	}{
		{Degrees{Ops: []DegreeOp{{Name: "peak", Args: []int{0}}}}, "op 0, peak, reads op 0"},
		{Degrees{Ops: []DegreeOp{{Name: "any"}}, Lists: []int{0}}, "op 0 is ranked and no vector"},
	} {
		if _, err := newLayout(&c.p, bounds{entities: 10, candidates: 2, batch: 1, part: 32}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want %s", err, c.want)
		}
	}
}
