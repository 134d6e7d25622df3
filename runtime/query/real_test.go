package query_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/importer"
	"github.com/efoc/efoc/runtime/query"
	"github.com/efoc/efoc/runtime/scq"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/shared"
)

// importReal imports one of the real knowledge graphs, with its validation
// facts held out, and returns the path of the bundle.
func importReal(tb testing.TB, kg, checkpoint, heldout string) string {
	tb.Helper()
	dir := shared.Dir(tb, "data", kg)
	out := filepath.Join(tb.TempDir(), kg+".efoc")
	_, err := importer.Import(context.Background(), importer.Options{
		Graph: dir, Checkpoint: filepath.Join(dir, checkpoint), Heldout: filepath.Join(dir, heldout), Output: out,
	})
	require.NoError(tb, err)
	return out
}

// openReal opens a bundle for the time of the test.
func openReal(tb testing.TB, path string) *query.Model {
	tb.Helper()
	m, err := query.Open(path)
	require.NoError(tb, err)
	tb.Cleanup(func() {
		if err := m.Close(); err != nil {
			tb.Error(err)
		}
	})
	return m
}

// TestFB15k237 checks the import of a PyTorch file and named triples.
func TestFB15k237(t *testing.T) {
	m := openReal(t, importReal(t, "fb15k-237", "complex256.pt", "valid.tsv"))
	mf := m.Manifest
	if mf.Entities != 14505 || mf.Relations != 237 || mf.Rank != 256 || mf.Triples != 272115 || mf.Heldout != 17526 || !mf.Reciprocal || mf.Visible != "train" || len(mf.Sources) != 5 {
		t.Errorf("manifest is %+v", mf)
	}
	// The storages lie in the archive as they are: look for the first row of
	// each, and compare others by their distance from it.
	raw, err := os.ReadFile(shared.Dir(t, "data", "fb15k-237", "complex256.pt"))
	require.NoError(t, err)
	checkRows(t, raw, m.Predictor.EntityTable.Float32s(), 512)
	checkRows(t, raw, m.Predictor.RelationTable, 512)

	if e, err := m.Entity("Dominican Republic"); err != nil || m.EntityName(e.ID()) != "/m/027rn" {
		t.Errorf("Dominican Republic is %d, %v", e, err)
	}
	if _, err := m.Entity("Domincan Republic"); err == nil || !strings.Contains(err.Error(), `"Dominican Republic"`) {
		t.Errorf("error is %v", err)
	}
	r, err := m.Relation("/location/country/form_of_government")
	if err != nil || r.ID() != 0 || !m.Graph.Has(0, r.ID(), 1) || !m.Graph.Has(1, r.ID().Inverse(), 0) {
		t.Errorf("relation is %d, %v", r, err)
	}
	ambiguous := map[string]bool{}
	for e := range model.EntityID(m.NumEntities()) {
		if _, err := m.Entity(m.EntityName(e)); err != nil {
			t.Fatal(err)
		}
		if _, err := m.Entity(m.EntityLabel(e)); err != nil {
			ambiguous[m.EntityLabel(e)] = true
		}
	}
	if len(ambiguous) != 216 {
		t.Errorf("%d labels are ambiguous, want 216", len(ambiguous))
	}
	checkHolds(t, m, shared.Queries(t, shared.Dir(t, "data", "fb15k-237", "queries-dev.jsonl")))
}

// checkRows looks for the first row of a float32 table in the raw bytes and
// compares the others with what follows it there.
func checkRows(t *testing.T, raw []byte, table []float32, width int) {
	t.Helper()
	var first []byte
	for _, v := range table[:width] {
		first = binary.LittleEndian.AppendUint32(first, math.Float32bits(v))
	}
	at := bytes.Index(raw, first)
	if at < 0 {
		t.Fatal("first row is not in the file")
	}
	for i, v := range table {
		if got := math.Float32frombits(binary.LittleEndian.Uint32(raw[at+4*i:])); got != v {
			t.Fatalf("number %d is %v, the file has %v", i, v, got)
		}
	}
}

// TestNELL995 checks the import of a float16 safetensors file and of a BetaE
// folder.
func TestNELL995(t *testing.T) {
	long.Need(t, "it imports a large model")
	m := openReal(t, importReal(t, "nell995", "complex256.safetensors", "valid.txt"))
	mf := m.Manifest
	if mf.Entities != 63361 || mf.Relations != 200 || mf.Rank != 256 || mf.Triples != 114213 || mf.Heldout != 14324 || !m.Entities.Numbered() {
		t.Errorf("manifest is %+v", mf)
	}
	raw, err := os.ReadFile(shared.Dir(t, "data", "nell995", "complex256.safetensors"))
	require.NoError(t, err)
	start := 8 + int(binary.LittleEndian.Uint64(raw))
	for _, row := range []int{0, 1, 63360, 63361, 63361 + 399} {
		got := m.Predictor.EntityTable.Float32s()
		at := row
		if row >= 63361 {
			got, at = m.Predictor.RelationTable, row-63361
		}
		for k := range 512 {
			want := halfValue(binary.LittleEndian.Uint16(raw[start+2*(512*row+k):]))
			if v := got[512*at+k]; float64(v) != want {
				t.Fatalf("row %d column %d is %v, want %v", row, k, v, want)
			}
		}
	}
	if e, err := m.Entity("63360"); err != nil || e.ID() != 63360 {
		t.Errorf("got %d, %v", e, err)
	}
	checkHolds(t, m, shared.Queries(t, shared.Dir(t, "data", "nell995", "queries-dev.jsonl")))
}

// halfValue is an IEEE 754 binary16 by its definition.
func halfValue(h uint16) float64 {
	v := float64(h & 1023)
	if e := int(h>>10) & 31; e == 0 {
		v = math.Ldexp(v, -24)
	} else {
		v = math.Ldexp(v+1024, e-25)
	}
	if h>>15 == 1 {
		return -v
	}
	return v
}

// shapeAtoms are the disjuncts of the benchmark shapes.
var shapeAtoms = map[string][]string{
	"1p":  {"r1(s1,f)"},
	"2p":  {"r1(s1,e1) r2(e1,f)"},
	"3p":  {"r1(s1,e1) r2(e1,e2) r3(e2,f)"},
	"2i":  {"r1(s1,f) r2(s2,f)"},
	"3i":  {"r1(s1,f) r2(s2,f) r3(s3,f)"},
	"pi":  {"r1(s1,e1) r2(e1,f) r3(s2,f)"},
	"ip":  {"r1(s1,e1) r2(s2,e1) r3(e1,f)"},
	"2in": {"r1(s1,f) !r2(s2,f)"},
	"3in": {"r1(s1,f) r2(s2,f) !r3(s3,f)"},
	"inp": {"r1(s1,e1) !r2(s2,e1) r3(e1,f)"},
	"pin": {"r1(s1,e1) r2(e1,f) !r3(s2,f)"},
	"pni": {"r1(s1,e1) !r2(e1,f) r3(s2,f)"},
	"2u":  {"r1(s1,f)", "r2(s2,f)"},
	"up":  {"r1(s1,e1) r3(e1,f)", "r2(s2,e1) r3(e1,f)"},
	"2il": {"r1(s1,f) r2(e1,f)"},
	"3il": {"r1(s1,f) r2(s2,f) r3(e1,f)"},
	"2m":  {"r1(s1,e1) r2(e1,f) r3(e1,f)"},
	"2nm": {"r1(s1,e1) r2(e1,f) !r3(e1,f)"},
	"3mp": {"r1(s1,e1) r2(e1,e2) r3(e1,e2) r4(e2,f)"},
	"3pm": {"r1(s1,e1) r2(e1,e2) r3(e2,f) r4(e2,f)"},
	"im":  {"r1(s1,e1) r2(s2,e1) r3(e1,f) r4(e1,f)"},
	"3c":  {"r1(s1,e1) r2(e1,f) r3(s2,e2) r4(e2,f) r5(e1,e2)"},
	"3cm": {"r1(s1,e1) r2(e1,f) r3(s2,e2) r4(e2,f) r5(e1,e2) r6(e1,f)"},
}

// parseAtoms reads a line of shapeAtoms; constant slot i is s(i+1), relation
// slot i is r(i+1), variable i is e(i), and variable 0 is f.
func parseAtoms(text string) *scq.Graph {
	p := &scq.Graph{Variables: []string{"f"}}
	term := func(name string) scq.Term {
		switch i := number(name); name[0] {
		case 's':
			return scq.Const(i - 1)
		case 'e':
			if i == len(p.Variables) {
				p.Variables = append(p.Variables, name)
			}
			return scq.Var(i)
		}
		return scq.Var(0)
	}
	for _, atom := range strings.Fields(text) {
		name, ends, _ := strings.Cut(strings.TrimSuffix(atom, ")"), "(")
		head, tail, _ := strings.Cut(ends, ",")
		p.Atoms = append(p.Atoms, scq.Atom{
			Relation: number(strings.TrimPrefix(name, "!")) - 1,
			Head:     term(head),
			Tail:     term(tail),
			Negated:  name[0] == '!',
		})
	}
	return p
}

// number returns the number behind the first letter of a name.
func number(name string) int {
	n, _ := strconv.Atoi(name[1:])
	return n
}

// checkHolds compares Holds with answers that another program computed: on the
// visible and the held-out facts every easy answer holds and no hard one.
func checkHolds(t *testing.T, m *query.Model, queries []shared.Query) {
	t.Helper()
	const sample = 230
	graphs := []*model.Graph{m.Graph, m.Heldout}
	seen := map[string]int{}
	for i := 0; i < len(queries); i += max(1, len(queries)/sample) {
		q := queries[i]
		seen[q.Type]++
		var b scq.Bindings
		for i := 1; i <= 6; i++ {
			if id, ok := q.Slots["s"+strconv.Itoa(i)]; ok {
				b.Constants = append(b.Constants, model.EntityID(id))
			}
			if id, ok := q.Slots["r"+strconv.Itoa(i)]; ok {
				b.Relations = append(b.Relations, model.RelationID(id))
			}
		}
		holds := func(e int32) bool {
			any := false
			for _, text := range shapeAtoms[q.Type] {
				yes, complete := scq.Holds(graphs, parseAtoms(text), b, model.EntityID(e), 1_000_000)
				if !complete {
					t.Errorf("query %d (%s): entity %d exceeds the budget", i, q.Type, e)
				}
				any = any || yes
			}
			return any
		}
		for _, e := range q.Easy {
			if !holds(e) {
				t.Errorf("query %d (%s): easy answer %d does not hold", i, q.Type, e)
			}
		}
		for _, e := range q.Hard {
			if holds(e) {
				t.Errorf("query %d (%s): hard answer %d holds", i, q.Type, e)
			}
		}
		// What is neither must not hold either.
		for e := int32(i % 97); int(e) < m.NumEntities(); e += 1009 {
			if !slices.Contains(q.Easy, e) && !slices.Contains(q.Hard, e) && holds(e) {
				t.Errorf("query %d (%s): %d holds and is no answer", i, q.Type, e)
			}
		}
	}
	if len(seen) < 13 {
		t.Errorf("shapes seen: %v", seen)
	}
}

// BenchmarkOpen opens and closes a bundle, all checks included.
func BenchmarkOpen(b *testing.B) {
	for _, kg := range []struct{ name, checkpoint, heldout string }{
		{"fb15k-237", "complex256.pt", "valid.tsv"},
		{"nell995", "complex256.safetensors", "valid.txt"},
	} {
		b.Run(kg.name, func(b *testing.B) {
			path := importReal(b, kg.name, kg.checkpoint, kg.heldout)
			info, err := os.Stat(path)
			require.NoError(b, err)
			b.SetBytes(info.Size())
			b.ResetTimer()
			for range b.N {
				m, err := query.Open(path)
				require.NoError(b, err)
				require.NoError(b, m.Close())
			}
		})
	}
}

// BenchmarkNearestEntities looks for a misspelt label among the real ones.
func BenchmarkNearestEntities(b *testing.B) {
	m := openReal(b, importReal(b, "fb15k-237", "complex256.pt", "valid.tsv"))
	b.ResetTimer()
	for range b.N {
		m.NearestEntities("Domincan Republic", 5)
	}
}
