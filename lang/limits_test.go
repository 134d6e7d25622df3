package lang

import (
	"fmt"
	"strings"
	"testing"

	"github.com/efoc/efoc/lang/limits"
)

// repeat joins n numbered copies of a format.
func repeat(n int, format, sep string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(parts, sep)
}

func TestLimits(t *testing.T) {
	pair := `(r%d("a", y) | s("b", y))`
	for _, c := range []struct{ name, text, want string }{
		{"text", `r("` + strings.Repeat("a", limits.FormulaBytes) + `", y)`, "a formula of 65544 bytes is over the limit of 65536 bytes"},
		{"utf8", "r(\"a\",\n \"b\xff\", y)", "2:4: the text is not valid UTF-8"},
		{"disjuncts", repeat(7, pair, " & "), "has 128 disjuncts, over the limit of 64"},
		{"disjuncts by the billion", repeat(32, pair, " & "), "has 4294967296 disjuncts, over the limit of 64"},
		{"disjuncts by negation", "!(" + repeat(7, `(r%d("a", y) & s("b", y))`, " | ") + ")", "has 128 disjuncts, over the limit of 64"},
		{"disjuncts in a row", repeat(33, `(r%d("a", y))`, " | ") + " | " + repeat(5, pair, " & "), ""},
		{"atoms", repeat(65, `r%d("a", y)`, " & "), "has 65 atoms, over the limit of 64"},
		{"many atoms", repeat(4000, `r%d("a", y)`, " & "), "has 4000 atoms, over the limit of 64"},
		{"variables", "exists " + repeat(200, "x%d", ", ") + `. r("a", y)`, "has 200 quantified variables, over the limit of 128"},
		{"parentheses", strings.Repeat("(", 30000) + `r("a", y)` + strings.Repeat(")", 30000), "nests 30000 deep, over the limit of 100"},
		{"open parentheses", strings.Repeat("(", 60000), "nests 60000 deep, over the limit of 100"},
		{"negations", strings.Repeat("!", 60000) + `r("a", y)`, "nests 60000 deep, over the limit of 100"},
		{"quantifiers", strings.Repeat("∃x.", 10000) + `r("a", y)`, "nests 10000 deep, over the limit of 100"},
		{"quantifiers after operators", repeat(1000, `(r("a", y) & exists x%d. `, ""), "nests 2000 deep, over the limit of 100"},
		{"nested one too deep", strings.Repeat("!", 98) + `(!!r("a", y))`, "1:101: the formula nests 101 deep"},
		{"negations of operands do not add up", repeat(60, `!!r%d("a", y)`, " & "), ""},
		{"nested to the limit", strings.Repeat("!", limits.Nesting) + `r("a", y)`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ParseFormula(c.text)
			if c.name == "disjuncts in a row" {
				c.want = "has 65 disjuncts" // 33 + 2^5
			}
			switch {
			case c.want == "" && err != nil:
				t.Errorf("got %v", err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %.200v, want %s", err, c.want)
			}
		})
	}
}

func TestFileLimits(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"text", strings.Repeat("// text\n", limits.FileBytes/8+1), "a file of 1048584 bytes is over the limit of 1048576 bytes"},
		{"parameters", "query Q(" + repeat(200, "p%d", ", ") + ` entity) y = r("a", y)`, "has 200 parameters, over the limit of 192"},
		{"many queries", repeat(6000, `query Q%d y = r("a", y)`, "\n"), ""},
		{"many mistakes", repeat(6000, `query Q%d y = r(x, y`, "\n"), "and 5990 more"},
		{"comments", strings.Repeat("//\n\n", 20000), ""},
		{"one long line", repeat(6000, `query Q%d y = r(x,, y)`, " "), "and 5990 more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ParseFile("", []byte(c.text))
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %.200v, want %s", err, c.want)
			}
		})
	}
}
