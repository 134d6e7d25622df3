package lang

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/lang/internal/token"
	"github.com/efoc/efoc/lang/limits"
	"github.com/efoc/efoc/testdata/seed"
)

// TestRoundTripFormula prints and parses formulas of all forms.
func TestRoundTripFormula(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		f := anyFormula(t, 4, "")
		text := ast.Text(f)
		p := newParser("", text)
		parsed := p.sole()
		if parsed == nil {
			t.Fatalf("%s\ndoes not parse: %v", text, p.err())
		}
		if got := bareFormula(parsed.Formula); !reflect.DeepEqual(got, f) {
			t.Fatalf("%s\nparses as\n%s", text, ast.Text(got))
		}
		lines := ast.Joined(formulaLines(f, "    ", rapid.Bool().Draw(t, "broken")), "\n")
		if parsed := newParser("", lines).sole(); parsed == nil || !reflect.DeepEqual(bareFormula(parsed.Formula), f) {
			t.Fatalf("%s\nin lines is\n%s", text, lines)
		}
		tokens, _ := p.scan(limits.FormulaBytes, "")
		if got, _ := nesting(tokens); got != ast.Depth(f) {
			t.Fatalf("%s\nnests %d deep as text and %d deep as tree", text, got, ast.Depth(f))
		}
	})
}

// TestMinimalParentheses removes each pair of parentheses from a printed formula in turn: the result must be
// invalid or have another meaning.
func TestMinimalParentheses(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		f := anyFormula(t, 3, "")
		text := ast.Text(f)
		tokens, _ := newParser("", text).scan(limits.FormulaBytes, "")
		var open []int
		for i, tok := range tokens {
			switch {
			case tok.Type != token.Punct:
			case tok.Value == "(":
				open = append(open, i)
			case tok.Value == ")":
				first := open[len(open)-1]
				open = open[:len(open)-1]
				a, b := tokens[first].Pos.Offset, tok.Pos.Offset
				p := newParser("", text[:a]+" "+text[a+1:b]+" "+text[b+1:])
				if parsed := p.sole(); parsed != nil && reflect.DeepEqual(bareFormula(parsed.Formula), f) {
					t.Fatalf("%s\nmeans the same without the parentheses at %d and %d", text, a, b)
				}
			}
		}
	})
}

// TestRoundTripFile prints and parses files of sound queries.
func TestRoundTripFile(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		file := &File{}
		if rapid.Bool().Draw(t, "package") {
			file.Package = anyIdent().Draw(t, "package")
			file.Doc = anyDoc(t)
		}
		if rapid.Bool().Draw(t, "semantics") {
			file.Semantics = rapid.SampledFrom(ast.Semantics).Draw(t, "semantics")
		}
		file.Layers = rapid.IntRange(0, limits.Layers).Draw(t, "layers")
		names := make(map[string]bool)
		for range rapid.IntRange(0, 3).Draw(t, "queries") {
			q := soundQuery(t, true)
			if _, _, err := normalize(q); err == nil && !names[q.Name] {
				names[q.Name] = true
				file.Queries = append(file.Queries, q)
			}
		}
		text := file.String()
		parsed, err := ParseFile("", []byte(text))
		if err != nil {
			t.Fatalf("%s\n%s", text, err.(ErrorList).Render())
		}
		for i, q := range parsed.Queries {
			if i >= len(file.Queries) || !reflect.DeepEqual(bare(q), file.Queries[i]) {
				t.Fatalf("%s\nparses as\n%s", text, q)
			}
		}
		if parsed.Package != file.Package || parsed.Semantics != file.Semantics || parsed.Layers != file.Layers || parsed.Doc != file.Doc || len(parsed.Queries) != len(file.Queries) || parsed.loose != nil {
			t.Fatalf("%s\nparses as\n%s", text, parsed.String())
		}
		if again := parsed.String(); again != text {
			t.Fatalf("%s\nprints as\n%s", text, again)
		}
	})
}

// TestRoundTripQuery prints and parses ad-hoc questions.
func TestRoundTripQuery(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		q := soundQuery(t, false)
		if _, _, err := normalize(q); err != nil {
			return
		}
		parsed, err := ParseFormula(q.String())
		if err != nil {
			t.Fatalf("%s\n%v", q, err)
		}
		if !reflect.DeepEqual(bare(parsed), q) {
			t.Fatalf("%s\nparses as\n%s", q, parsed)
		}
	})
}
