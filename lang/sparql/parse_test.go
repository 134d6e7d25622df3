package sparql

import (
	"fmt"
	"strings"
	"testing"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/lang/limits"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/testdata/require"
)

func TestParse(t *testing.T) {
	for _, x := range []struct{ text, free, want string }{
		{`SELECT ?y { :Brazil :borders ?y }`, "y", `borders("Brazil", y)`},
		{`SELECT DISTINCT * WHERE { ?y :capital :Paris . }`, "y", `capital(y, "Paris")`},
		{`PREFIX e: <urn:efoc:> select ?y where { e:France e:borders ?x . ?x e:capital ?y }`, "y",
			`exists x. borders("France", x) & capital(x, y)`},
		{`SELECT ?y { :South%20Sudan :borders/:capital ?y }`, "y", `exists step. borders("South Sudan", step) & capital(step, y)`},
		{`SELECT ?y { ?y ^:capital :France }`, "y", `capital^-1(y, "France")`},
		{`SELECT ?y { :France ^(:a/:b) ?y }`, "y", `exists step. a(y, step) & b(step, "France")`},
		{`SELECT ?y { :France :a|^:b ?y }`, "y", `a("France", y) | b^-1("France", y)`},
		{`SELECT ?y { :France :a{1,3} ?y }`, "y",
			`a("France", y) | (exists s. a("France", s) & a(s, y)) | exists s, t. a("France", s) & a(s, t) & a(t, y)`},
		{`SELECT ?y { :France (:a/^:b){2} ?y }`, "y",
			`exists s, t, u. a("France", t) & b^-1(t, s) & a(s, u) & b^-1(u, y)`},
		{`SELECT ?y { :France :a/:b? ?y }`, "y", `exists s. a("France", s) & (!(s != y) | b(s, y))`},
		{`SELECT ?y { :France ^(:a|:b){ 1 , 2 }/:c ?y }`, "y",
			`exists t. ((a(t, "France") | b(t, "France")) | exists s. (a(s, "France") | b(s, "France")) & (a(t, s) | b(t, s))) & c(t, y)`},
		{`SELECT ?y { :Mali :a ?y FILTER NOT EXISTS { ?y (:b|:c){1} :Chad } }`, "y", `a("Mali", y) & !b(y, "Chad") & !c(y, "Chad")`},
		{`SELECT ?y { ?y a <http://x.org/City> }`, "y", `"http://www.w3.org/1999/02/22-rdf-syntax-ns#type"(y, "http://x.org/City")`},
		{`BASE <http://x.org/> SELECT ?y { <a> <b> ?y }`, "y", `"http://x.org/b"("http://x.org/a", y)`},
		{`SELECT ?y { ?y :a :b, :c ; :d :e . }`, "y", `a(y, "b") & a(y, "c") & d(y, "e")`},
		{`SELECT ?y { _:n :a ?y ; :b "c d" }`, "y", `exists blank. a(blank, y) & b(blank, "c d")`},
		{`SELECT ?y { ?y :a [ :b :c ; :d ?z ] }`, "y", `exists blank, z. a(y, blank) & b(blank, "c") & d(blank, z)`},
		{`SELECT ?y { [] :a ?y }`, "y", `exists blank. a(blank, y)`},
		{`SELECT ?y { { :a :r ?y } UNION { ?y :r :b } UNION { :c :r ?y } ?y :s ?z }`, "y",
			`exists z. (r("a", y) | r(y, "b") | r("c", y)) & s(y, z)`},
		{`SELECT ?y { :a :r ?y FILTER NOT EXISTS { ?y :s :b } }`, "y", `r("a", y) & !s(y, "b")`},
		{`SELECT ?y { :a :r ?y FILTER(!EXISTS { ?y :s :b }) }`, "y", `r("a", y) & !s(y, "b")`},
		{`SELECT ?y { :a :r ?y FILTER EXISTS { ?y :s ?z } ?z :t :b }`, "y", `exists z. r("a", y) & t(z, "b") & s(y, z)`},
		{`SELECT ?y { { :a :r ?y FILTER EXISTS { ?y :s ?z } } ?z :t ?y }`, "y", `exists z_2, z. r("a", y) & s(y, z_2) & t(z, y)`},
		{`SELECT ?y { :a :r ?y MINUS { ?y :s :b } }`, "y", `r("a", y) & !s(y, "b")`},
		{`SELECT ?y { :a :r ?y MINUS { ?z :s :b } }`, "y", `r("a", y)`},
		{`SELECT ?y { MINUS { ?y :s :b } :a :r ?y }`, "y", `r("a", y)`},
		{`SELECT ?y { :a :r ?x . ?x :r ?y FILTER(?x != ?y && ?y != :b) }`, "y", `exists x. r("a", x) & r(x, y) & x != y & y != "b"`},
		{`SELECT ?y { :a :r ?y FILTER(?y NOT IN (:b, :c)) }`, "y", `r("a", y) & y != "b" & y != "c"`},
		{`SELECT ?y { ?x :r ?y FILTER(?x = :a || ?x IN (:b)) }`, "y", `exists x. r(x, y) & (!x != "a" | !x != "b")`},
		{`SELECT ?y { { SELECT ?y { ?y :r ?z } } ?z :s ?y }`, "y", `exists z_2, z. r(y, z_2) & s(z, y)`},
		{`SELECT * { { SELECT ?y WHERE { ?y :r ?z } } }`, "y", `exists z. r(y, z)`},
		{`ASK { :a :r ?x . ?x :s ?y }`, "", `exists x, y. r("a", x) & s(x, y)`},
		{`ASK { :a :r :b . :b :s :c }`, "", `r("a", "b") & s("b", "c")`},
		{`ASK { { :a :r :b } UNION { ?x :s :c } }`, "", `r("a", "b") | exists x. s(x, "c")`},
		{`ASK { :a :r ?x . ?x :s ?y FILTER(?x_confidence > 0.5) }`, "x", `exists y. r("a", x) & s(x, y)`},
		{`SELECT (COUNT(DISTINCT ?y) AS ?n) { ?x :r ?y }`, "y", `exists x. r(x, y)`},
		{`SELECT ?y { ?y :r '\"' . ?y :s "it\'s" }`, "y", `r(y, "\"") & s(y, "it's")`},
		{`SELECT ?y { ?y :r """a "b\"""" ; :s ''''c''' }`, "y", `r(y, "a \"b\"") & s(y, "'c")`},
		{`SELECT ?y { ?y :r "S\u00e3o \U0001F600" ; :s <http://x.org/\u00e9> }`, "y", `r(y, "São 😀") & s(y, "http://x.org/é")`},
		{`SELECT ?y { :हिन्दी :r ?y }`, "y", `r("हिन्दी", y)`}, // with combining marks
		{"# a comment\nSELECT $y { $y :r 'it\\'s' }", "y", `r(y, "it's")`},
	} {
		r, err := Parse(x.text)
		if err != nil {
			t.Errorf("%s: %v", x.text, err)
			continue
		}
		if err := r.Bind(nil, false); err != nil {
			t.Errorf("%s: %v", x.text, err)
		}
		if r.Query.Free != x.free {
			t.Errorf("%s: asks for %s, want %s", x.text, r.Query.Free, x.free)
		}
		compare(t, x.text, r.Query, x.want)
	}
}

// compare checks that a query is equivalent to a formula: it has the same normal form.
func compare(t *testing.T, text string, q *lang.Query, formula string) {
	t.Helper()
	want, err := lang.ParseFormula(formula)
	require.NoError(t, err)
	var forms [2]string
	for i, q := range []*lang.Query{q, want} {
		if q.Asks() != kind.Verdict {
			forms[i] = canonical(q.Normal)
			continue
		}
		for _, p := range q.Parts() {
			forms[i] += fmt.Sprintf("%s at %v; ", canonical(p.Normal), p.At != nil)
		}
		forms[i] += fmt.Sprint(q.Disjuncts())
	}
	if forms[0] != forms[1] {
		t.Errorf("%s\n got %s\nwant %s", text, forms[0], forms[1])
	}
}

// canonical prints a normal form with variables numbered by appearance.
func canonical(d *ast.DNF) string {
	var b strings.Builder
	for _, disjunct := range d.Disjuncts {
		names := map[string]string{d.Free: "free"}
		name := func(t ast.Term) string {
			if t.Kind != ast.Variable {
				return t.String()
			}
			if names[t.Name] == "" {
				names[t.Name] = fmt.Sprint("v", len(names))
			}
			return names[t.Name]
		}
		for _, l := range disjunct.Literals {
			fmt.Fprintf(&b, "%v %v %s(%s, %s) %v ", l.Negated, l.Kind, l.Relation, name(l.Head), name(l.Tail), l.Condition.Text(""))
		}
		b.WriteString("| ")
	}
	return b.String()
}

func TestModifiers(t *testing.T) {
	r, err := Parse(`SELECT ?y { :a :r ?y FILTER(?y_confidence > 0.25 && ?y_status IN ("known", "predicted")) FILTER(?y_status != "known") }
		ORDER BY DESC(?y_confidence) ?y LIMIT 7 OFFSET 3`)
	require.NoError(t, err)
	if *r.Limit != 7 || r.Offset != 3 || !r.Judged || !(r.MinConfidence > 0.25 && r.MinConfidence < 0.2500001) ||
		fmt.Sprint(r.Statuses) != "[predicted]" || fmt.Sprint(r.Order) != fmt.Sprint([]Order{{Key: ByConfidence, Descending: true}, {Key: ByIRI}}) {
		t.Errorf("got limit %d, offset %d, confidence %v, statuses %v, order %v", *r.Limit, r.Offset, r.MinConfidence, r.Statuses, r.Order)
	}
	r, err = Parse(`SELECT ?x ?y ?row_confidence { ?x :r ?y } LIMIT 3`)
	require.NoError(t, err)
	if r.Query.Free != "x" || len(r.Query.Others) != 1 {
		t.Errorf("rows with their confidence: ?%s, %v", r.Query.Free, r.Query.Others)
	}
	r, err = Parse(`SELECT ?y { :a :r ?y FILTER(?y_confidence >= "0.02"^^<http://www.w3.org/2001/XMLSchema#decimal>) }`)
	require.NoError(t, err)
	if r.MinConfidence != 0.02 {
		t.Errorf("a typed confidence is %v", r.MinConfidence)
	}
	r, err = Parse(`ASK { :a :r :b }`)
	require.NoError(t, err)
	if !r.Ask || r.Query.Asks() != kind.Verdict || r.Judged {
		t.Errorf("ASK: got %v, a sentence: %v", r.Ask, r.Query.Asks() == kind.Verdict)
	}
	r, err = Parse(`SELECT (COUNT(DISTINCT ?y) AS ?n) { :a :r ?y . ?y :s ?z }`)
	require.NoError(t, err)
	if r.Count != "n" || r.Query.Free != "y" {
		t.Errorf("COUNT: ?%s counts %q", r.Count, r.Query.Free)
	}
}

// TestFacts parses queries for stored facts of an entity.
func TestFacts(t *testing.T) {
	for text, want := range map[string]string{
		`SELECT ?p ?o { :a ?p ?o }`:                           `{false p false} [p o] ?(a, o)`,
		`SELECT ?o ?p { :a ?p ?o } LIMIT 3 OFFSET 1`:          `{false p false} [o p] ?(a, o)`,
		`SELECT DISTINCT * { :a ?p ?o }`:                      `{false p false} [p o] ?(a, o)`,
		`SELECT ?s ?p { ?s ?p :a }`:                           `{false p true} [s p] ?(s, a)`,
		`SELECT ?s ?p ?p_label { ?s ?p "b c" }`:               `{false p true} [s p] ?(s, b c)`,
		`PREFIX ex: <urn:ex:> DESCRIBE :a ex:b <urn:c>`:       `{true  false} [] ?(a, object) ?(urn:ex:b, object) ?(urn:c, object)`,
		`SELECT ?y ?y_label ?y_status { :a :r ?y }`:           ``,
		`SELECT ?x ?y { ?x :r ?y } LIMIT 3`:                   ``,
		`SELECT (COUNT(?y) AS ?n) { :a :r ?y }`:               ``,
		`ASK { :a :r ?y }`:                                    ``,
		`SELECT ?y { :a :r ?y FILTER EXISTS { ?y :r ?x . } }`: ``,
	} {
		r, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		require.NoError(t, r.Bind(nil, true))
		got := ""
		if r.Facts != nil {
			names := []string{}
			for _, v := range r.Query.Variables() {
				names = append(names, v.Name)
			}
			got = fmt.Sprint(*r.Facts, " ", names)
			ast.Walk(r.Query.Formula, func(f ast.Formula) {
				if a, ok := f.(*ast.Atom); ok && a.Relation.Param {
					got += fmt.Sprintf(" ?(%s, %s)", a.Head.Name, a.Tail.Name)
				}
			})
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, x := range []struct{ text, want string }{
		{`SELECT ?y { OPTIONAL { ?y :r :a } }`, "1:13: OPTIONAL is outside"},
		{`SELECT ?x ?y { ?x :r ?y } ORDER BY ?x LIMIT 3`, "1:36: the best rows of several variables come in their own order"},
		{`SELECT ?x ?y { ?x :r ?y FILTER(?x_confidence >= 0.5) } LIMIT 3`, "1:32: rows of several variables are not filtered"},
		{`SELECT * { ?x :r ?y FILTER(?y_status = "known") } LIMIT 3`, "1:1: rows of several variables are not filtered"},
		{`SELECT ?x ?z { ?x :r ?y } LIMIT 3`, "1:8: ?z does not occur in the pattern"},
		{`SELECT ?x ?y { { ?x :r ?y } UNION { ?x :s :a } } LIMIT 3`, "1:24: ?y has no value in some solutions"},
		{`SELECT (SUM(?y) AS ?n) { ?y :r :a }`, "1:9: SUM is outside"},
		{`SELECT (COUNT(?y) AS ?n) { ?y :r ?x }`, "1:9: an answer may repeat among the solutions, which COUNT counts"},
		{`SELECT (COUNT(?z) AS ?n) { ?y :r :a }`, "1:15: ?z does not occur"},
		{`SELECT (COUNT(?y) AS ?n) { ?y :r :a FILTER(?y_confidence > 0.5) }`, "1:9: answers that are counted have no confidence"},
		{`SELECT (COUNT(?y) AS ?n) { ?y :r :a } LIMIT 3`, "1:9: a number has no order and no parts"},
		{`ASK { :a :r :b FILTER(:a != :b) }`, "compares two entities"},
		{`SELECT ?z { ?x :r ?y }`, "1:8: ?z does not occur"},
		{`SELECT ?y { { ?y :r :a } UNION { ?x :r :a } }`, "?y has no value in some solutions"},
		{`SELECT ?y { :a ?p/:q ?y }`, "cannot stand here"},
		{`SELECT ?y { ?y ?y :a }`, "1:16: ?y stands for a relation, as only in SELECT ?p ?o"},
		{`SELECT ?y { :a ?p ?y }`, "1:16: ?p stands for a relation, as only in SELECT ?p ?o"},
		{`SELECT ?p ?y { :a ?p ?y . ?y :r :b } LIMIT 3`, "1:19: ?p stands for a relation"},
		{`SELECT ?p ?y { :a ?p [ :r ?y ] } LIMIT 3`, "1:19: ?p stands for a relation"},
		{`SELECT * { :a ?p ?p }`, "1:15: ?p stands for a relation"},
		{`SELECT * { ?s ?p ?o }`, "1:15: ?p stands for a relation"},
		{`SELECT ?p ?z { :a ?p ?y }`, "1:19: ?p stands for a relation"},
		{`ASK { :a ?p :b }`, "1:10: ?p stands for a relation"},
		{`SELECT ?y { :a :r ?y FILTER EXISTS { ?y ?p :b } }`, "1:41: ?p stands for a relation"},
		{`SELECT ?p ?y { :a ?p ?y } ORDER BY ?y`, "1:36: the facts of an entity come in their own order"},
		{`SELECT ?x ?y { ?x :r ?y }`, "1:1: a SELECT of several variables returns the best rows"},
		{`SELECT * { ?x :r ?y } ORDER BY ?x`, "1:1: a SELECT of several variables returns the best rows"},
		{`SELECT (COUNT(*) AS ?n) { :a :r ?y }`, "1:15: solutions are not counted, but the answers of one variable"},
		{`SELECT ?y (COUNT(?x) AS ?n) { ?x :r ?y } GROUP BY ?y`, "1:42: GROUP is outside"},
		{`SELECT ?y (COUNT(?x) AS ?n) { ?x :r ?y }`, "1:11: \"(\" cannot stand here"},
		{`SELECT ?y { :a :r ?y FILTER(isIRI(?y)) }`, "1:29: the function isIRI is outside"},
		{`DESCRIBE ?y`, "1:10: DESCRIBE of a pattern is outside"},
		{`DESCRIBE * { ?y :r :a }`, "1:10: DESCRIBE of a pattern is outside"},
		{`DESCRIBE :a { ?y :r :a }`, "1:10: DESCRIBE of a pattern is outside"},
		{`SELECT ?y { ?y :r :a { SELECT (COUNT(?x) AS ?n) { ?x :s :a } } }`, "1:24: a sub-SELECT cannot count"},
		{`SELECT ?y { :a :r* ?y }`, "1:18: paths of * have no bound"},
		{`SELECT ?y { :a (:r/:s)+ ?y }`, "1:23: paths of + have no bound"},
		{`SELECT ?y { :a :r{2,1} ?y }`, "1:18: no path has at least 2"},
		{`SELECT ?y { :a ((:r{1,64}){1,64}){1,64} ?y }`, "1:20: the paths of the query have more than 64 steps"},
		{`SELECT ?y { :a :r ?y FILTER NOT EXISTS { ?y :s{1,2} :b } }`, "NOT EXISTS of a variable"},
		{`SELECT ?y { :a :r? ?y }`, "gives its answer away"},
		{`SELECT ?y { :a !:r ?y }`, "1:16: paths of !"},
		{`SELECT ?y { x:a :r ?y }`, "1:13: the prefix x: is not declared"},
		{`SELECT ?y { :a :r ?y FILTER NOT EXISTS { ?y :s ?z } }`, "1:48: NOT EXISTS of a variable"},
		{`SELECT ?y { :a :r ?y MINUS { ?y :s ?z } }`, "1:36: MINUS of a variable"},
		{`SELECT ?y { :a :r ?y FILTER(?z != ?y) }`, "1:29: ?z has no value"},
		{`SELECT ?y { :a :r ?y FILTER(?y != _:b) }`, "1:35: a blank node cannot be compared"},
		{`SELECT ?y { :a :r ?y FILTER(?y < :b) }`, "1:29: ?y is compared as a value: with a number or a date only"},
		{`SELECT ?y { :a :r ?y FILTER(?y_confidence < 0.5) }`, "1:29: confidence is compared by"},
		{`SELECT ?y { :a :r ?y FILTER(?y_status = "sure") }`, "1:29: a status is"},
		{`SELECT ?y { :a :r ?y FILTER(?y_status = "known" || ?y != :b) }`, "1:29: ?y_status cannot stand here"},
		{`SELECT ?y { :a :r ?y FILTER(?y = :b) }`, "gives its answer away"},
		{`SELECT ?y { :a :r ?y } ORDER BY ?x`, "1:33: answers cannot be ordered by ?x"},
		{`SELECT ?y { :a :r ?y } LIMIT 1.5`, "1:24: the number is 1.5"},
		{`SELECT ?y { :a :r ?y } OFFSET -1`, "1:24: the number is -1, want a whole number"},
		{`SELCT ?y { :a :r ?y }`, "1:1: SELCT cannot stand here"},
		{`SELECT ?y { :a :r ?y FILTER(?y_confidence => 0.3) }`, "1:44: SPARQL has no =>"},
		{`SELECT ?y { :a :r ?y FILTER(?y == :b) }`, "1:33: SPARQL has no =="},
		{`SELECT ?y { :a :r ?y FILTER(?y <> :b) }`, "1:32: SPARQL has no <>"},
		{`SELECT ?y { :a :r ?y FILTER(?y != :b & ?y != :c) }`, "1:38: SPARQL has no &"},
		{`SELECT ?y { :a :r ?y FILTER(?y) }`, "1:22: this FILTER cannot be read"},
		{`SELECT ?y { :a :r ?y } LIMIT 99999999999`, "1:24: the number is 99999999999"},
		{`SELECT ?y { :a :r ?y } LIMIT 1 OFFSET 2 LIMIT 3`, "1:41: LIMIT and OFFSET are given once each"},
		{`SELECT ?y { ?y :r "a\qb" }`, `1:19: the literal has \q, which is not an escape`},
		{`SELECT ?y { ?y :r "\uD800" }`, `1:19: the literal has \uD800`},
		{`SELECT ?y { }`, "an empty group"},
		{`SELECT ?y { _:b :r ?y { ?y :s :a } _:b :t ?y }`, "1:36: the blank node _:b stands in several groups"},
		{`SELECT ?y { _:b :r ?y FILTER EXISTS { ?y :s _:b } }`, "1:45: the blank node _:b stands in several groups"},
		{`SELECT ?y { ?x :r ?y } ORDER BY ?y LIMIT 2`, "1:36: an answer may repeat"},
		{`SELECT ?y { { :a :r ?y } UNION { :b :r ?y } } ORDER BY ?y OFFSET 2`, "1:59: an answer may repeat"},
		{`SELECT ?y { :a :r ?y`, `1:21: the query ends, but the "{" at 1:11 is not closed`},
		{``, "1:1: the query ends where more must follow"},
		{`SELECT ?y { :a :r ?y } }`, `1:24: "}" closes nothing`},
		{`SELECT ?y { :a :r ?y )`, `1:22: ")" cannot stand here`},
		{`SELECT ?y { Brazil :r ?y }`, "1:13: Brazil cannot stand here"},
		{`SELECT ?y WHERE ( :a :r ?y )`, `1:17: "(" cannot stand here`},
		{`SELECT ?y { :a :r "b }`, "1:19: the literal is not closed"},
		{`SELECT ?y { <http://x.org/a b> :r ?y }`, "1:13: the IRI is not closed"},
		{`SELECT ?y { :a :r ?y FILTER regex(?y, "a") }`, "1:29: the function regex is outside"},
		{"SELECT ?y {\n  :a :r ?y ;\n  ?! }", "3:3: "},
		{`SELECT ?y { ?y_status :r ?y }`, "1:13: ?y_status says something about ?y"},
		{`INSERT DATA { :a :r :b }`, "1:1: INSERT is outside"},
		{`SELECT ?y { ` + strings.Repeat("{", 200) + ` :a :r ?y ` + strings.Repeat("}", 200) + `}`, "nests more than"},
		{strings.Repeat(" ", limits.FormulaBytes+1), "over the limit"},
		{"SELECT ?y { :a :r \xff }", "not valid UTF-8"},
	} {
		_, err := Parse(x.text)
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%.80s: got %v, want %q", x.text, err, x.want)
		}
		if _, ok := err.(lang.ErrorList); err != nil && !ok {
			t.Errorf("%.80s: the error is a %T", x.text, err)
		}
	}
}

// nameOf inverts IRI for arbitrary names.
func TestIRI(t *testing.T) {
	for _, name := range []string{"France", "South Sudan", "Europe/Paris", "http://x.org/a#b", "a%b", "ünï", "urn:efoc:x", "+33", "a:b", "a: b", "<>", "{"} {
		iri := IRI(name)
		if got := nameOf(iri); got != name {
			t.Errorf("%q is %s, which stands for %q", name, iri, got)
		}
		if !absolute.MatchString(iri) {
			t.Errorf("%q: %s is not an absolute IRI", name, iri)
		}
		r, err := Parse("SELECT ?y { <" + iri + "> :r ?y }")
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if atom := r.Query.Formula.(*ast.Atom); atom.Head.Name != name {
			t.Errorf("%q came back as %q", name, atom.Head.Name)
		}
	}
}

// A SELECT whose variable was replaced by a value has one solution or none.
func TestSolution(t *testing.T) {
	for _, x := range []struct{ text, selected string }{
		{`SELECT ?y ?y_confidence { :a :r :b }`, "y"},
		{`SELECT * { :a :r :b . :b :s :c }`, ""},
		{`SELECT * { :a :r :b . :c :s :a FILTER(?y_confidence >= 0.3) }`, ""},
		{`SELECT ?y { :a :r ?x }`, "y"},
	} {
		r, err := Parse(x.text)
		if err != nil {
			t.Errorf("%s: %v", x.text, err)
			continue
		}
		if !r.Solution || !r.Ask || r.Selected != x.selected || r.Query.Asks() != kind.Verdict {
			t.Errorf("%s: solution %v, ?%s, a sentence: %v", x.text, r.Solution, r.Selected, r.Query.Asks() == kind.Verdict)
		}
	}
}

// LiteralOf inverts String.
func TestLiteral(t *testing.T) {
	for _, l := range []Literal{{}, {Text: "a \"b\"\\n\n\t\x01ü"}, {"a", "en-GB", ""}, {"1", "", xsd + "integer"}} {
		if got, ok := LiteralOf(l.String()); !ok || got != l {
			t.Errorf("%+v is %s, which is %+v", l, l, got)
		}
	}
	for _, name := range []string{``, `a`, `"`, `"a`, `"a"b`, `"a"@`, `"a" "b"`, `"\q"`} {
		if l, ok := LiteralOf(name); ok {
			t.Errorf("%s is the literal %+v", name, l)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		`SELECT ?y { :a :r/^:s ?y FILTER(?y != :b) }`, `ASK { _:a a [ :r "x"@en ] } `, `PREFIX a: <b> SELECT * { { ?y a:c 5 } UNION { ?y :r 'x'^^a:t } } LIMIT 3`,
		`SELECT ?y { ?y :r ?z ; :one ?v FILTER(?v > 2 && 3 != ?v) { ?z :many 5 } UNION { ?z :one ?w FILTER(?w = 2.5) } }`,
		`SELECT ?y { { SELECT ?y { ?y :r ?z } } MINUS { ?y :s :b } FILTER NOT EXISTS { ?y :t :c } } ORDER BY DESC(?y_confidence) OFFSET 2`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := Parse(text)
		if (r == nil) == (err == nil) {
			t.Fatalf("%q: request %v with error %v", text, r, err)
		}
		if err != nil || r.Facts != nil {
			return
		}
		if err := r.Query.Normalize(); err != nil {
			t.Fatalf("%q: accepted, but %v", text, err)
		}
		err = r.Bind(graphOf{"urn:a", `"x"@en`}, false)
		if _, placed := err.(lang.ErrorList); err != nil && !placed {
			t.Fatalf("%q: %v", text, err)
		}
		if err != nil || r.Empty {
			return
		}
		if r.Query.Asks() == kind.Verdict {
			return
		}
		bound := r.Query.Normal.String()
		if err := r.Query.Normalize(); err != nil || r.Query.Normal.String() != bound {
			t.Fatalf("%q: the normal form is\n%s\nwant\n%s (%v)", text, bound, r.Query.Normal, err)
		}
	})
}
