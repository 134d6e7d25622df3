package explain

import (
	"strings"
	"testing"
)

func TestDOT(t *testing.T) {
	for _, formula := range []string{
		`exists x. directed("Nolan", x) & !starred(y, x)`,
		`r("a", y) | exists x. r("b", x) & r(x, x) & s(x, y)`,
		`"odd \"quoted\" {name}"("a\\b; }", y)`,
	} {
		r := report(t, formula, 0)
		var b strings.Builder
		if err := r.DOT(&b); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		checkBalance(t, text)
		if got := strings.Count(text, "subgraph cluster_"); got != len(r.Disjuncts) {
			t.Errorf("%s: %d clusters, want %d", formula, got, len(r.Disjuncts))
		}
		edges, negated := 0, 0
		for _, d := range r.Disjuncts {
			for _, e := range d.Edges {
				edges++
				if e.Negated {
					negated++
				}
			}
		}
		if strings.Count(text, "->n") != edges || strings.Count(text, `style="dashed"`) != negated {
			t.Errorf("%s: want %d edges, %d of them dashed:\n%s", formula, edges, negated, text)
		}
		if strings.Count(text, `"doublecircle"`) != len(r.Disjuncts) {
			t.Errorf("%s: want a double circle a disjunct:\n%s", formula, text)
		}
	}
}

// checkBalance reads DOT text as graphviz does as far as quotes and brackets go.
func checkBalance(t *testing.T, text string) {
	t.Helper()
	var open []rune
	quoted, escaped := false, false
	closes := map[rune]rune{'}': '{', ']': '['}
	for _, c := range text {
		switch {
		case escaped:
			escaped = false
		case quoted && c == '\\':
			escaped = true
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			open = append(open, c)
		case c == '}' || c == ']':
			if len(open) == 0 || open[len(open)-1] != closes[c] {
				t.Fatalf("%c closes nothing:\n%s", c, text)
			}
			open = open[:len(open)-1]
		}
	}
	if quoted || len(open) > 0 {
		t.Fatalf("quotes or brackets are left open:\n%s", text)
	}
}
