package sparql

import (
	"fmt"
	"strings"
	"testing"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/testdata/require"
)

// graphOf is a graph of the given entities, with their upper-case names as labels, and the relations r and s.
type graphOf []string

func (g graphOf) Find(text string) (string, bool) {
	for _, name := range g {
		if l, ok := LiteralOf(name); name == text || strings.ToUpper(name) == text || ok && strings.ToUpper(l.Text) == text {
			return name, true
		}
	}
	return "", false
}

func (g graphOf) HasRelation(text string) (bool, error) { return text == "r" || text == "s", nil }

func (g graphOf) HasAttribute(name string) bool { return name == "many" || name == "one" }

func (g graphOf) HasSeveral(attribute string) bool { return attribute == "many" }

func (g graphOf) Literals() bool { return strings.Contains(strings.Join(g, ""), `"`) }

// A literal denotes the entity that is that literal, or else one with its text.
func TestBind(t *testing.T) {
	for _, x := range []struct {
		literal, want string
		graph         graphOf
	}{
		{`"b"`, `b`, graphOf{"b"}},
		{`"b"`, `"b"`, graphOf{"b", `"b"`}},
		{`"B"`, `B`, graphOf{"b"}}, // by its label
		{`"B"`, `"B"`, graphOf{`"b"@en`}},
		{`"b"@en`, `"b"@en`, graphOf{"b"}},
		{`"b"^^<http://x.org/t>`, `"b"^^<http://x.org/t>`, graphOf{"b"}},
		{`"b"^^<http://www.w3.org/2001/XMLSchema#string>`, `"b"`, graphOf{`"b"`}},
		{`7`, `7`, graphOf{"7"}},
		{`7`, `"7"^^<http://www.w3.org/2001/XMLSchema#integer>`, graphOf{"7", `"7"^^<http://www.w3.org/2001/XMLSchema#integer>`}},
		{`-7`, `"-7"^^<http://www.w3.org/2001/XMLSchema#integer>`, graphOf{`"-7"^^<http://www.w3.org/2001/XMLSchema#integer>`}},
		{`+.5`, `"+.5"^^<http://www.w3.org/2001/XMLSchema#decimal>`, graphOf{`"+.5"^^<http://www.w3.org/2001/XMLSchema#decimal>`}},
		{`7.0`, `"7.0"^^<http://www.w3.org/2001/XMLSchema#decimal>`, graphOf{`"7.0"^^<http://www.w3.org/2001/XMLSchema#decimal>`}},
		{`7e0`, `"7e0"^^<http://www.w3.org/2001/XMLSchema#double>`, graphOf{`"7e0"^^<http://www.w3.org/2001/XMLSchema#double>`}},
		{`'a "\n'`, `"a \"\n"`, graphOf{`"a \"\n"`}},
		{`"unknown"`, `unknown`, graphOf{"b"}},
	} {
		r, err := Parse("SELECT ?y { ?y :r " + x.literal + " }")
		if err != nil {
			t.Errorf("%s: %v", x.literal, err)
			continue
		}
		if err := r.Bind(x.graph, true); err != nil {
			t.Errorf("%s: %v", x.literal, err)
		}
		if got := r.Query.Formula.(*ast.Atom).Tail.Name; got != x.want {
			t.Errorf("%s is %s in %q, want %s", x.literal, got, x.graph, x.want)
		}
	}
	for _, x := range []struct {
		text  string
		graph graphOf
		wrong bool
	}{
		{`SELECT ?y { ?x :r ?y FILTER(?x != ?y) }`, graphOf{"b"}, false},
		{`SELECT ?y { ?x :r ?y FILTER(?x != ?y) }`, graphOf{"b", `"c"`}, true},
		{`SELECT ?y { ?x :r ?y FILTER(?y != "b") }`, graphOf{"b"}, false},
		{`SELECT ?y { ?x :r ?y FILTER(?y != "c") }`, graphOf{"b", `"c"`}, true},
		{`SELECT ?y { ?x :r ?y FILTER(?y != :b) }`, graphOf{"b", `"c"`}, false},
	} {
		r, err := Parse(x.text)
		if err != nil {
			t.Fatalf("%s: %v", x.text, err)
		}
		if err := r.Bind(x.graph, true); (err != nil) != x.wrong || err != nil && !strings.Contains(err.Error(), "1:29: literals of the graph are compared by value") {
			t.Errorf("%s of %q: %v", x.text, x.graph, err)
		}
	}
}

// Triples with entities or relations that a graph lacks never hold.
func TestBindLacking(t *testing.T) {
	for _, x := range []struct{ text, want string }{
		{`SELECT ?y { <u:a> :r ?y }`, `r("u:a", y)`},
		{`SELECT ?y { <u:no> :r ?y }`, ``},
		{`SELECT ?y { :no :r ?y }`, ``},
		{`SELECT ?y { <u:a> :lacked ?y }`, ``},
		{`SELECT ?y { <u:a> ^:lacked/:r ?y }`, ``},
		{`SELECT ?y { <u:a> :r|:lacked ?y }`, `r("u:a", y)`},
		{`SELECT ?y { <u:a> :r ?y FILTER NOT EXISTS { ?y <u:lacked> <u:a> } }`, `r("u:a", y)`},
		{`SELECT ?y { <u:a> :r ?y MINUS { ?y :lacked <u:a> } }`, `r("u:a", y)`},
		{`SELECT ?y { <u:a> :r ?y . ?y a :r }`, ``},
		{`SELECT ?y { <u:a> :r ?y . <u:no> :r ?x }`, ``},
		{`SELECT ?y { <u:a> :r ?y FILTER NOT EXISTS { ?y :r <u:no> } }`, `r("u:a", y)`},
		{`SELECT ?y { <u:a> :r ?y FILTER EXISTS { ?y :r <u:no> } }`, ``},
		{`SELECT ?y { <u:a> :r ?y FILTER(?y != <u:no>) }`, `r("u:a", y)`},
		{`SELECT ?y { ?x :r ?y FILTER(?x = <u:no>) }`, ``},
		{`SELECT ?y { ?y :r "x"@EN }`, ``},
		{`SELECT ?y { { <u:a> :r ?y } UNION { ?x :r ?y . ?x :s <u:no> } }`, `r("u:a", y)`},
		{`SELECT ?y { { <u:a> :r ?y } UNION { ?x :r ?y } UNION { <u:no> :r ?y } }`, `exists x. r("u:a", y) | r(x, y)`},
		{`SELECT ?y { <u:a> :r ?y MINUS { ?y :s <u:no> . ?y :s <u:a> } }`, `r("u:a", y)`},
		{`SELECT ?y { ?y :r "x"@en }`, ``},
		{`ASK { <u:a> :r <u:no> }`, ``},
	} {
		r, err := Parse(x.text)
		if err != nil {
			t.Errorf("%s: %v", x.text, err)
			continue
		}
		if err := r.Bind(graphOf{"u:a"}, false); err != nil {
			t.Errorf("%s: %v", x.text, err)
		}
		if x.want == "" || r.Empty {
			if (x.want == "") != r.Empty {
				t.Errorf("%s: empty %v, want %q", x.text, r.Empty, x.want)
			}
			continue
		}
		compare(t, x.text, r.Query, x.want)
	}
}

// TestSelectedValues selects variables for values of one entity.
func TestSelectedValues(t *testing.T) {
	for _, x := range []struct{ text, want string }{
		{`SELECT ?v ?y { ?y :r :b ; :one ?v FILTER(?v > 2) } ORDER BY DESC(?v) LIMIT 3`, `v of 0: one(_) > 2, false`},
		{`SELECT ?y ?v ?w { ?y :r :b ; :one ?v ; :many ?w FILTER(?v > 2 && ?w < 5 && ?w != 4) }`, `v of 0: one(_) > 2, false; w of 0: many(_) < 5, != 4, true`},
		{`SELECT ?x ?y ?v { ?y :r ?x ; :many ?v FILTER(?v > 2) } LIMIT 3`, `v of 1: many(_) > 2, true`},
		{`SELECT * { ?y :r :b ; :one ?v FILTER(?v > 2) FILTER EXISTS { ?y :one ?w FILTER(?w < 9) } }`, `v of 0: one(_) > 2, false`},
		{`SELECT ?y ?v { { SELECT ?y ?v { ?y :r ?z ; :one ?v FILTER(?v > 2) } } }`, `v of 0: one(_) > 2, false`},
		{`SELECT ?y { ?y :r :b ; :one ?v FILTER(?v > 2) }`, ``},
	} {
		r, err := Parse(x.text)
		require.NoError(t, err)
		require.NoError(t, r.Bind(graphOf{"u:a", "b"}, false))
		var found []string
		for _, v := range r.Values {
			found = append(found, fmt.Sprintf("%s of %d: %s, %v", v.Name, v.Column, v.Filter.Text("_"), v.Several))
		}
		if got := strings.Join(found, "; "); got != x.want {
			t.Errorf("%s selects %s, want %s", x.text, got, x.want)
		}
	}
}

// TestBindValues converts values of attributes to filters; the graph has attributes with one value and with many.
func TestBindValues(t *testing.T) {
	const xsdDate = `^^<http://www.w3.org/2001/XMLSchema#date>`
	for _, x := range []struct{ text, want string }{
		{`SELECT ?y { ?y :r ?x ; :one ?v FILTER(?v > 2 && ?v < 3) }`, `exists x. r(y, x) & one(y) in 2<..<3`},
		{`SELECT ?y { ?y :r ?x ; :one ?v FILTER(?v >= 2) FILTER(3 >= ?v) }`, `exists x. r(y, x) & one(y) in 2..3`},
		{`SELECT ?y { ?y :r ?x ; :one ?v FILTER(?v = 2) }`, `exists x. r(y, x) & one(y) = 2`},
		{`SELECT ?y { ?y :r ?x ; :one ?v FILTER(2 != ?v) }`, `exists x. r(y, x) & one(y) != 2`},
		{`SELECT ?y { ?y :r ?x ; :one 2 }`, `exists x. r(y, x) & one(y) = 2`},
		{`SELECT ?y { ?y :r ?x . 2 ^:one ?y }`, `exists x. r(y, x) & one(y) = 2`},
		{`SELECT ?y { ?y :r ?x ; :one "1950-01-31"` + xsdDate + ` }`, `exists x. r(y, x) & one(y) = "1950-01-31"`},
		{`SELECT ?y { ?y :r ?x { ?x :one ?v FILTER(?v > 2) } UNION { ?x :many ?v FILTER(?v = 3) } }`, `exists x. r(y, x) & (one(x) > 2 | many(x) = 3)`},
		{`SELECT ?y { ?y :r ?x FILTER EXISTS { ?y :one ?v FILTER(?v > 2) } FILTER EXISTS { ?y :one ?v FILTER(?v < 3) } }`, `exists x. r(y, x) & one(y) > 2 & one(y) < 3`},
		{`SELECT DISTINCT ?y { ?y :r ?x ; :many ?v FILTER(?v > 2) }`, `exists x. r(y, x) & many(y) > 2`},
		{`ASK { ?y :r ?x ; :many ?v FILTER(?v > 2) }`, `exists x, y. r(y, x) & many(y) > 2`},
	} {
		r, err := Parse(x.text)
		require.NoError(t, err)
		require.NoError(t, r.Bind(graphOf{"u:a"}, false))
		compare(t, x.text, r.Query, x.want)
	}
	for _, x := range []struct{ text, want string }{
		{`SELECT ?y { ?y :r ?x ; :one ?v }`, "1:29: one has values, which are numbers or dates: this triple compares none"},
		{`SELECT ?y { ?y :r ?x ; :one :r }`, "1:29: one has values"},
		{`SELECT ?y { ?y :r ?x ; :one "b" }`, "1:29: one has values"},
		{`SELECT ?y { ?y :r ?x ; :one ?v FILTER(?v IN (2, 3)) }`, "1:29: ?v stands for a value of one, which is compared with numbers or dates only"},
		{`SELECT ?y { ?y :r ?x ; :one ?v . ?x :one ?v FILTER(?v > 1) }`, "1:42: ?v stands for a value of one"},
		{`SELECT ?y { ?y :r ?x ; :one ?v FILTER(?v > 1) { ?x :one ?v FILTER(?v > 2) } UNION { ?x :s :b } }`, "?v stands for a value of one"},
		{`SELECT ?y { ?y :r ?x ; :one ?v { ?x :r ?v } UNION { ?x :s ?v } }`, "1:29: ?v stands for a value of one"},
		{`SELECT ?y { ?z :r ?v { ?y :r ?x ; :one ?v FILTER(?v = 1) } UNION { ?y :s ?z } }`, "1:19: ?v stands for a value, and for something else here"},
		{`SELECT ?y { ?y :r ?x ; :one ?v ; :one ?w FILTER(?v > ?w) }`, "1:49: ?v is compared as a value: with a number or a date only"},
		{`SELECT ?y { ?y :r ?x ; :one ?v ; :one ?w FILTER(?v = ?w) }`, "1:29: ?v stands for a value of one"},
		{`SELECT ?y { ?y :r ?x ; :one ?v FILTER(?v > "2") }`, "1:39: ?v is compared as a value: with a number or a date only"},
		{`SELECT ?y { ?y :r ?x FILTER(?v > 2) }`, "1:29: ?v has no value in this group"},
		{`SELECT ?y { ?y :r ?x FILTER NOT EXISTS { ?y :one ?v FILTER(?v > 2) } }`, "1:50: NOT EXISTS and MINUS of a value hold of entities without one"},
		{`SELECT ?y { ?y :r ?x FILTER(!EXISTS { ?y :one ?v FILTER(?v > 2) }) }`, "1:47: NOT EXISTS and MINUS of a value"},
		{`SELECT ?y { ?y :r ?x MINUS { ?y :one ?v FILTER(?v > 2) } }`, "1:38: NOT EXISTS and MINUS of a value"},
		{`SELECT ?y { ?y :r ?x ; :one ?v FILTER(?v > 2) MINUS { ?z :one ?v FILTER(?v < 9) } }`, "1:55: MINUS of a variable that has no value outside"},
		{`SELECT ?y { ?y :r ?x MINUS { ?y :one 2 } }`, "1:38: NOT EXISTS and MINUS of a value"},
		{`SELECT ?y { ?y :r ?x ; :many ?v FILTER(?v > 2) }`, "an entity may have several values of many"},
		{`SELECT (COUNT(?y) AS ?n) { ?y :r :b ; :one ?v FILTER(?v > 2) }`, "1:9: an answer may repeat"},
		{`SELECT ?v ?y { ?y :r :b ; :one ?v FILTER(?v != 2) } LIMIT 3`, "1:32: ?v stands for values, of which those are selected that have an order"},
		{`SELECT ?v { ?y :r :b ; :one ?v FILTER(?v > 2) }`, "1:1: ?v stands for values, which are selected beside their entity and not counted"},
		{`SELECT (COUNT(DISTINCT ?v) AS ?n) { ?y :r :b ; :one ?v FILTER(?v > 2) }`, "1:1: ?v stands for values, which are selected beside their entity and not counted"},
		{`SELECT ?y ?v { ?y :r ?x . ?x :one ?v FILTER(?v > 2) }`, "1:11: ?v is a value of x, which is not selected"},
		{`SELECT ?y ?v { ?y :r :b . :b :one ?v FILTER(?v > 2) }`, `1:11: ?v is a value of "b", which is not selected`},
		{`SELECT ?y ?v { ?y :r :b { ?y :one ?v FILTER(?v > 2) } UNION { ?y :one ?v FILTER(?v < 1) } }`, "1:11: ?v has no value in some solutions"},
		{`SELECT ?y ?v { ?y :r :b FILTER EXISTS { ?y :one ?v FILTER(?v > 2) } }`, "1:11: ?v has no value in some solutions"},
		{`SELECT ?y ?v { :a :r :b . :b :one ?v FILTER(?v > 2) }`, "1:8: ?y does not occur in the pattern"},
		{`SELECT ?y ?v { ?y :r :b ; :many ?v ; :many ?w FILTER(?v > 2 && ?w > 2) }`, "1:38: an entity may have several values of many"},
		{`SELECT ?x ?y ?v { ?y :r ?x ; :many ?v FILTER(?v > 2) } ORDER BY ?v LIMIT 3`, "the best rows of several variables come in their own order"},
		{`SELECT ?y { ?y <http://www.w3.org/2000/01/rdf-schema#label> "Tin" }`, `1:16: labels are no facts`},
	} {
		r, err := Parse(x.text)
		if err == nil {
			err = r.Bind(graphOf{"u:a", "b"}, false)
		}
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: got %v, want %q", x.text, err, x.want)
		}
	}
}
