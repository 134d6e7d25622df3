package lang

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// formatCases are files with comments, and what they are in canonical form.
var formatCases = []struct{ name, text, want string }{
	{"head", `// Licence.

//The package.
package p // named p
// Semantics.
semantics fit //truth
// Layers.
layers 3
// Loose.

query Q y = r("a", y)`, `// Licence.

// The package.
package p // named p
// Semantics.
semantics fit // truth
// Layers.
layers 3

// Loose.

query Q y =
    r("a", y)
`},
	{"within clauses", "package // a\np // b\nsemantics\n// c\nfit\nquery Q y = r(\"a\", y)",
		"package p // b\n// a\nsemantics fit\n\n// c\n\nquery Q y =\n    r(\"a\", y)\n"},
	{"operands", `query Q y = r("a", y) // first
	// second
	// and more
	& s("b", y) & // third

	t("c", y) // last
	// after
`, `query Q y =
    r("a", y) & // first
    // second
    // and more
    s("b", y) & // third
    t("c", y) // last

// after
`},
	{"type", "query Q y show x = // head\n\ty: City & // which\n\t// tie\n\texists x. r(\"a\", x) & // last\n s(x, y)",
		"query Q y: City show x = // head\n    // which\n    // tie\n    exists x.\n        r(\"a\", x) & // last\n        s(x, y)\n"},
	{"quantifier", `query Q(e entity) y =
    // above
    exists x. // some x
        r($e, x)
        // below
        & s(x, y)`, `query Q(e entity) y =
    // above
    exists x. // some x
        r($e, x) &
        // below
        s(x, y)
`},
	{"within an operand", `query Q y = r("a", y) & (s("b", y) // left
	| // or
	// right
	t("c", // deep
	y)) // end`, `query Q y =
    r("a", y) &
    // left
    // or
    // right
    // deep
    (s("b", y) | t("c", y)) // end
`},
	{"parentheses", `query Q y = // head
	( // open
	// first
	(r("a", y)) // one
	) & ( // two
	s("b", y) | t("c", y)
	// close
	)`, `query Q y = // head
    // open
    // first
    r("a", y) & // one
    // two
    // close
    (s("b", y) | t("c", y))
`},
	{"two ends of one of two operands", "query Q y = r(\"a\", y) & (s(\"a\", y) // inner\n) // outer",
		"query Q y =\n    r(\"a\", y) &\n    // inner\n    s(\"a\", y) // outer\n"},
	{"empty behind a head", "query Q y =(//\nr(\"a\",y))", "query Q y = //\n    r(\"a\", y)\n"},
	{"two ends", "query Q y = (r(\"a\", y) // inner\n) // outer", "query Q y =\n    // inner\n    r(\"a\", y) // outer\n"},
	{"head of a query", `query Q( // parameters
	// the entity
	e entity) y
	// formula
	= r($e, y) & s("b", y) // end`, `query Q(e entity) y = // parameters
    // the entity
    // formula
    r($e, y) & s("b", y) // end
`},
	{"inequality", "query Q y = r(\"a\", y) & // one\ny // two\n!= \"a\"",
		"query Q y =\n    r(\"a\", y) & // one\n    // two\n    y != \"a\"\n"},
	{"empty", "//\nquery Q y = r(\"a\", y)\n//\n\n//", "//\n\nquery Q y =\n    r(\"a\", y)\n\n//\n\n//\n"},
	{"only comments", "// a\n\n\n// b\n", "// a\n\n// b\n"},
	{"one line of queries", "// doc\npackage p query A y = r(\"a\", y) query B y = // b\ns(\"b\", y)",
		"// doc\npackage p\n\nquery A y =\n    r(\"a\", y)\n\nquery B y = // b\n    s(\"b\", y)\n"},
	{"after the head of a line", "query A y =\n// of a\nr(\"a\", y) query B y = s(\"b\", y)",
		"query A y =\n    // of a\n    r(\"a\", y)\n\nquery B y =\n    s(\"b\", y)\n"},
}

func TestFormatComments(t *testing.T) {
	for _, c := range formatCases {
		t.Run(c.name, func(t *testing.T) {
			f, err := ParseFile("", []byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if got := Format(f); got != c.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
			}
			checkFormat(t, c.text)
		})
	}
}

// checkFormat checks that a file keeps its meaning and its comments when it is formatted,
// and that formatting it again changes nothing.
func checkFormat(t *testing.T, text string) {
	t.Helper()
	f, err := ParseFile("", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	formatted := Format(f)
	again, err := ParseFile("", []byte(formatted))
	if err != nil {
		t.Fatalf("%s\nis formatted as\n%s\nwhich does not parse: %v", text, formatted, err)
	}
	if twice := Format(again); twice != formatted {
		t.Fatalf("%s\nis formatted as\n%s\nand that as\n%s", text, formatted, twice)
	}
	same := f.Package == again.Package && f.Doc == again.Doc && f.Semantics == again.Semantics && f.Layers == again.Layers &&
		len(f.Queries) == len(again.Queries)
	for i := range f.Queries {
		same = same && reflect.DeepEqual(bare(f.Queries[i]), bare(again.Queries[i]))
	}
	if !same {
		t.Fatalf("%s\nmeans another thing than\n%s", text, formatted)
	}
	if before, after := commentsOf(text), commentsOf(formatted); !slices.Equal(before, after) {
		t.Fatalf("%s\nhas the comments %q, but\n%s\nhas %q", text, before, formatted, after)
	}
}

// commentsOf returns the comments of a text, sorted.
func commentsOf(text string) []string {
	_, comments := newParser("", text).scan(MaxFileBytes, "")
	var out []string
	for _, c := range comments {
		out = append(out, strings.TrimSpace(strings.TrimPrefix(c.Value, "//")))
	}
	slices.Sort(out)
	return out
}
