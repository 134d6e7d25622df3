package lang_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/testdata/require"
)

// TestParseFacts parses facts and values, with their positions.
func TestParseFacts(t *testing.T) {
	_, facts, err := lang.ParseFacts("", `borders("Brazil", "Peru") & (!"a b"^-1("x", "y") & size("x") = -1.5e3)`)
	require.NoError(t, err)
	var got []string
	for _, f := range facts {
		got = append(got, strings.Join(f.Names[:], " "))
	}
	if want := []string{"Brazil borders Peru", "x a b^-1 y", "x size -1.5e3"}; !slices.Equal(got, want) {
		t.Errorf("facts are %q, want %q", got, want)
	}
	if facts[0].Negated || !facts[1].Negated || facts[1].At[0].Col != 40 {
		t.Errorf("the negated fact is %+v", facts[1])
	}
	if last := facts[2]; !last.Value || last.Quoted || last.Pos.Col != 52 || last.At[2].Col != 64 {
		t.Errorf("the value is %+v", last)
	}
	_, facts, err = lang.ParseFacts("", `born("x") = "1950-01-31"`)
	require.NoError(t, err)
	if f := facts[0]; !f.Value || !f.Quoted || f.Names != [3]string{"x", "born", "1950-01-31"} {
		t.Errorf("the date is %+v", f)
	}
	for text, want := range map[string]string{
		`borders("Brazil", y)`:         "1:19: y names no entity: entities are quoted",
		`r("a", "b") | r("a", "c")`:    "1:1: this states no fact",
		`exists x. r("a", x)`:          "1:1: this states no fact",
		`!(r("a", "b") & r("a", "c"))`: "1:3: this states no fact",
		`size("a") >= 5`:               "1:1: this states no fact",
		`size("a") =? 5`:               "1:1: this states no fact",
		`"a" != "b"`:                   "1:1: this states no fact",
		`size("a") = `:                 "1:13: expected",
		`r("a") & r("a", "b")`:         "1:1: relation r takes two arguments, not 1",
		`x, y: r(x, y)`:                "1:9: x names no entity",
		strings.Repeat(`r("a", "b") & `, 100) + `r(a, b)`: "1:1403: a names no entity",
	} {
		if _, _, err := lang.ParseFacts("", text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.60s: error %v, want %s", text, err, want)
		}
	}
}
