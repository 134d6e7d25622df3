package gogen

import (
	"strings"
	"testing"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/testdata/require"
)

// TestAlias generates templates of each kind that use an alias several times: each constructor gives the
// position of its declaration once.
func TestAlias(t *testing.T) {
	f, err := lang.ParseFile("films.efo", []byte(`relation actor = "/film/actor"
relation genre = "/film/genre"
query Answers y = genre("a", y) & genre("b", y)
query Typed(g entity) y: genre("film") = like(y, $g)
query Rows x, y = genre(x, y) & genre(y, x) & actor(x, y)
query Sentence = genre("a", "b")
query Plain y = "/film/genre"("a", y)
`))
	require.NoError(t, err)
	out, err := File(analyzed(t, f), Options{Source: "films.efo", Package: "p"})
	require.NoError(t, err)
	const genre = `{Name: "genre", Relation: "/film/genre", Place: "films.efo:2"}`
	const actor = `{Name: "actor", Relation: "/film/actor", Place: "films.efo:1"}`
	specs := strings.Split(string(out.Code), "\nvar spec")
	for _, want := range []struct {
		query        string
		genre, actor int
	}{{"Answers", 1, 0}, {"Typed", 1, 0}, {"Rows", 1, 1}, {"Sentence", 1, 0}, {"Plain", 0, 0}} {
		code := ""
		for _, c := range specs {
			if strings.HasPrefix(c, want.query+" ") {
				code = c
			}
		}
		if strings.Count(code, genre) != want.genre || strings.Count(code, actor) != want.actor {
			t.Errorf("%s: want %d and %d aliases in\n%.1200s", want.query, want.genre, want.actor, code)
		}
	}
}
