package server

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/server/host"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/values"
	"github.com/efoc/efoc/testdata/require"
)

const mcpTemplates = `package t

semantics fit

// Large lists the neighbours of a country with more people than some number, independent since a day.
query Large(country entity, least number, since date) y =
    borders($country, y) & people(y) > $least & independent(y) >= $since

// Linked tells whether a fact holds.
query Linked(a, b entity, r relation) = $r($a, $b)

// Through shows the countries between.
query Through(country entity) y show x =
    exists x. borders($country, x) & official_language(x, y)
`

// openPeople opens the world with numbers and dates of some countries.
func openPeople(ctx context.Context) (*runtime.Model, error) {
	m, err := openWorld(ctx)
	if err != nil {
		return nil, err
	}
	people := values.AttributeValues{Name: "people", Kind: values.NumberKind}
	independent := values.AttributeValues{Name: "independent", Kind: values.DateKind}
	for _, x := range []struct {
		name  string
		count float64
		day   string
	}{{"Bolivia", 12e6, "1825-08-06"}, {"Guyana", 0.8e6, "1966-05-26"}, {"Peru", 34e6, "1821-07-28"}, {"Suriname", 0.6e6, "1975-11-25"}, {"Venezuela", 28e6, "1811-07-05"}} {
		e, err := m.Entity(x.name)
		if err != nil {
			return nil, err
		}
		day, _, err := values.DateKind.Parse(x.day)
		if err != nil {
			return nil, err
		}
		people.Values = append(people.Values, values.EntityValue{Entity: e.ID(), Number: x.count})
		independent.Values = append(independent.Values, values.EntityValue{Entity: e.ID(), Number: day})
	}
	with, err := m.Bundle().WithValues([]values.AttributeValues{people, independent})
	if err != nil {
		return nil, err
	}
	return runtime.NewModel(with), nil
}

// TestMCPTemplates asks templates by name, with typed arguments.
func TestMCPTemplates(t *testing.T) {
	templates, err := lang.ParseFile("t.efo", []byte(mcpTemplates))
	require.NoError(t, err)
	large := func(country, least, since any) map[string]any {
		return map[string]any{"template": "Large", "args": map[string]any{"country": country, "least": least, "since": since}}
	}
	linked := map[string]any{"template": "Linked", "args": map[string]any{"a": "Brazil", "b": "Peru", "r": "borders"}}
	for name, session := range assistants(t, Config{Options: host.Options{Open: openPeople}, Templates: templates}) {
		list, failed := use(t, session, "templates", nil)
		if failed || !strings.Contains(list, "query Large(country entity, least number, since date) y =\n") || !strings.Contains(list, "// Linked tells") {
			t.Errorf("%s: the templates are\n%s", name, list)
		}

		text, failed := use(t, session, "ask", large("Brazil", 10e6, "1815-01-01"))
		formula := `borders("Brazil", y) & people(y) > 10000000 & independent(y) >= "1815-01-01"`
		same, _ := use(t, session, "ask", map[string]any{"formula": formula, "semantics": "fit"})
		var got []string
		for _, country := range []string{"Bolivia", "Guyana", "Peru", "Suriname", "Venezuela"} {
			if strings.Contains(text, "\t"+country+"\t") {
				got = append(got, country)
			}
		}
		if failed || text != same || !slices.Equal(got, []string{"Bolivia", "Peru"}) {
			t.Errorf("%s: got %q\n%s, want as from the formula\n%s", name, got, text, same)
		}
		why := large("Brazil", "1e7", "1815")
		why["entities"] = []string{"Bolivia"}
		for _, x := range []struct {
			tool string
			args map[string]any
			want string
		}{
			{"explain", why, `borders("Brazil", "Bolivia")`},
			{"ask", linked, "yes, known: it follows from the graph"},
			{"ask", map[string]any{"template": "Through", "args": map[string]any{"country": "Portugal"}, "k": 1}, "rank\ty\tconfidence\tstatus\tx\n1\tSpanish\t1.00\tknown\tSpain"},
		} {
			if text, failed := use(t, session, x.tool, x.args); failed || !strings.Contains(text, x.want) {
				t.Errorf("%s: %s %v: failed %v: %s", name, x.tool, x.args, failed, text)
			}
		}
		for _, x := range []struct {
			args map[string]any
			want string
		}{
			{large("Brazil", "many", "1900"), "least"},
			{large("Brazil", 5, 1900.5), "since"},
			{large("Brasil", 5, "1900"), `did you mean "Brazil"`},
			{large("Brazil", []int{5}, "1900"), `has type "array", want one of "string, number"`},
			{map[string]any{"template": "Large"}, "country"},
			{map[string]any{"template": "Larger"}, `unknown template "Larger"`},
			{map[string]any{"template": "Large", "formula": formula}, "formula"},
			{map[string]any{"args": map[string]any{"country": "Peru"}}, "want one of formula and template"},
		} {
			if text, failed := use(t, session, "ask", x.args); !failed || !strings.Contains(text, x.want) {
				t.Errorf("%s: %v: failed %v, without %q: %s", name, x.args, failed, x.want, text)
			}
		}
	}
	for name, session := range assistants(t, Config{}) {
		if text, failed := use(t, session, "ask", linked); !failed || !strings.Contains(text, "there are no templates") {
			t.Errorf("%s: failed %v: %s", name, failed, text)
		}
	}
}

// TestFilterCodes asks for what no filter can be: a name that the model lacks is unknown, a value that cannot be
// compared, or a range without values, is a mistake in the query.
func TestFilterCodes(t *testing.T) {
	_, hs := start(t, Config{Options: host.Options{Open: openPeople}})
	for filter, want := range map[string]string{
		`people(y) > 3`: `"answers"`, `poeple(y) > 3`: `"unknown_name"`, `people(y) > "1950"`: `"bad_query"`, `people(y) in 3..2`: `"bad_query"`,
		`people(y) > 1e400`: `"bad_query"`, `independent(y) > 5`: `"bad_query"`, `independent(y) > "abc"`: `"bad_query"`,
	} {
		formula := `borders("Brazil", y) & ` + filter
		if _, text := call(t, hs, "POST", "/v1/ask", jsonText(t, map[string]any{"formula": formula})); !strings.Contains(text, want) {
			t.Errorf("%s: want %s: %s", formula, want, text)
		}
	}
}
