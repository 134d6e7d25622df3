package lsp

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// TestSignature types arguments up to the bar.
func TestSignature(t *testing.T) {
	e, uri, _ := openKinds(t)
	for typed, want := range map[string]string{
		"Answers(|":                    "Answers([c entity], y)",
		"Answers($c, |":                "Answers(c entity, [y])",
		"Answers($c|":                  "Answers([c entity], y)",
		"Related(x, in_continent|, y)": "Related(c entity, [by relation], y)",
		"exists x. Answers($c, x) & Rows($c, x, |": "Rows(c entity, x, [y])",
		"PairsElsewhere($c, |)":                    "PairsElsewhere(c entity, [x], y)",
		"Sentence($c, \"Spa|":                      "Sentence(one entity, [other entity])",
		"borders($c, |":                            "borders(head, [tail]) relation borders",
		"\"borders\"(|":                            "\"borders\"([head], tail) relation borders",
		"borders^-1($c, |":                         "borders^-1(tail, [head]) relation borders",
		"borders{1,2}(|":                           "borders([head], tail) relation borders",
		"near($c, |":                               "near(head, [tail]) relation borders",
		"belongs(|":                                "belongs([tail], head) relation in_continent",
		"belongs^-1(|":                             "belongs^-1([head], tail) relation in_continent",
		"$by(|":                                    "$by([head], tail)",
		"borders($c, y)|":                          "",
		"borders($c, y) & (|":                      "",
		"unheard(|":                                "",
		"y: in_continent(|":                        "",
		"\"Answers\"(|":                            "",
		"(borders|near)(":                          "",
	} {
		before, after, _ := strings.Cut(typed, "|")
		text := kinds + "\nquery Typed2(c entity, by relation) y =\n    " + before
		e.mistakes(uri, text+after)
		var got struct {
			Signatures []struct {
				Label         string
				Documentation struct{ Value string }
				Parameters    []struct{ Label [2]int }
			}
			ActiveParameter int
		}
		require.NoError(t, json.Unmarshal([]byte(e.ask("signatureHelp", uri, text+after, len(text))), &got))
		label := ""
		for _, s := range got.Signatures {
			active := s.Parameters[got.ActiveParameter].Label
			label = s.Label[:active[0]] + "[" + s.Label[active[0]:active[1]] + "]" + s.Label[active[1]:]
			if _, relation, ok := strings.Cut(s.Documentation.Value, "```\n"); ok {
				name, _, _ := strings.Cut(relation, ",")
				label += " " + name
			}
		}
		if label != want {
			t.Errorf("%s: got %s, want %s", typed, label, want)
		}
	}
}

// TestCodeAction corrects a mistake by the first action that is offered for it.
func TestCodeAction(t *testing.T) {
	e, uri, elsewhereURI := openKinds(t)
	actions := func(diagnostics ...any) (list []action) {
		t.Helper()
		require.NoError(t, json.Unmarshal([]byte(e.ask("codeAction", uri, "", 0, "context", map[string]any{"diagnostics": diagnostics})), &list))
		return list
	}
	shown := func(uri string) diagnostic { // the only one
		t.Helper()
		last := published{}
		for _, p := range e.published {
			if p.URI == uri && p.Version == e.versions[uri] {
				last = p
			}
		}
		if len(last.Diagnostics) != 1 {
			t.Fatalf("got %v", last.Diagnostics)
		}
		return last.Diagnostics[0]
	}

	const head = "package kinds\nquery Own(country entity) y =\n    "
	for mistake, want := range map[string]string{
		`borders($country, y) & borders(y, "Frence")`:                 `borders($country, y) & borders(y, "France")`,
		`bordrs($country, y)`:                                         `borders($country, y)`,
		`borders($contry, y)`:                                         `borders($country, y)`,
		`borders($country, y) & borders(country, y)`:                  `borders($country, y) & borders($country, y)`,
		`borders($country, y) & borders(Brazil, y)`:                   `borders($country, y) & borders("Brazil", y)`,
		`exists state. borders($country, state) & borders(sttate, y)`: `exists state. borders($country, state) & borders(state, y)`,
	} {
		if found := e.mistakes(uri, head+mistake); len(found) != 1 {
			t.Fatalf("%s: got %q", mistake, found)
		}
		list := actions(shown(uri), map[string]any{"source": "another", "data": 7})
		if len(list) == 0 {
			t.Errorf("%s: got no action", mistake)
			continue
		}
		first := list[0].Edit["changes"].(map[string]any)[uri].([]any)[0]
		text, err := json.Marshal(first)
		require.NoError(t, err)
		var change edit
		require.NoError(t, json.Unmarshal(text, &change))
		d := newDocument(uri, 0, head+mistake)
		got := d.text[:d.offset(change.Range.Start)] + change.NewText + d.text[d.offset(change.Range.End):]
		if got != head+want || !list[0].Preferred || list[0].Title != "Change to "+change.NewText {
			t.Errorf("%s: got %s by %q, want %s", mistake, got, list[0].Title, want)
		}
		if found := e.mistakes(uri, got); len(found) != 0 {
			t.Errorf("%s: got %q", got, found)
		}
	}

	// The name of a template must not be replaced where the mistake is inside the template.
	e.mistakes(elsewhereURI, strings.Replace(elsewhere, "borders", "bordrs", 1))
	if found := e.mistakes(uri, head+"Elsewhere($country, y)"); !slices.Equal(found, []string{`Elsewhere: unknown relation "bordrs"`}) {
		t.Fatalf("got %q", found)
	}
	if list := actions(shown(uri)); len(list) > 0 {
		t.Errorf("got %v", list)
	}
}
