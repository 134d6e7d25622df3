package lang

import (
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// TestPrefixedNames reads prefixed names without quotes before arguments, and writes them so. A type after a colon keeps
// its blank.
func TestPrefixedNames(t *testing.T) {
	for text, want := range map[string]string{
		`c:period("c:Iron", y)`:                                        `c:period("c:Iron", y)`,
		`"c:period"(y, "Iron") & !GO:0008150^-1(y, "a")`:               `c:period(y, "Iron") & !GO:0008150^-1(y, "a")`,
		`exists x. (ex-1:is-a(x, y) | c:p{1,2}("a", x)) & r(x, y)`:     `exists x. (ex-1:is-a(x, y) | c:p{1,2}("a", x)) & r(x, y)`,
		`y: City & c:in(y, "a")`:                                       `y: City & c:in(y, "a")`,
		`y:City & c:in(y, "a")`:                                        `y: City & c:in(y, "a")`,
		`y: c:in("Europe") & r("a", y)`:                                `y: "c:in"("Europe") & r("a", y)`,
		`x, y:r(x, y)`:                                                 `x, y: r(x, y)`,
		`x, y: c:r(x, y)`:                                              `x, y: c:r(x, y)`,
		`count y:r("a", y)`:                                            `count y: r("a", y)`,
		`"http://x.org/#in"("a", y) & "a b:c"("a", y) & ":in"("a", y)`: `"http://x.org/#in"("a", y) & "a b:c"("a", y) & :in("a", y)`,
		`:in(y, "a") & !(:in(y, "b") | :is-a^-1(y, "c"))`:              `:in(y, "a") & !(:in(y, "b") | :is-a^-1(y, "c"))`,
		`y: :in("Europe") & :r("a", y)`:                                `y: ":in"("Europe") & :r("a", y)`,
		`y :in("Europe") & r("a", y)`:                                  `y: in("Europe") & r("a", y)`,
		`x, y: :r(x, y)`:                                               `x, y: :r(x, y)`,
	} {
		q, err := ParseFormula(text)
		require.NoError(t, err)
		if got := q.String(); got != want {
			t.Errorf("%s is written %s, want %s", text, got, want)
		}
		again, err := ParseFormula(q.String())
		if err != nil || again.String() != want {
			t.Errorf("%s is read as %v, %v", want, again, err)
		}
	}

	const file = "package p\n\nrelation in = \"c:in\"\n\nquery Q(c entity) y: City =\n    in($c, y) & c:r^-1(y, $c)\n"
	f, err := ParseFile("a.efo", []byte(file))
	require.NoError(t, err)
	if got := f.String(); !strings.Contains(got, `relation in = "c:in"`) || !strings.Contains(got, "c:r^-1(y, $c)") {
		t.Errorf("the file is written\n%s", got)
	}
}
