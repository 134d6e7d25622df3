package lang

import (
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// TestType parses types of answers in all permitted positions, and prints them in front.
func TestType(t *testing.T) {
	for _, c := range []struct{ text, want, relation, entity string }{
		{`borders("France", y) & y: City`, `y: City & borders("France", y)`, "", "City"},
		{`y : "sovereign state" & (a("b", y) | c("d", y))`, `y: "sovereign state" & (a("b", y) | c("d", y))`, "", "sovereign state"},
		{`exists x. r("a", x) & s(x, y) & y: in_continent(Europe)`, `y: in_continent("Europe") & exists x. r("a", x) & s(x, y)`, "in_continent", "Europe"},
		{`(y: "rdf:type"^-1('a b')) & r("a", y) & s("b", y)`, `y: "rdf:type"^-1("a b") & r("a", y) & s("b", y)`, "rdf:type", "a b"},
		{`exists x. (y: "and" & r("a", x)) & s(x, y)`, `y: "and" & exists x. r("a", x) & s(x, y)`, "", "and"},
	} {
		q, err := ParseFormula(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if q.String() != c.want || q.Free != "y" || q.TypeFilter == nil || q.TypeFilter.Relation.Name != c.relation || q.TypeFilter.Entity.Name != c.entity {
			t.Errorf("%s is\n%s, want\n%s", c.text, q, c.want)
		}
	}
}

// TestHeadClauses parses the clauses about answers in a template's head.
func TestHeadClauses(t *testing.T) {
	f, err := ParseFile("", []byte(`query Q(e entity) y: by^-1 ( City ) show x, z = exists x, z. r($e, x) & s(x, z) & t(z, y)`))
	require.NoError(t, err)
	q := f.Queries[0]
	if want := "query Q(e entity) y: by^-1(\"City\") show x, z =\n    exists x, z. r($e, x) & s(x, z) & t(z, y)"; q.String() != want || len(q.Show) != 2 || !q.TypeFilter.Relation.Inverse {
		t.Errorf("it prints as\n%s, want\n%s", q, want)
	}
	if f, err = ParseFile("", []byte(`query show show show x = exists x. "show"("a", x) & r(x, show)`)); err != nil || f.Queries[0].Free != "show" {
		t.Errorf("show is a keyword: %v", err)
	}
}

// TestResolveType checks that unknown types are reported at their positions.
func TestResolveType(t *testing.T) {
	q, err := ParseFormula(`genre(y, "Horror") & y: "opend in"("Frence")`)
	require.NoError(t, err)
	_, err = q.Resolve(films)
	const want = `1:25: unknown relation "opend in"
	genre(y, "Horror") & y: "opend in"("Frence")
	                        ^
	hint: did you mean "opened in"?
1:36: unknown entity "Frence"
	genre(y, "Horror") & y: "opend in"("Frence")
	                                   ^
	hint: did you mean "France" or "Frances"?
`
	if list, ok := err.(ErrorList); !ok || !list[0].Unknown || list.Render() != want {
		t.Errorf("the error is\n%v, want\n%s", err, want)
	}
}
