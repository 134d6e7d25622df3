package importer

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/shared"
)

// TestImportFIT imports the folder of FIT, whose files are cumulative. The
// other real inputs are imported by the tests of package runtime.
func TestImportFIT(t *testing.T) {
	dir := shared.Dir(t, "data", "fb15k-237-efo1")
	m, err := importRing(t, Options{
		Graph:      dir,
		Heldout:    filepath.Join(dir, "valid_kg.tsv"),
		Entities:   shared.Dir(t, "data", "fb15k-237", "entities.tsv"),
		Checkpoint: shared.Dir(t, "data", "fb15k-237", "complex256.pt"),
	})
	if err != nil {
		t.Fatal(err)
	}
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
	for _, kg := range []struct{ name, checkpoint string }{
		{"fb15k-237", "complex256.pt"},
		{"nell995", "complex256.safetensors"},
	} {
		dir := shared.Dir(t, "data", kg.name)
		for _, stated := range []Layout{{Parts: Interleaved}, {Inverse: Offset}, {Interleaved, Offset}} {
			_, err := importRing(t, Options{Graph: dir, Checkpoint: filepath.Join(dir, kg.checkpoint), Layout: stated})
			if err == nil || !strings.Contains(err.Error(), "read as "+Layout{Halves, XOR}.String()+", in 99") {
				t.Errorf("%s read as %v: error is %v", kg.name, stated, err)
			}
		}
	}
}

// TestRealCancel ends an import while it writes.
func TestRealCancel(t *testing.T) {
	dir := shared.Dir(t, "data", "fb15k-237")
	out := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	halfway := false
	_, err := Import(ctx, Options{
		Graph: dir, Checkpoint: filepath.Join(dir, "complex256.pt"), Output: filepath.Join(out, "x.efoc"),
		Progress: func(stage string, done, total int64) {
			if stage == StageWrite && done > total/2 {
				halfway = true
				cancel()
			}
		},
	})
	if left, _ := os.ReadDir(out); !errors.Is(err, context.Canceled) || len(left) != 0 || !halfway {
		t.Errorf("error is %v, left %v, reached half %v", err, left, halfway)
	}
}
