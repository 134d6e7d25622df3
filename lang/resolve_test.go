package lang

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/lang/nearest"
	"github.com/efoc/efoc/testdata/require"
)

// words is a vocabulary of two lists.
type words struct{ entities, relations []string }

func find(list []string, kind, name string) (int32, error) {
	if i := slices.Index(list, name); i >= 0 {
		return int32(i), nil
	}
	return 0, fmt.Errorf("unknown %s %q", kind, name)
}

func (w words) FindEntity(name string) (int32, error)   { return find(w.entities, "entity", name) }
func (w words) FindRelation(name string) (int32, error) { return find(w.relations, "relation", name) }
func (w words) NearestEntities(name string, max int) []string {
	return nearest.Names(name, w.entities, max)
}
func (w words) NearestRelations(name string, max int) []string {
	return nearest.Names(name, w.relations, max)
}

func (w words) CheckAttribute(string) error { return nil }
func (w words) ReadValue(_, value string, _ bool) (first, last float64, err error) {
	x, _ := strconv.ParseFloat(value, 64)
	return x, x, nil
}
func (w words) FindTail(name string, _ []int32) (int32, error) { return w.FindEntity(name) }
func (w words) FindType(name string) (int32, error)            { return w.FindEntity(name) }
func (w words) NearestTypes(name string, max int) []string     { return w.NearestEntities(name, max) }

var films = words{
	entities:  []string{"France", "Frances", "Horror", "New York"},
	relations: []string{"genre", "opened in", "prequel"},
}

// TestResolveShortName checks where an unknown relation behind an alias is reported: for each template. If one names the relation itself, that is the position.
func TestResolveShortName(t *testing.T) {
	f, err := ParseFile("a.efo", []byte(`package p
relation first = gener
relation kind = gener^-1
query A(g entity) y = kind($g, y)
query B(g entity) y: kind("Horror") = exists x. kind($g, x) & prequel(x, y)
query D(g entity) y = "gener"($g, y) | kind($g, y)
query E(g entity) y = first($g, y)
`))
	require.NoError(t, err)
	for i, want := range []string{
		"a.efo:3:17", "a.efo:3:17", "a.efo:6:23", "a.efo:2:18",
	} {
		q := f.Queries[i]
		_, err := q.Resolve(films)
		if got := err.Error(); got != want+`: unknown relation "gener"` {
			t.Errorf("query %s: got %s, want %s", q.Name, got, want)
		}
	}
}

func TestResolve(t *testing.T) {
	f, err := ParseFile("", []byte(`query Q(g entity, r relation) y = exists x. genre(x, "Horror") & "opened in"^-1(y, x) & $r(x, $g) & genre(x, "France") & x != "New York"`))
	require.NoError(t, err)
	ids, err := f.Queries[0].Resolve(films)
	want := ast.IDs{Entities: map[string]int32{"Horror": 2, "France": 0, "New York": 3}, Relations: map[string]int32{"genre": 0, "opened in": 1}}
	if err != nil || !reflect.DeepEqual(ids, want) {
		t.Errorf("got %v and %v, want %v", ids, err, want)
	}
}

func TestResolveErrors(t *testing.T) {
	q, err := ParseFormula("exists x. genres(x, \"Frence\") &\n\t! \"genres\"(x, \"Xyzzy\") & opened_in^-1(y, x) & prequel(\"Frence\", y)")
	require.NoError(t, err)
	_, err = q.Resolve(films)
	var list ErrorList
	if !errors.As(err, &list) {
		t.Fatalf("got %v", err)
	}
	const want = `1:11: unknown relation "genres"
	exists x. genres(x, "Frence") &
	          ^
	hint: did you mean "genre"?
1:21: unknown entity "Frence"
	exists x. genres(x, "Frence") &
	                    ^
	hint: did you mean "France" or "Frances"?
2:16: unknown entity "Xyzzy"
		! "genres"(x, "Xyzzy") & opened_in^-1(y, x) & prequel("Frence", y)
		              ^
2:27: unknown relation "opened_in"
		! "genres"(x, "Xyzzy") & opened_in^-1(y, x) & prequel("Frence", y)
		                         ^
	hint: did you mean "opened in"?
`
	if got := list.Render(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	// The suggestions, in query syntax, resolve without these mistakes.
	var near [][]string
	for _, e := range list {
		near = append(near, e.Nearest)
	}
	if want := [][]string{{"genre"}, {`"France"`, `"Frances"`}, nil, {`"opened in"`}}; !reflect.DeepEqual(near, want) {
		t.Errorf("the texts that may be meant are %q, want %q", near, want)
	}
}

// TestUnquoted checks that an unquoted entity name is distinguished from a variable.
func TestUnquoted(t *testing.T) {
	v := words{entities: []string{"curl", "c"}}
	for text, want := range map[string]string{
		"depends(curl, y)":                     "1:9 did you mean \"curl\"?",
		"exists x. depends(y,\n  c) & y(x, y)": "2:3 did you mean \"c\"?",
		"depends(wget, y)":                     "1:15 ask for all of them: wget, y: …; or bind all but one: exists y. …",
		"depends(y, Wget)":                     "1:12 an entity is quoted: \"Wget\"",
	} {
		_, err := ParseFormula(text)
		var list ErrorList
		if errors.As(Unquoted(err, v), &list); len(list) != 1 || fmt.Sprintf("%d:%d %s", list[0].Pos.Line, list[0].Pos.Col, list[0].Hint) != want {
			t.Errorf("%s: got\n%swant %s", text, list.Render(), want)
		}
	}
	_, err := ParseFile("", []byte("query Q(p entity) y = r($p, y) & s(curl, y) & s(pp, y)"))
	const want = `1:36: undefined variable curl
	query Q(p entity) y = r($p, y) & s(curl, y) & s(pp, y)
	                                   ^
	hint: did you mean "curl"?
1:49: undefined variable pp
	query Q(p entity) y = r($p, y) & s(curl, y) & s(pp, y)
	                                                ^
	hint: an entity is quoted: "pp"; a variable is bound: exists pp. …
`
	var list ErrorList
	if errors.As(Unquoted(err, v), &list); list.Render() != want {
		t.Errorf("got\n%swant\n%s", list.Render(), want)
	}
}

// TestRefusedOrder checks that the mistakes of each query are in order, each with its line.
func TestRefusedOrder(t *testing.T) {
	file, _ := ParseFile("", []byte("query Q(a entity) y =\n  s($b, x)\nquery R y = s($b, y)"))
	for _, r := range file.Refused {
		if !slices.IsSortedFunc(r.Mistakes(), func(a, b *Error) int { return a.Pos.Offset - b.Pos.Offset }) {
			t.Errorf("query %s: not in order:\n%s", r.Name, r.Mistakes().Render())
		}
		for _, e := range r.Mistakes() {
			if e.Line == "" {
				t.Errorf("query %s: without its line: %s", r.Name, e)
			}
		}
	}
	if len(file.Refused) != 2 {
		t.Errorf("%d queries are refused, want 2", len(file.Refused))
	}
}

// searches counts the searches for similar names.
type searches struct {
	Vocabulary
	n int
}

func (s *searches) NearestEntities(name string, max int) []string {
	s.n++
	return s.Vocabulary.NearestEntities(name, max)
}

// Similar names are searched only for mistakes that are shown.
func TestResolveSearches(t *testing.T) {
	var atoms []string
	for i := range 30 {
		atoms = append(atoms, fmt.Sprintf(`genre(y, "Frence %d")`, i))
	}
	q, err := ParseFormula(strings.Join(atoms, " & "))
	require.NoError(t, err)
	v := &searches{Vocabulary: films}
	_, err = q.Resolve(v)
	var list ErrorList
	if !errors.As(err, &list) || len(list) != 30 || v.n != maxShown {
		t.Errorf("%d searches for %d mistakes, want %d for 30", v.n, len(list), maxShown)
	}
}
