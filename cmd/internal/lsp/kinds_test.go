package lsp

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/efoc/world"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/model/values"
	"github.com/efoc/efoc/testdata/require"
)

// kinds is a file with a template of each kind.
const kinds = `package kinds
relation near = borders
relation belongs = in_continent^-1

query Answers(c entity) y =
    near($c, y)

query Shown(c entity) y show x =
    exists x. capital($c, x) & capital(y, x)

query Typed(c entity) y: in_continent("Europe") =
    borders($c, y)

query TypedByAlias(c entity) y: belongs^-1("Europe") =
    borders($c, y)

query Rows(c entity) x, y =
    borders($c, x) & capital(x, y)

query ThreeRows(c entity) x, y, z =
    borders($c, x) & capital(x, y) & official_language(x, z)

query Sentence(one, other entity) =
    borders($one, $other) | exists x. borders($one, x) & borders(x, $other)

query SentenceOfEntities =
    borders("France", "Spain") & !borders("France", "Poland")

query Counted(c entity) count y =
    borders($c, y)

query Stepped(c entity) y =
    borders{1,2}($c, y) | (currency|official_language){2}($c, y)

query Related(c entity, by relation) y =
    $by($c, y) & y != $c

query Implied(c entity) y =
    borders($c, y) & (borders(y, "Spain") -> !forall x. borders(y, x) -> borders("Spain", x))

// Documented has its documentation here.
query Documented(c entity) y =
    borders($c, y)
`

// openKinds opens a file of kinds, and returns its URI.
func openKinds(t *testing.T) (e *editor, uri string) {
	t.Helper()
	uri = "file://" + filepath.ToSlash(t.TempDir()) + "/kinds.efo"
	e = start(t.Context(), t)
	e.initialize()
	if found := e.mistakes(uri, kinds); len(found) > 0 {
		t.Fatalf("mistakes: %q", found)
	}
	return e, uri
}

// templates are the ends of the templates of kinds, by their names, in order.
func templates() (names []string, ends []int) {
	for _, m := range regexp.MustCompile(`(?s)query (\w+).*?\n(\n|$)`).FindAllStringSubmatchIndex(kinds, -1) {
		names = append(names, kinds[m[2]:m[3]])
		ends = append(ends, m[4]-1)
	}
	return names, ends
}

// TestKindsDiagnose writes a mistake into each kind of template in turn, and into all of them.
func TestKindsDiagnose(t *testing.T) {
	e, uri := openKinds(t)
	const mistake = `unheard: unknown relation "unheard"`
	names, ends := templates()
	all := kinds
	for i, name := range slices.Backward(names) {
		atom := ` & unheard(y, "Spain")`
		if strings.Contains(name, "Sentence") {
			atom = ` & unheard("France", "Spain")`
		}
		text := kinds[:ends[i]] + atom + kinds[ends[i]:]
		all = all[:ends[i]] + atom + all[ends[i]:]
		found := e.mistakes(uri, text)
		if len(found) != 1 || found[0] != mistake {
			t.Errorf("in %s: got %q", name, found)
		}
	}
	if found := e.mistakes(uri, all); len(found) != len(names) { // a name is reported once in a template
		t.Errorf("got %q, want %d mistakes", found, len(names))
	}
	if found := e.mistakes(uri, kinds); len(found) != 0 {
		t.Errorf("got %q", found)
	}

	// Templates that cannot be compiled: two variables need two layers.
	var want []string
	for _, name := range []string{"Shown", "Rows", "ThreeRows", "Stepped"} {
		want = append(want, fmt.Sprintf("%s: query %[1]s: layers is 1, but no message reaches the free variable before layer 2", name))
	}
	if found := e.mistakes(uri, strings.Replace(kinds, "\n", "\nsemantics nsmp\nlayers 1\n", 1)); !slices.Equal(found, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(found, "\n"), strings.Join(want, "\n"))
	}
}

// TestKindsHover hovers over the head of each kind of template, which says what it costs, and over each name in them.
func TestKindsHover(t *testing.T) {
	e, uri := openKinds(t)
	hover := func(text string, offset int) string { return e.ask("hover", uri, text, offset) }
	for name, want := range map[string]string{
		"Answers":  "shape 1p, semantics mixed: ",
		"Shown":    "shape 2p, semantics mixed: ",
		"Typed":    "shape 1p, semantics mixed: ",
		"Rows":     "rows, semantics mixed; the search for them asks for\\n\\n- probabilities of x: shape ",
		"Sentence": "shape 1p, semantics mixed: ",
		"Counted":  "shape 1p, semantics mixed: ",
		"Related":  "semantics mixed: ",
	} {
		got := hover(kinds, strings.Index(kinds, "query "+name+"(")+len("query "))
		if !strings.Contains(got, want) || !strings.Contains(got, "of the entity table of 1.12 MB, which read ") || !strings.Contains(got, "query "+name+"(") {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}

	got := hover(kinds, strings.Index(kinds, "Documented(c"))
	if !strings.Contains(got, "Documented has its documentation here.") || !strings.Contains(got, "shape 1p") {
		t.Errorf("got %s", got)
	}

	// The facts of every relation and of entities are those of the model.
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	for i := range int32(m.NumRelations() / 2) {
		name := m.Bundle().Relations.Name(i)
		heads, _ := m.Bundle().Graph.Edges(graph.RelationID(2 * i))
		text := fmt.Sprintf("query Q(c entity) y = %s^-1($c, y)", name)
		uri := fmt.Sprintf("untitled:relation%d", i)
		e.mistakes(uri, text)
		if got, want := e.ask("hover", uri, text, strings.Index(text, name)), fmt.Sprintf("relation %s, %d facts", name, len(heads)); !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for at, want := range map[string]string{"near($c": "relation borders, ", "belongs^-1(": "relation in_continent, ", `"Europe"`: "entity Europe, ", `"Poland"`: "entity Poland, ", "currency|": "relation currency, "} {
		if got := hover(kinds, strings.Index(kinds, at)); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", at, got, want)
		}
	}
}

// words are the words and quoted names of kinds that stand for something, with their offsets.
func words() (list [][]int) {
	for _, at := range regexp.MustCompile(`"\w+"|\$?[A-Za-z_]\w*`).FindAllStringIndex(kinds, -1) {
		inComment := strings.HasPrefix(kinds[strings.LastIndex(kinds[:at[0]], "\n")+1:], "//")
		if !inComment && !slices.Contains([]string{"package", "kinds", "relation", "query", "entity", "show", "count", "exists", "forall"}, kinds[at[0]:at[1]]) &&
			!strings.HasSuffix(kinds[:at[0]], "^-") {
			list = append(list, at)
		}
	}
	return list
}

// TestKindsNames goes through all names in templates of each kind. Those that the package declares have a definition, a
// declaration of that name. Each name is offered where it stands.
func TestKindsNames(t *testing.T) {
	e, uri := openKinds(t)
	declaration := regexp.MustCompile(`(query |relation |\(|, |exists |forall |\) |count )$`)
	declared := map[string]bool{}
	for _, at := range words() {
		word := kinds[at[0]:at[1]]
		if got := e.ask("completion", uri, kinds, at[0]); !strings.Contains(got, fmt.Sprintf(`"label":%q,`, word)) && !declaration.MatchString(kinds[:at[0]]) {
			t.Errorf("%s at %d is not offered: %s", word, at[0], got)
		}

		var where struct {
			URI   string
			Range span
		}
		require.NoError(t, json.Unmarshal([]byte(e.ask("definition", uri, kinds, at[0])), &where))
		if where.URI == "" {
			if strings.HasPrefix(word, "$") || regexp.MustCompile(`^([A-Z]\w*|near|belongs|[cxyz]|one|other|by)$`).MatchString(word) {
				t.Errorf("%s at %d has no definition", word, at[0])
			}
			continue
		}
		d := newDocument(uri, 0, kinds)
		from, to := d.offset(where.Range.Start), d.offset(where.Range.End)
		if kinds[from:to] != strings.TrimPrefix(word, "$") || !declaration.MatchString(kinds[:from]) {
			t.Errorf("%s at %d: the definition is %q at %d", word, at[0], kinds[from:to], from)
		}
		declared[fmt.Sprint(where)] = true
	}
	if len(declared) < 40 {
		t.Errorf("%d names have definitions", len(declared))
	}
}

// TestKindsFormat formats templates of each kind.
func TestKindsFormat(t *testing.T) {
	e, uri := openKinds(t)
	if got := e.ask("formatting", uri, kinds, 0); got != "[]" {
		t.Errorf("got %s", got)
	}
	spread := strings.NewReplacer("(", " ( ", ",", " , ", "\n    ", " ", "forall", "∀", "exists", "∃").Replace(kinds)
	if found := e.mistakes(uri, spread); len(found) != 0 {
		t.Fatalf("got %q", found)
	}
	var edits []edit
	require.NoError(t, json.Unmarshal([]byte(e.ask("formatting", uri, spread, 0)), &edits))
	if len(edits) != 1 || edits[0].NewText != kinds {
		t.Errorf("got %v", edits)
	}
}

// TestFilterNames completes the name of an attribute where a relation may stand.
func TestFilterNames(t *testing.T) {
	m, err := world.Open()
	require.NoError(t, err)
	defer m.Close()
	people := values.AttributeValues{Name: "number of people", Kind: values.NumberKind, Values: []values.EntityValue{{Entity: 3, Number: 5}}}
	valued, err := m.Bundle().WithValues([]values.AttributeValues{people})
	require.NoError(t, err)
	e := startWith(t.Context(), t, runtime.NewModel(valued))
	e.initialize()
	const text = "package p\n\nquery Q(c entity) y =\n    borders($c, y) & num"
	e.show("file:///p.efo", text)
	if got := e.ask("completion", "file:///p.efo", text, len(text)); !strings.Contains(got, `"label":"\"number of people\""`) || !strings.Contains(got, "number, 1 values") {
		t.Errorf("the completions are %s", got)
	}
}
