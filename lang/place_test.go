package lang

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/lang/completion"
	"github.com/efoc/efoc/lang/internal/token"
	"github.com/efoc/efoc/lang/limits"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// templateFile draws the text of a file: two templates, or a file of the repository.
func templateFile(t *rapid.T) string {
	other := soundQuery(t, true)
	q := soundQuery(t, true)
	if q.Doc, other.Doc = "", ""; q.Name == other.Name {
		q.Name += "2"
	}
	near := &ast.Alias{Name: "r", Relation: ast.Relation{Name: "is near", Inverse: true}}
	f := &File{Package: "p", Semantics: "mixed", Layers: 2, Aliases: []*ast.Alias{near}, Queries: []*Query{q, other}}
	text := []byte(f.String())
	if rapid.IntRange(0, 9).Draw(t, "which") == 0 {
		files, err := filepath.Glob("../testdata/downstream/*.efo")
		require.NoError(t, err)
		text, err = os.ReadFile(rapid.SampledFrom(files).Draw(t, "file"))
		require.NoError(t, err)
	}
	return string(text)
}

// TestPlaceAt asks, at each word of correct files, for the candidates at that position, with the rest of the
// text kept or cut off, and with the word typed in part or not at all: the word must be a candidate, and be
// replaced as a whole.
func TestPlaceAt(t *testing.T) {
	offered := map[string]bool{}
	seed.Check(t, func(t *rapid.T) {
		text := templateFile(t)
		tokens, _ := newParser("", text).scan(limits.FileBytes, "")
		declares, kinds := declaredAt(text)
		for _, word := range tokens {
			start := word.Pos.Offset
			if !token.IsWord(word) && word.Type != token.Param && word.Type != token.String || declares[start] {
				continue
			}
			typed := start
			if rapid.Bool().Draw(t, "typed") {
				typed++
			}
			shown := text
			if rapid.Bool().Draw(t, "cut") && word.Type != token.Ident && kinds[start] != ast.RelationUse { // what declares it, or takes it, may stand behind
				shown = text[:typed]
			}
			p := completion.At(shown, typed)
			found := slices.Contains(p.Keywords, word.Value) || slices.Contains(p.Names, word.Value)
			switch kind, named := kinds[start]; {
			case found:
				offered[word.Value] = true
			case named && kind == ast.EntityUse:
				found = p.Entities
			case named && kind == ast.RelationUse, word.Value == "size": // an attribute stands where a relation may
				found = p.Relations
			}
			if !found {
				t.Fatalf("%q is not offered at %d, with %d bytes typed, of\n%s\n%+v", word.Value, start, typed-start, shown, p)
			}
			if typed > start && (p.Start != start || shown == text && p.End != start+len(word.Value)) {
				t.Fatalf("%q stands at %d, and %d to %d are replaced", word.Value, start, p.Start, p.End)
			}
		}
	})
	for word := range token.Keywords {
		if seed.Enough() && !offered[word] && !slices.Contains([]string{"and", "or", "not", "forall"}, word) { // which Format writes as signs
			t.Errorf("the keyword %s was never offered", word)
		}
	}
}

// declaredAt returns the offsets of words that declare something, which cannot be candidates, and of the words
// of clauses that have names of their own, and the kinds of other names.
func declaredAt(text string) (at map[int]bool, kinds map[int]ast.UseKind) {
	at, kinds = map[int]bool{}, map[int]ast.UseKind{}
	f, _ := ParseFile("", []byte(text)) // some are contradictory
	for _, u := range f.Uses() {
		at[u.Pos.Offset], kinds[u.Pos.Offset] = u.Pos == u.Decl, u.Kind
	}
	if i := strings.Index(text, "package "); i >= 0 {
		at[i+len("package ")] = true
	}
	return at, kinds
}

// TestPlaceAtWords checks the candidates at the bar in unfinished texts.
func TestPlaceAtWords(t *testing.T) {
	for text, want := range map[string]string{
		`|`:              "package semantics layers relation query",
		`semantics m|`:   "nsmp fit mixed",
		`query Q(a ent|`: "entity relation number date",
		`query Q(a entity, b number, c date) y = r($a, y) & size(y) > |`:                "$c $b",
		`query Q(a entity, b number, c date) y = r($a, y) & size(y) !=? |`:              "$c $b",
		`query Q(a entity, b number, c date) y = r($a, y) & size(y) in? |`:              "$c $b",
		`query Q(a entity, b number, c date) y = r($a, y) & size(y) in 2<..|`:           "$c $b",
		`query Q(a entity, b number) y = r($a, y) & size(y) |`:                          "and or query in",
		`query Q(a entity, b number) = r($a, "b") & size(y) = $|`:                       "$b",
		`query Q(a entity, b number) = |`:                                               "exists forall not $a R",
		`query |`:                                                                       "",
		`query Q(|`:                                                                     "",
		`query Q(a entity) y sh|`:                                                       "show",
		`query Q(a entity) y show | = exists x`:                                         "x",
		`query Q(a entity) y, |`:                                                        "",
		`query Q(a entity) y, z = r(|`:                                                  "$a y z E",
		`query Q(a entity) y: Ci|`:                                                      "E R",
		`query Q(a entity) y: type(|`:                                                   "E",
		`query Q(a, b entity, r relation) y = |`:                                        "exists forall not $r $b $a y R",
		`query Q(a entity) y = r($|`:                                                    "$a",
		`query Q(a entity) y = r("Fra|, y)`:                                             "E",
		`query Q(a entity) y = exists x, z. r(y, |`:                                     "$a y x z E",
		`query Q(a entity) y = exists |`:                                                "",
		`query Q(a entity) y = exists x, |`:                                             "",
		`query Q(a entity) y = r(y, $a) |`:                                              "and or query",
		`query Q(a entity) y = r(y, $a) & y != |`:                                       "$a y E",
		`query Q(a entity) y = r^-1(|`:                                                  "$a y E",
		`query Q(a entity) y = !"a b"(|`:                                                "$a y E",
		"query Q(a entity) y = ( | ":                                                    "exists forall not $a y R",
		"query Q(a entity) y = r(y, $a) // co|":                                         "",
		"query A(a entity) y = r(y,\nquery B(b entity) z = s(z, |)\nquery C(c entity)":  "$b z E",
		"relation n = |":                                                                "R",
		"relation n = near\nquery A(r relation) y = |\nquery B(r relation) y = n(y, y)": "exists forall not n $r y R",
	} {
		offset := strings.Index(text, "|")
		p := completion.At(text[:offset]+text[offset+1:], offset)
		got := slices.Concat(p.Keywords, p.Names)
		if p.Entities {
			got = append(got, "E")
		}
		if p.Relations {
			got = append(got, "R")
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %s, want %s", text, strings.Join(got, " "), want)
		}
	}
}

// TestUses renames a declaration and all its uses in a file: the result must parse to the same trees with the
// new name.
func TestUses(t *testing.T) {
	renamed := map[ast.UseKind]int{}
	seed.Check(t, func(t *rapid.T) {
		for range 5 {
			checkRename(t, renamed)
		}
	})
	for _, kind := range []ast.UseKind{ast.TemplateUse, ast.AliasUse, ast.ParamUse, ast.VariableUse} {
		if renamed[kind] == 0 && seed.Enough() {
			t.Errorf("nothing of kind %d was renamed", kind)
		}
	}
}

// checkRename renames one name of a file, and counts its kind.
func checkRename(t *rapid.T, renamed map[ast.UseKind]int) {
	t.Helper()
	text := templateFile(t)
	f, err := ParseFile("", []byte(text))
	if err != nil {
		return // it is contradictory
	}
	uses := f.Uses()
	u := rapid.SampledFrom(uses).Draw(t, "use")
	if u.Kind == ast.EntityUse || u.Kind == ast.RelationUse {
		return
	}
	changed := text
	for _, v := range slices.Backward(uses) {
		if v.Kind != u.Kind || v.Name != u.Name || (u.Kind == ast.ParamUse || u.Kind == ast.VariableUse) && v.Template != u.Template {
			continue
		}
		if !strings.HasPrefix(text[v.Decl.Offset:], u.Name) {
			t.Fatalf("%s at %s is declared at %s:\n%s", v.Name, v.Pos, v.Decl, text)
		}
		at := v.Pos.Offset + strings.Index(text[v.Pos.Offset:], u.Name)
		changed = changed[:at] + "fresh_name" + changed[at+len(u.Name):]
	}
	again, err := ParseFile("", []byte(changed))
	if err != nil {
		t.Fatalf("%s becomes fresh_name: %v\n%s", u.Name, err, changed)
	}
	renamed[u.Kind]++
	for _, a := range f.Aliases {
		a.Pos = ast.Pos{}
		a.Relation.Pos = ast.Pos{}
		if u.Kind == ast.AliasUse && a.Name == u.Name {
			a.Name = "fresh_name"
		}
	}
	want := &File{Package: f.Package, Semantics: f.Semantics, Layers: f.Layers, Aliases: f.Aliases}
	for _, q := range f.Queries {
		copied := bare(q)
		if l := q.TypeFilter; l != nil {
			copied.TypeFilter.Relation = l.AsWritten()
		}
		want.Queries = append(want.Queries, withName(copied, u, u.Template == q.Pos))
	}
	again.loose = nil
	f.loose = nil
	for _, q := range again.Queries {
		q.Doc = ""
	}
	for _, q := range want.Queries {
		q.Doc = ""
	}
	again.Doc = ""
	if got, want := again.String(), want.String(); got != want {
		t.Fatalf("%s becomes fresh_name in\n%s\nwhich is read as\n%s\nwant\n%s", u.Name, changed, got, want)
	}
}

// withName gives what a use names another name throughout a query, which is the one with the use or
// another one of its file.
func withName(q *Query, u ast.Use, own bool) *Query {
	change := func(name *string, kind bool) {
		if kind && *name == u.Name {
			*name = "fresh_name"
		}
	}
	param, variable := own && u.Kind == ast.ParamUse, own && u.Kind == ast.VariableUse
	relation := func(r *ast.Relation) {
		change(&r.Name, r.Param && param || !r.Param && !r.Quoted && u.Kind == ast.AliasUse)
	}
	change(&q.Name, u.Kind == ast.TemplateUse)
	for i := range q.Params {
		change(&q.Params[i].Name, param)
	}
	change(&q.Free, variable)
	for i := range q.Others {
		change(&q.Others[i].Name, variable)
	}
	if q.TypeFilter != nil {
		change(&q.TypeFilter.Relation.Name, u.Kind == ast.AliasUse && !q.TypeFilter.Relation.Quoted)
	}
	for i := range q.Others {
		change(&q.Others[i].Name, variable)
	}
	for i := range q.Show {
		change(&q.Show[i].Name, variable)
	}
	ast.Walk(q.Formula, func(f ast.Formula) {
		for i := range ast.Quantified(f) {
			change(&ast.Quantified(f)[i].Name, variable)
		}
		switch f := f.(type) {
		case *ast.Atom:
			relation(&f.Relation)
		case *ast.Path:
			for i := range f.Relations {
				relation(&f.Relations[i])
			}
		}
		for _, t := range ast.Terms(f) {
			change(&t.Name, t.Kind == ast.Variable && variable || t.Kind == ast.Parameter && param)
		}
	})
	return q
}

// TestUsesScopes finds declarations among several of the same name, and in a faulty template.
func TestUsesScopes(t *testing.T) {
	const text = `query Q(a entity) y show x = (exists x. r($a, x) & s(x, y)) | exists x. t($a, x) & s(x, y) & u(x, z) & y: City`
	f, _ := ParseFile("", []byte(text))
	var got []string
	for _, u := range f.Uses() {
		if u.Kind == ast.VariableUse {
			got = append(got, u.Name+" "+u.Pos.String()+" "+u.Decl.String())
		}
	}
	want := []string{"y 1:19 1:19", "x 1:26 1:38", "x 1:38 1:38", "x 1:47 1:38", "x 1:54 1:38", "y 1:57 1:19",
		"x 1:70 1:70", "x 1:79 1:70", "x 1:86 1:70", "y 1:89 1:19", "x 1:96 1:70", "z 1:99 -", "y 1:104 1:19"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
