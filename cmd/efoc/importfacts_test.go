package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model"
)

// TestImportBundle makes models of the world's embeddings and other facts: names, table and
// settings are the world's, the facts are those given, and the world's own facts make a
// model that answers as the world does.
func TestImportBundle(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	world := worldCopy(t)
	facts := write(t, at("new.tsv"), "Brazil\tborders\tPeru\nPeru\tofficial_language\tSpanish\n")
	efoc(t, "import", facts, "-c", world, "-o", at("new.efoc")).want(t, statusOK, "2 facts and 0 held back", "")
	old, made := must(model.Open(world)), must(model.Open(at("new.efoc")))
	defer old.Close()
	defer made.Close()
	tail := must(made.Entity("Peru"))
	if !made.Graph.Has(must(made.Entity("Brazil")).ID(), must(made.Relation("borders")).ID(), tail.ID()) || made.Graph.NumTriples() != 2 || made.Heldout != nil {
		t.Errorf("it has %d facts", made.Graph.NumTriples())
	}
	row := func(m *model.Model) []float32 { return m.Predictor.EntityTable.Row(tail.ID(), nil) }
	if made.Manifest.Table != old.Manifest.Table || made.Manifest.Exact != old.Manifest.Exact || made.Manifest.Settings != old.Manifest.Settings ||
		made.Manifest.Confidence != nil || !slices.Equal(row(made), row(old)) || made.EntityLabel(tail.ID()) != old.EntityLabel(tail.ID()) {
		t.Errorf("the model is another than the world with other facts: %+v", made.Manifest)
	}
	graph := filepath.Join("..", "..", "testdata", "world")
	efoc(t, "import", graph, "-c", world, "-o", at("again.efoc"), "--no-calibration").want(t, statusOK, "wrote", "")
	const question = `exists x. borders("France", x) & official_language(x, y) & !official_language("France", y)`
	ask := func(m string) string {
		return efoc(t, "ask", "-m", m, "--semantics", "nsmp", "--format", "tsv", "-k", "5", question).stdout
	}
	again := must(model.Open(at("again.efoc")))
	defer again.Close()
	if a, b := ask(world), ask(at("again.efoc")); again.Graph.NumTriples() != old.Graph.NumTriples() || len(a) == 0 || firstColumns(a) != firstColumns(b) {
		t.Errorf("%d facts, want %d; answers\n%swant\n%s", again.Graph.NumTriples(), old.Graph.NumTriples(), b, a)
	}
}

// firstColumns returns the ranks and names of answers: without confidence, which the one has
// and the other has not.
func firstColumns(text string) (names string) {
	for line := range strings.Lines(text) {
		names += strings.Join(strings.SplitN(line, "\t", 3)[:2], " ") + "\n"
	}
	return names
}
