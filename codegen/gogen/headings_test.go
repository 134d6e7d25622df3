package gogen

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/codegen/internal/codegen"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/require"
)

// parts are the methods that prepare truth degrees for the call below the same heading.
const parts = "Any Times Diagonal Follow Join"

// headings are the forms of the comments above the calls of a plan, with the methods that compute what each
// announces, by the formulas of package ir's op table. The term or message in parentheses is the prefix of the
// variables' names. "For later steps" announces nothing in particular.
var headings = []struct {
	form    *regexp.Regexp
	methods string
}{
	{regexp.MustCompile(`^sweep \d+ of the entity table`), "Sweep Run Score LoopScore Cosine Embed Estimate Row Rows"},
	{regexp.MustCompile(`^loop \d+ over the entity table`), "Next Vec Emb Score LoopScore Cosine Embed Estimate"},
	{regexp.MustCompile(`^messages for the next sweep$`), "Project Neighbors Traverse Loops Complement Normalize"},
	{regexp.MustCompile(`^for later steps$`), ""},
	{regexp.MustCompile(`^layer \d+: (\S+ -> \S+) by `), "Message Elsewhere Traverse Neighbors Loops Complement Normalize"},
	{regexp.MustCompile(`^layer \d+: state of (\S+)$`), "Mul Normalize State"},
	{regexp.MustCompile(`^layer \d+: embedding of (\S+)$`), "Correct"},
	{regexp.MustCompile(`^readout of \S+ in SCQ \d+$`), "Readout Mix Softmax"},
	{regexp.MustCompile(`^readout of \S+ in SCQ \d+, without what is excluded$`), "Mul ScaleSum"},
	{regexp.MustCompile(`^union$`), parts + " Max ScaleMax ScaleSum Either"},
	{regexp.MustCompile(`^mixture$`), "Mixture"},
	{regexp.MustCompile(`^(\S+)$`), "OneHot"},
	{regexp.MustCompile(`^(\S+) by `), "Ends Loops"},
	{regexp.MustCompile(`^\S+ != \S+$`), "Except Elsewhere Others"},
	{regexp.MustCompile(`^degrees of (\S+)$`), parts + " Dense"},
	{regexp.MustCompile(`^candidates of (\S+)$`), parts + " Best Every Values"},
	{regexp.MustCompile(`^values of (\S+)$`), parts + " Values"},
	{regexp.MustCompile(`^the best branch$`), "Join"},
	{regexp.MustCompile(`^the best (\S+)$`), parts + " Peak"},
	{regexp.MustCompile(`^(\S+ -> \S+) by `), parts + " Push Narrow Leaf Other"},
	{regexp.MustCompile(`^each (\S+ -> \S+) by `), parts + " Each"},
	{regexp.MustCompile(`^(\S+) proposes values of \S+$`), parts + " Best Push"},
	{regexp.MustCompile(`^one branch$`), "Root"},
	{regexp.MustCompile(`^a branch for each (\S+)$`), parts + " Branch"},
}

// TestHeadings checks in the plans of all shapes and semantics that the comment above calls matches them.
func TestHeadings(t *testing.T) {
	text, err := os.ReadFile("../shapes/shapes.efo")
	require.NoError(t, err)
	for _, semantics := range model.AllSemantics {
		f, err := lang.ParseFile("shapes.efo", text)
		require.NoError(t, err)
		f.Semantics = semantics.String()
		out, err := File(analyzed(t, f), Options{Source: "shapes.efo", Package: "p"})
		require.NoError(t, err)
		checkHeadings(t, out.Code)
	}
}

// checkHeadings checks the comments in the functions that run plans.
func checkHeadings(t tb, code []byte) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "x.go", code, parser.ParseComments)
	require.NoError(t, err)
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || !runsPlan(fn) {
			continue
		}
		heading := ""
		comments := file.Comments
		for _, s := range fn.Body.List {
			for len(comments) > 0 && comments[0].Pos() < s.Pos() {
				heading = strings.Join(strings.Fields(comments[0].Text()), " ")
				comments = comments[1:]
			}
			checkHeading(t, fn.Name.Name, heading, s)
		}
	}
}

// outside are the methods around the computing calls.
const outside = "Constant Relation Tiles StartDegrees SetAnswer SetFuzzySet Err"

// operands are the functions that name an operand.
const operands = "EntityEmb"

// checkHeading checks a statement below a heading.
func checkHeading(t tb, function, heading string, s ast.Stmt) {
	t.Helper()
	called := methodsOf(s)
	if strings.Contains(outside, called[0]) {
		return
	}
	for _, h := range headings {
		match := h.form.FindStringSubmatch(heading)
		if match == nil {
			continue
		}
		for _, method := range called {
			if h.methods != "" && !slices.Contains(strings.Fields(h.methods+" "+operands), method) {
				t.Fatalf("%s calls %s under %q", function, method, heading)
			}
		}
		if assigned, ok := s.(*ast.AssignStmt); ok && len(match) > 1 {
			name := assigned.Lhs[0].(*ast.Ident).Name
			if want := variable(match[1]); !want.MatchString(name) {
				t.Fatalf("%s sets %s under %q, want %s", function, name, heading, want)
			}
		}
		return
	}
	t.Fatalf("%s has the heading %q, which has no known form", function, heading)
}

// variable matches the names of variables for a term or a message. A letter after the first term distinguishes
// constants of equal names.
func variable(subject string) *regexp.Regexp {
	from, to, message := strings.Cut(subject, " -> ")
	pattern := "^" + term(from)
	if message {
		pattern += "[B-Z]?To" + codegen.Exported(term(to))
	}
	return regexp.MustCompile(pattern)
}

// term returns the name of a variable for a term.
func term(text string) string { return local(strings.Trim(text, "$\""), "constant") }

// methodsOf returns the methods that a statement calls, outermost first.
func methodsOf(s ast.Stmt) []string {
	var methods []string
	ast.Inspect(s, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if ok {
			methods = append(methods, call.Fun.(*ast.SelectorExpr).Sel.Name)
		}
		return true
	})
	return methods
}
