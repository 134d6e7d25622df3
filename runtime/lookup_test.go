package runtime

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime/model/table"
	"github.com/efoc/efoc/testdata/modeltest"
)

// TestLookupAlias looks up relations that the model lacks: where an alias names one, the error says which
// alias to change.
func TestLookupAlias(t *testing.T) {
	m := modeltest.Random(t, rand.New(rand.NewPCG(1, 2)), 5, 2, table.Float32)
	l := &lookup{model: m, query: "Films"}
	l.alias("genre", "/film/genre", "films.efo:3")
	l.relation("/film/genre")
	l.relation("/film/actor")
	err := l.err()
	if err == nil {
		t.Fatal("the model has both relations")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d errors: %v", len(lines), err)
	}
	if want := "query Films: films.efo:3: relation genre: "; !strings.HasPrefix(lines[0], want) {
		t.Errorf("%s, want %s…", lines[0], want)
	}
	if strings.Contains(lines[1], "films.efo") {
		t.Errorf("%s: it has no alias", lines[1])
	}
}
