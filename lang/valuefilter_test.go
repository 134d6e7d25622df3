package lang

import (
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// TestValueFilters reads filters by values, prints them and reads them again.
func TestValueFilters(t *testing.T) {
	for text, want := range map[string]string{
		`r("a", y) & size(y) > 1000000`:                                 "",
		`r("a", y) & size(y)>=1.5e-3`:                                   `r("a", y) & size(y) >= 1.5e-3`,
		`r("a", y) & size(y) = -2`:                                      "",
		`r("a", y) & size(y) =? 2`:                                      "",
		`r("a", y) & size(y) ≠? 2 & size(y) ≤ 3`:                        `r("a", y) & size(y) !=? 2 & size(y) <= 3`,
		`r("a", y) & "ex:born"(y) < '1950-01'`:                          `r("a", y) & "ex:born"(y) < "1950-01"`,
		`r("a", y) & !(size(y) >? 1 & size(y) < 5)`:                     "",
		`exists x. r("a", x) & s(x, y) & (size(x) > 1 | !size(y) != 2)`: "",
		`r("a", y) & y != "b" & size(y) < 3`:                            "",
	} {
		q, err := ParseFormula(text)
		require.NoError(t, err)
		if want == "" {
			want = text
		}
		if got := q.String(); got != want {
			t.Errorf("%s is written %s, want %s", text, got, want)
		}
		if again, err := ParseFormula(q.String()); err != nil || again.Normal.String() != q.Normal.String() {
			t.Errorf("%s is read again as %v, %v", q, again, err)
		}
	}
	// Negations end at filters, and equal filters are one.
	q, err := ParseFormula(`r("a", y) & !(size(y) > 1 | size(y) <? 9) & size(y) < 5 & size(y) < 5`)
	require.NoError(t, err)
	if got, want := q.Normal.String(), `r("a", y) & !size(y) > 1 & !size(y) <? 9 & size(y) < 5`; got != want {
		t.Errorf("the normal form is %s, want %s", got, want)
	}
	for text, want := range map[string]string{
		`r("a", y) & size(y) > b`:                         "expected a number, or a date in quotes",
		`r("a", y) & size(y) > `:                          "expected a number, or a date in quotes",
		`r("a", y) & r(y, "b") > 5`:                       "only the value of an attribute can be compared",
		`r("a", y) & size^-1(y) > 5`:                      "only the value of an attribute can be compared",
		`r("a", y) & size("b") > 5`:                       `size("b") > 5 has no variable`,
		`size(y) > 5`:                                     "y is restricted only by inequalities or filters",
		`size("a") > 5`:                                   `size("a") > 5 has no variable`,
		`r("a", y) & 5 < size(y)`:                         "5 must be quoted",
		`exists x. r("a", y) & !(x != "b") & size(x) > 5`: `size("b") > 5, where equal terms are one, has no variable`,
	} {
		if _, err := ParseFormula(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %s", text, err, want)
		}
	}
	f, err := ParseFile("a.efo", []byte("query Large(c entity) y =\n    r($c, y) & size(y) > $c\n"))
	if err == nil || len(f.Queries) > 0 || !strings.Contains(err.Error(), "expected a number, or a date in quotes") {
		t.Errorf("a parameter as a value: %v", err)
	}
}
