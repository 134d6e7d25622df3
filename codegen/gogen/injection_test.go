package gogen

import (
	"fmt"
	goast "go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/testdata/seed"
)

// evil are texts that could become code, or hide it, if inserted unquoted.
var evil = []string{
	`"`, `\`, `\"`, "`", "a\nb", "\r", "\x00", "*/", "/*", "//go:build ignore", "\n//go:build ignore\n", "// +build ignore",
	"+build ignore", "go:build ignore", "\u202e", "\u2066", "\u2028", "\u2029", "\ufeff", "\xff", "\xe2\x80", "%s%d", "$x", "x\n}\nfunc init() { panic(1) }\nvar _ = T{",
	"*/\nfunc init() {}\n/*", `" + os.Args[0] + "`, "import \"C\"", "\n\npackage main\n", "go:generate rm", "\ngo:generate rm", "line x.go:1", "\tcode", "# heading",
}

// TestFileInjection checks that no text from a query file changes the structure of the code: its declarations
// and string literals are the same as for harmless texts, and it has no directives.
func TestFileInjection(t *testing.T) {
	harmless := declarations(t, generate(t, "d", "d", "e", "r"))
	check := func(t tb, doc, queryDoc, entity, relation string) {
		t.Helper()
		code := generate(t, doc, queryDoc, entity, relation)
		checkGo(t, code)
		if got := declarations(t, code); !slices.Equal(got, harmless) {
			t.Fatalf("declarations\n%s\nbecame\n%s\nin\n%s", strings.Join(harmless, "\n"), strings.Join(got, "\n"), code)
		}
		checkDirectives(t, code)
		for _, name := range []string{entity, relation} {
			if !slices.Contains(literals(t, code), name) {
				t.Fatalf("the name %q is not in\n%s", name, code)
			}
		}
	}
	for _, e := range evil {
		for _, texts := range [][4]string{{e, "d", "e", "r"}, {"d", e, "e", "r"}, {"d", "d", e, "r"}, {"d", "d", "e", e}, {e, e, e, e}} {
			check(t, texts[0], texts[1], texts[2], texts[3])
		}
	}
	check(t, "d", "d", "AAAAA\x00AAAAA\tA\"AAAAA// +build ignore.", "\u2066.") // wrapped before +build
	seed.Check(t, func(t *rapid.T) {
		text := func(label string) string {
			parts := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(evil), rapid.String()), 1, 3).Draw(t, label)
			return strings.Join(parts, "") + "."
		}
		check(t, text("doc"), text("query doc"), text("entity"), text("relation"))
	})
}

// generate prints the code for a file with the given texts in every position that takes text.
func generate(t tb, doc, queryDoc, entity, relation string) []byte {
	t.Helper()
	q := &lang.Query{Name: "T", Doc: queryDoc, Free: "y", Formula: &ast.Atom{
		Relation: ast.Relation{Name: relation},
		Head:     ast.Term{Kind: ast.Constant, Name: entity},
		Tail:     ast.Term{Name: "y"},
	}}
	if err := q.Normalize(); err != nil {
		t.Fatalf("%q, %q: %v", entity, relation, err)
	}
	out, err := File(analyzed(t, &lang.File{Package: "p", Doc: doc, Queries: []*lang.Query{q}}), Options{Source: "x.efo", Package: "p"})
	if err != nil {
		t.Fatalf("%q, %q, %q, %q: %v", doc, queryDoc, entity, relation, err)
	}
	return out.Code
}

// declarations lists the declarations of a file with their token counts.
func declarations(t tb, code []byte) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "x.go", code, 0)
	if err != nil {
		t.Fatalf("%v\n%s", err, code)
	}
	out := []string{"package " + f.Name.Name}
	for _, d := range f.Decls {
		name := fmt.Sprintf("%T", d)
		if fn, ok := d.(*goast.FuncDecl); ok {
			name = "func " + fn.Name.Name
		}
		nodes := 0
		goast.Inspect(d, func(goast.Node) bool {
			nodes++
			return true
		})
		out = append(out, fmt.Sprintf("%s of %d nodes", name, nodes))
	}
	return out
}

// literals returns the values of the string literals of a file.
func literals(t tb, code []byte) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "x.go", code, 0)
	if err != nil {
		t.Fatalf("%v", err)
	}
	var out []string
	goast.Inspect(f, func(n goast.Node) bool {
		if l, ok := n.(*goast.BasicLit); ok && l.Kind == token.STRING {
			if s, err := strconv.Unquote(l.Value); err == nil {
				out = append(out, s)
			}
		}
		return true
	})
	return out
}

// checkDirectives checks that no comment is a tool directive or hides characters.
func checkDirectives(t tb, code []byte) {
	t.Helper()
	for i, line := range strings.Split(string(code), "\n") {
		at := strings.TrimSpace(line)
		// A +build line counts only if an empty line follows it.
		if constraint.IsGoBuild(at) || strings.HasPrefix(at, "//go:") || strings.HasPrefix(at, "//line ") || strings.HasPrefix(at, "/*") {
			t.Fatalf("line %d is a directive: %q\n%s", i+1, line, code)
		}
		if strings.ContainsAny(line, "\u202e\u2066\u2028\u2029\ufeff\r\x00") {
			t.Fatalf("line %d hides text: %q", i+1, line)
		}
	}
}
