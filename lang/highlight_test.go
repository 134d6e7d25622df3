package lang

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/participle/v2/lexer"
	"pgregory.net/rapid"

	"github.com/efoc/efoc/lang/internal/token"
	"github.com/efoc/efoc/lang/limits"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// highlighter is a TextMate grammar without nested rules, as used by editors.
type highlighter struct {
	Patterns []*struct {
		Name, Match string
		Captures    map[string]struct{ Name string }

		expr *regexp.Regexp
	}
}

func readHighlighter(t *testing.T) *highlighter {
	text, err := os.ReadFile("../cmd/efoc/package/vscode/efo.tmLanguage.json")
	require.NoError(t, err)
	h := &highlighter{}
	require.NoError(t, json.Unmarshal(text, h))
	for _, p := range h.Patterns {
		p.expr = regexp.MustCompile(p.Match)
	}
	return h
}

// scopes returns the scope of each byte of a line: at each position, the first pattern with the earliest match
// applies.
func (h *highlighter) scopes(line string) []string {
	scopes := make([]string, len(line))
	paint := func(from, to int, name string) {
		for i := from; i < to && name != ""; i++ {
			scopes[i] = name
		}
	}
	for at := 0; at < len(line); {
		var best []int
		winner := h.Patterns[0]
		for _, p := range h.Patterns {
			// \b depends on the preceding text.
			for _, m := range p.expr.FindAllStringSubmatchIndex(line, -1) {
				if m[0] >= at && m[1] > m[0] {
					if best == nil || m[0] < best[0] {
						best, winner = m, p
					}
					break
				}
			}
		}
		if best == nil {
			break
		}
		paint(best[0], best[1], winner.Name)
		for i := 1; i < len(best)/2; i++ {
			paint(best[2*i], best[2*i+1], winner.Captures[string(rune('0'+i))].Name)
		}
		at = best[1]
	}
	return scopes
}

// highlighted returns the scope prefixes of a token. A word of a clause is a keyword only in that clause.
func highlighted(tok lexer.Token) []string {
	if _, keyword := token.Keywords[tok.Value]; keyword {
		return []string{"keyword.", "storage."}
	}
	switch tok.Type {
	case token.String:
		return []string{"string."}
	case token.Param:
		return []string{"variable.parameter"}
	case token.Bounds:
		return []string{"constant.numeric"}
	case token.Exists, token.Forall, token.And, token.Or, token.Not, token.Unequal, token.Implies, token.Inverse:
		return []string{"keyword."}
	case token.Ident:
		if slices.Contains([]string{"package", "semantics", "layers", "relation", "query", "show"}, tok.Value) {
			return []string{"keyword."}
		}
		return []string{"entity.", "variable.other"}
	}
	return []string{""}
}

// TestHighlight compares the editors' highlighting grammar with the lexer: on correct files, and on each word
// and sign of the language.
func TestHighlight(t *testing.T) {
	h := readHighlighter(t)
	check := func(t rapid.TB, text string) {
		tokens, comments := newParser("", text).scan(limits.FileBytes, "a file")
		lines := strings.Split(text, "\n")
		painted := make([][]string, len(lines))
		for i, line := range lines {
			painted[i] = h.scopes(line)
		}
		at := func(tok lexer.Token) string {
			start := strings.LastIndexByte(text[:tok.Pos.Offset], '\n') + 1
			return painted[tok.Pos.Line-1][tok.Pos.Offset-start]
		}
		for _, tok := range tokens[:len(tokens)-1] {
			got := at(tok)
			if !slices.ContainsFunc(highlighted(tok), func(want string) bool { return strings.HasPrefix(got, want) }) {
				t.Errorf("%q is highlighted as %q, want %q:\n%s", tok.Value, got, highlighted(tok), text)
			}
		}
		for _, tok := range comments {
			if got := at(tok); !strings.HasPrefix(got, "comment.") {
				t.Errorf("%q is highlighted as %q", tok.Value, got)
			}
		}
	}
	seed.Check(t, func(t *rapid.T) { check(t, templateFile(t)) })
	signs := strings.Fields("∃ ∀ & && ∧ | || ∨ != ≠ ! ¬ ~ -> → ^-1 {2} {0,3} show")
	for word := range token.Keywords {
		signs = append(signs, word)
	}
	for _, word := range signs {
		check(t, "x "+word+" y")
	}
	check(t, "semantics fit\nlayers 2 // two\nquery Q(a entity) y = all x. r{ 1, 2 }('it\\'s', y) -> (n|s^-1){2}(x, y) & `a\"b`(y, \"//\")")
}
