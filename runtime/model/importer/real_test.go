package importer

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/long"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/shared"
)

// TestImportFIT imports the folder of FIT, whose files are cumulative. The
// other real inputs are imported by the tests of package runtime.
func TestImportFIT(t *testing.T) {
	dir := shared.Dir(t, "data", "fb15k-237-efo1")
	m, err := importRing(t, Options{
		Graph:       dir,
		Heldout:     filepath.Join(dir, "valid_kg.tsv"),
		Entities:    shared.Dir(t, "data", "fb15k-237", "entities.tsv"),
		Checkpoints: []string{shared.Dir(t, "data", "fb15k-237", "complex256.pt")},
	})
	require.NoError(t, err)
	if f := m.Manifest; f.Triples != 272115 || f.Heldout != 17526 || f.Visible != "train_kg" || f.Relations != 237 {
		t.Errorf("manifest is %+v", f)
	}
	if m.RelationName(0) != "/location/country/form_of_government" || m.EntityLabel(0) != "Dominican Republic" {
		t.Errorf("names are %q, %q", m.RelationName(0), m.EntityLabel(0))
	}
}

// TestRealLayout reads a trained model in wrong ways. A wrong pairing of parts
// still prefers most observed triples, and must be refused all the same.
func TestRealLayout(t *testing.T) {
	type graph struct{ name, checkpoint string }
	graphs := []graph{{"fb15k-237", "complex256.pt"}, {"nell995", "complex256.safetensors"}}
	for _, kg := range long.Or(graphs, graphs[:1]) {
		dir := shared.Dir(t, "data", kg.name)
		wrong := []Layout{{partsInterleaved, inverseOffset}, {Parts: partsInterleaved}, {Inverse: inverseOffset}}
		for _, stated := range long.Or(wrong, wrong[:1]) {
			_, err := importRing(t, Options{Graph: dir, Checkpoints: []string{filepath.Join(dir, kg.checkpoint)}, Layout: stated})
			if err == nil || !strings.Contains(err.Error(), "read as "+Layout{partsHalves, inverseXOR}.String()+", in 99") {
				t.Errorf("%s read as %v: error is %v", kg.name, stated, err)
			}
		}
	}
}

// trainedTables reads the tables of the model of FB15k-237.
func trainedTables(t *testing.T, dir string) (entities, relations []float32, width int) {
	t.Helper()
	list, err := readAll([]byte(readFile(t, dir, "complex256.pt")))
	require.NoError(t, err)
	var tables [2][]float32
	for i, tensor := range list {
		tables[i] = make([]float32, tensor.Shape[0]*tensor.Shape[1])
		require.NoError(t, decodeRow(tables[i], tensor.Data, tensor.DType))
	}
	return tables[0], tables[1], list[0].Shape[1]
}

// TestDetectRealLayout writes the trained model in every arrangement that other
// trainers use and imports it without a hint.
func TestDetectRealLayout(t *testing.T) {
	long.Need(t, "it imports a large model six times")
	dir := shared.Dir(t, "data", "fb15k-237")
	entities, relations, width := trainedTables(t, dir)
	for _, parts := range []Parts{partsHalves, partsInterleaved} {
		for _, inverse := range []Inverse{inverseXOR, inverseOffset, inverseNone} {
			e, r := entities, relations
			if inverse != inverseXOR {
				r = offsetInverses(r, width)
			}
			if inverse == inverseNone {
				r = r[:len(r)/2]
			}
			if parts == partsInterleaved {
				e, r = interleave(e, width), interleave(r, width)
			}
			var notes []string
			m, err := importRing(t, Options{
				Graph: dir, Checkpoints: []string{writeTables(t, t.TempDir(), "c.safetensors", e, r, width)},
				Note: func(text string) { notes = append(notes, text) },
			})
			if err != nil {
				t.Errorf("%s, %s: %v", parts, inverse, err)
				continue
			}
			want := "embeddings read as " + Layout{parts, inverse}.String() + ": observed triples win"
			if len(notes) != 1 || !strings.HasPrefix(notes[0], want) || strings.Contains(notes[0], "too close") {
				t.Errorf("%s, %s: notes are %q", parts, inverse, notes)
			}
			if !slices.Equal(m.Predictor.EntityTable.Float32s(), entities) {
				t.Errorf("%s, %s: entities differ", parts, inverse)
			}
			for row := range m.NumRelations() {
				got, direct := m.Predictor.Relation(graph.RelationID(row)), relations[row*width:(row+1)*width]
				if (inverse != inverseNone || row%2 == 0) && !slices.Equal(got, direct) {
					t.Fatalf("%s, %s: relation %d differs", parts, inverse, row)
				}
			}
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
