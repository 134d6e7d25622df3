package model_test

import (
	"runtime/debug"
	"testing"

	"github.com/efoc/efoc/runtime/internal/damage"
	"github.com/efoc/efoc/runtime/model"
)

// FuzzOpenBytes opens damaged bundles. table says which one, and part and script how.
func FuzzOpenBytes(f *testing.F) {
	debug.SetGCPercent(1000) // what is kept is next to nothing
	var bundles []*bundleParts
	for i, of := range craftedTables {
		b := crafted(f, of[0], of[1])
		if i > 0 { // one has all parts, and the others are quick
			b.Lean()
		}
		if _, err := model.OpenBytes("seed", b.Seal()); err != nil {
			f.Fatal(err)
		}
		b.Text = object(append(b.Manifest, field{Key: "checksums", Value: object(b.Sums())}))
		bundles = append(bundles, b)
		for part := range uint8(6) {
			f.Add(uint8(i), part, []byte{})
			f.Add(uint8(i), part, []byte{1, 250, 2, 7, 0, 0, 5, 255, 3, 0, 0, 1})
		}
	}
	f.Fuzz(func(t *testing.T, table, part uint8, script []byte) {
		if len(script) > damage.MaxScript {
			return
		}
		if m, err := model.OpenBytes("fuzz", bundles[int(table)%len(bundles)].Damaged(part, script)); err == nil {
			useModel(t, m)
		}
	})
}

// useModel reads everything that an opened model offers.
func useModel(t *testing.T, m *model.Model) {
	t.Helper()
	for _, g := range []*model.Graph{m.Graph, m.Heldout} {
		if g == nil {
			continue
		}
		for r := range model.RelationID(g.NumRelations()) {
			heads, tails := g.Edges(r)
			for i := range heads {
				if !g.Has(model.EntityID(heads[i]), r, model.EntityID(tails[i])) || !g.Has(model.EntityID(tails[i]), r.Inverse(), model.EntityID(heads[i])) {
					t.Fatalf("edge %d of relation %d is not found", i, r)
				}
			}
		}
	}
	for e := range model.EntityID(min(m.NumEntities(), 1000)) {
		if id, err := m.Entity(m.EntityName(e)); err != nil || id.ID() != e || len(m.Predictor.EntityTable.Row(e, nil)) != 2*m.Predictor.Rank {
			t.Fatalf("entity %d is found as %d, %v", e, id, err)
		}
		m.EntityLabel(e)
	}
	m.NearestEntities("Ada", 3)
}
