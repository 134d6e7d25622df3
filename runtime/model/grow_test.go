package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/names"
	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/require"
)

// growing returns a model of some entities, the same one with more, and the rows of both.
func growing(t *testing.T, n, more int, dtype, exact table.Type, labels, numbers bool) (small, large *Model, values []float32) {
	t.Helper()
	const rank = 20
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	values = make([]float32, (n+more)*2*rank)
	for i := range values {
		values[i] = float32(rng.NormFloat64())
	}
	var list, labelled []string
	for e := range n + more {
		list, labelled = append(list, fmt.Sprintf("name %d", (e*7)%(n+more))), append(labelled, "")
		if numbers {
			list[e] = fmt.Sprint(e)
		}
		if labels && e < n && e%2 == 0 {
			labelled[e] = fmt.Sprintf("label %d", e%3)
		}
	}
	relations := values[:4*2*rank]
	triples := []graph.Triple{{Head: 0, Relation: 0, Tail: 1}, {Head: 1, Relation: 1, Tail: 2}, {Head: 2, Relation: 0, Tail: 0}}
	of := func(n int) *Model {
		g, err := graph.New(n, 2, triples)
		require.NoError(t, err)
		heldout, err := graph.New(n, 2, triples[:1])
		require.NoError(t, err)
		p := Predictor{Rank: rank, RelationTable: relations}
		p.EntityTable, err = table.Make(slices.Clone(values[:n*2*rank]), 2*rank, dtype, exact)
		require.NoError(t, err)
		entities := names.Numbered("entity", n)
		if !numbers {
			entities, err = names.New("entity", list[:n], labelled[:n])
			require.NoError(t, err)
		}
		m, err := New(Manifest{Settings: DefaultSettings()}, g, heldout, p, entities, names.Numbered("relation", 2))
		require.NoError(t, err)
		return m
	}
	return of(n), of(n + more), values
}

// bytesOf returns the model as a bundle.
func bytesOf(t *testing.T, m *Model) string {
	t.Helper()
	var text strings.Builder
	require.NoError(t, Write(&text, m))
	return text.String()
}

// TestGrown grows models row by row and in parts: the bundle equals the bundle of a model which had
// all entities from the start.
func TestGrown(t *testing.T) {
	for _, c := range []struct {
		name            string
		table, exact    table.Type
		labels, numbers bool
	}{
		{"float32", table.Float32, "", false, false}, {"codes", table.Int8, "", true, false}, {"both", table.Int8, table.Float32, false, true},
		{"int8", table.Int8, table.Float32, true, false}, {"codes alone", table.Int8, "", false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			small, want, rows := growing(t, 40, 25, c.table, c.exact, c.labels, c.numbers)
			before, width := bytesOf(t, small), want.Predictor.EntityTable.Width()
			m := small
			var snapshots []*Model
			var texts []string
			for _, step := range []int{1, 1, 3, 20} {
				n := m.NumEntities()
				var names []string
				for e := n; e < n+step; e++ {
					names = append(names, want.EntityName(graph.EntityID(e)))
				}
				next, err := m.Grown(names, rows[n*width:(n+step)*width])
				require.NoError(t, err)
				if m.LowBytes(); len(next.LowBytes()) != len(want.LowBytes())*next.NumEntities()/65 {
					t.Fatalf("%d low bytes", len(next.LowBytes()))
				}
				m, snapshots = next, append(snapshots, next)
				texts = append(texts, bytesOf(t, next))
			}
			if bytesOf(t, m) != bytesOf(t, want) {
				t.Error("the bundle is not that of a model made of all rows")
			}
			if !slices.Equal(m.LowBytes(), want.LowBytes()) {
				t.Error("low bytes differ")
			}
			// A second future of the first snapshot leaves the other alone.
			if _, err := snapshots[0].Grown([]string{"another"}, make([]float32, width)); err != nil {
				t.Fatal(err)
			}
			for i, s := range snapshots {
				if bytesOf(t, s) != texts[i] {
					t.Errorf("snapshot %d changed", i)
				}
			}
			if bytesOf(t, small) != before {
				t.Error("the first model changed")
			}
			for e := range graph.EntityID(m.NumEntities()) {
				if id, err := m.Entity(m.EntityName(e)); err != nil || id != graph.EntityOf(e) {
					t.Errorf("entity %d %q is found as %v, %v", e, m.EntityName(e), id, err)
				}
			}
		})
	}
}

// TestLent lends a model with one new row after another, two at once among them. Each equals the model that Grown makes;
// those after the first are in the same memory if they were given back, and leave the model alone.
func TestLent(t *testing.T) {
	for _, exact := range []table.Type{table.Float32, ""} {
		m, _, rows := growing(t, 40, 5, table.Int8, exact, true, false)
		width := m.Predictor.EntityTable.Width()
		before := bytesOf(t, m)
		lend := func(from, k int) *Model {
			t.Helper()
			var names []string
			for i := range k {
				names = append(names, fmt.Sprintf("new %d", i))
			}
			values := rows[(40+from)*width : (40+from+k)*width]
			lent, err := m.Lent(names, values)
			require.NoError(t, err)
			grown, err := m.Grown(names, values)
			require.NoError(t, err)
			residual, norm := lent.Predictor.EntityTable.CodesOff()
			if r, n := grown.Predictor.EntityTable.CodesOff(); bytesOf(t, lent) != bytesOf(t, grown) || residual != r || norm != n {
				t.Errorf("%d rows from %d on differ from those of Grown", k, from)
			}
			if !slices.Equal(lent.LowBytes(), grown.LowBytes()) {
				t.Errorf("low bytes of %d rows from %d on differ from those of Grown", k, from)
			}
			return lent
		}
		again := 0
		for i := range 40 { // the pool forgets some under the race detector
			first := lend(i%3, 1+i%2)
			second := lend((i+1)%3, 2)
			text := bytesOf(t, first)
			second.GiveBack()
			third := lend((i+2)%3, 1)
			if bytesOf(t, first) != text {
				t.Fatal("a lent model changed")
			}
			if &third.Predictor.EntityNorms[0] == &second.Predictor.EntityNorms[0] {
				again++
			}
			first.GiveBack()
			third.GiveBack()
		}
		if again == 0 {
			t.Error("no memory is used again")
		}
		grown, err := m.Grown([]string{"another"}, rows[:width])
		require.NoError(t, err)
		grown.GiveBack() // nothing
		if bytesOf(t, m) != before {
			t.Error("the model changed")
		}
	}
}

func TestGrownErrors(t *testing.T) {
	m, _, rows := growing(t, 5, 1, table.Int8, table.Float32, true, false)
	width := m.Predictor.EntityTable.Width()
	huge := slices.Repeat([]float32{1e30}, width)
	for _, c := range []struct {
		want  string
		names []string
		rows  []float32
	}{
		{"0 numbers for 0 new entities", nil, nil},
		{"want 40 for each", []string{"x"}, rows[:width-1]},
		{"is there already", []string{"name 0"}, rows[:width]},
		{`both named "x"`, []string{"x", "x"}, rows[:2*width]},
		{"control characters", []string{"x\n"}, rows[:width]},
		{"is empty", []string{""}, rows[:width]},
		{"new row 0 has length", []string{"x"}, huge},
		{"want a finite number", []string{"x"}, slices.Repeat([]float32{float32(math.NaN())}, width)},
	} {
		if _, err := m.Grown(c.names, c.rows); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error is %v, want %q", err, c.want)
		}
	}
	require.NoError(t, m.Close())
	if _, err := m.Grown([]string{"x"}, rows[:width]); err != ErrClosed {
		t.Errorf("error is %v", err)
	}
}

// TestGrownNumbers gives a name to an entity beside others that are numbers.
func TestGrownNumbers(t *testing.T) {
	m, _, rows := growing(t, 5, 1, table.Float32, "", false, true)
	m, err := m.Grown([]string{"seven"}, rows[:m.Predictor.EntityTable.Width()])
	require.NoError(t, err)
	for id, name := range []string{"0", "1", "2", "3", "4", "seven"} {
		if e, err := m.Entity(name); err != nil || e != graph.EntityOf(graph.EntityID(id)) || m.EntityName(graph.EntityID(id)) != name {
			t.Errorf("%q is %v, %v", name, e, err)
		}
	}
}
