package films

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/importer"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/shared"
)

// TestOtherDirectors asks a named question of FB15k-237.
func TestOtherDirectors(t *testing.T) {
	dir := shared.Dir(t, "data", "fb15k-237")
	bundle := filepath.Join(t.TempDir(), "fb15k-237.efoc")
	_, err := importer.Import(context.Background(), importer.Options{
		Graph: dir, Checkpoints: []string{filepath.Join(dir, "complex256.pt")}, Output: bundle,
	})
	require.NoError(t, err)
	m, err := runtime.Open(bundle)
	require.NoError(t, err)
	defer m.Close()
	q, err := BindOtherDirectors(m)
	require.NoError(t, err)
	var p OtherDirectorsParams
	for name, e := range map[string]*runtime.Entity{"superhero film": &p.Genre, "Bryan Singer": &p.Director} {
		if *e, err = m.Entity(name); err != nil {
			t.Fatal(err)
		}
	}
	r, err := q.Answer(context.Background(), p, runtime.Options{K: 10})
	require.NoError(t, err)
	film, err := m.Relation("/film/director/film")
	require.NoError(t, err)
	for _, a := range r.Rows {
		if m.Bundle().Graph.Has(p.Director.ID(), film.ID(), a.Y.ID) {
			t.Errorf("%s is by the director that was excluded", a.Y.Label)
		}
	}
}

// TestMissingNames checks that a model without the query's relations is refused
// with all of them named.
func TestMissingNames(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	_, err = BindDebutVenues(m)
	if err == nil {
		t.Fatal("a model of countries has film relations")
	}
	for _, name := range []string{"/film/film/genre", "/film/film/prequel", "/film/film/film_festivals"} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("error does not name %s: %v", name, err)
		}
	}
}
