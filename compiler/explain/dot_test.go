package explain

import (
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// TestDOT checks that names cannot end a string or a block.
func TestDOT(t *testing.T) {
	var b strings.Builder
	require.NoError(t, report(t, `"odd \"quoted\" {name}"("a\\b; }", y)`, 0).DOT(&b))
	checkBalance(t, b.String())
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
