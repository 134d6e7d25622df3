package lang

import (
	"strings"
	"testing"

	"github.com/efoc/efoc/testdata/require"
)

// TestValueFilters parses, prints and reparses value filters.
func TestValueFilters(t *testing.T) {
	for text, want := range map[string]string{
		`r("a", y) & size(y) > 1000000`:                                 "",
		`r("a", y) & size(y)>=1.5e-3`:                                   `r("a", y) & size(y) >= 1.5e-3`,
		`r("a", y) & size(y) = -2`:                                      "",
		`r("a", y) & size(y) =? 2`:                                      "",
		`r("a", y) & size(y) ≠? 2 & size(y) ≤ 3`:                        `r("a", y) & size(y) !=? 2 & size(y) <= 3`,
		`r("a", y) & "ex:born"(y) < '1950-01'`:                          `r("a", y) & ex:born(y) < "1950-01"`,
		`r("a", y) & !(size(y) >? 1 & size(y) < 5)`:                     "",
		`exists x. r("a", x) & s(x, y) & (size(x) > 1 | !size(y) != 2)`: "",
		`r("a", y) & y != "b" & size(y) < 3`:                            "",
		`r("a", y) & size(y) in 2..3`:                                   "",
		`r("a", y) & size(y) > -.5 & size(y) in .5...7e1`:               `r("a", y) & size(y) > -.5 & size(y) in .5...7e1`,
		`r("a", y) & size(y)in?-1.5 <..<2e3 & !size(y) in 1..<2`:        `r("a", y) & size(y) in? -1.5<..<2e3 & !size(y) in 1..<2`,
		`r("a", y) & born(y) in "1950"<..'1960-01'`:                     `r("a", y) & born(y) in "1950"<.."1960-01"`,
		`r("a", in) & size(in) in 1..2`:                                 "",
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
	// Negations end at filters, and equal filters are merged.
	q, err := ParseFormula(`r("a", y) & !(size(y) > 1 | size(y) <? 9) & size(y) < 5 & size(y) < 5`)
	require.NoError(t, err)
	if got, want := q.Normal.String(), `r("a", y) & !size(y) > 1 & !size(y) <? 9 & size(y) < 5`; got != want {
		t.Errorf("the normal form is %s, want %s", got, want)
	}
	for text, want := range map[string]string{
		`r("a", y) & size(y) > b`:                         "expected a number, a date in quotes or a $parameter",
		`r("a", y) & size(y) > `:                          "expected a number, a date in quotes or a $parameter",
		`r("a", y) & r(y, "b") > 5`:                       "only the value of an attribute can be compared",
		`size(y) > 5 & r("a", y) & !size(y) > 5`:          "1:28: the query can never hold: it asks for both size(y) > 5 and !size(y) > 5",
		`r("a", y) & size^-1(y) > 5`:                      "only the value of an attribute can be compared",
		`r("a", y) & size("b") > 5`:                       `size("b") > 5 has no variable`,
		`r("a", y) & size(y) in 5`:                        `1:25: expected "..", found the end of the text`,
		`r("a", y) & size(y) in 5 & s(y, "b")`:            `1:26: expected "..", found "&"`,
		`r("a", y) & size(y) in 5..`:                      "1:27: expected a number, a date in quotes or a $parameter",
		`r("a", y) & size(y) in x..5`:                     "1:24: expected a number, a date in quotes or a $parameter",
		`r("a", y) & size(y) in 5.."1950"`:                "1:27: one end is a number, and the other is a date",
		`size(y) > 5`:                                     "y is restricted only by inequalities or filters",
		`size("a") > 5`:                                   `size("a") > 5 has no variable`,
		`r("a", y) & 5 < size(y)`:                         "1:13: a filter starts with the attribute",
		`exists x. r("a", y) & !(x != "b") & size(x) > 5`: `size("b") > 5, where equal terms are one, has no variable`,
	} {
		if _, err := ParseFormula(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %s", text, err, want)
		}
	}
}

// TestValueParams parses, prints and reparses templates with number and date parameters.
func TestValueParams(t *testing.T) {
	const text = `package p

query Large(c entity, least, most number, since date) y =
    r($c, y) & size(y) > $least & size(y) <=? $most & !ex:born(y) < $since

query Words(number number, date date) y =
    r("a", y) & size(y) = $number & born(y) = $date

query Between(c entity, least, most number) y =
    r($c, y) & size(y) in? $least..$most & !size(y) in $least<..<9
`
	f, err := ParseFile("a.efo", []byte(text))
	require.NoError(t, err)
	if got := f.String(); got != text {
		t.Errorf("the file is written\n%s", got)
	}
	for text, want := range map[string]string{
		`query Q(c entity) y = r($c, y) & size(y) in 1..$c`:         "a.efo:2:48: $c stands for a number or a date here",
		`query Q(c date) y = r("a", y) & size(y) in 1..$c`:          "a.efo:2:47: one end is a number, and the other is a date",
		`query Q(least number) y = r("a", y) & size(y) in $lest..2`: "a.efo:2:50: unknown parameter $lest",
		`query Q(c entity) y = r($c, y) & size(y) > $c`:             "a.efo:2:44: $c stands for a number or a date here",
		`query Q(c number) y = r($c, y) & size(y) > $c`:             "$c stands for an entity here",
		`query Q(least number) y = r("a", y) & size(y) > $lest`:     "unknown parameter $lest",
		`query Q y = r("a", y) & size(y) > $least`:                  "unknown parameter $least",
		`query Q(c number x) y = r("a", y) & size(y) > $c`:          `expected "," or ")", found "x"`,
		`query Q(c) y = r("a", y) & size(y) > $c`:                   "parameter c has no kind",
		`query Q(c number) y = r("a", y)`:                           "parameter c is never used",
	} {
		if _, err := ParseFile("a.efo", []byte("package p\n"+text+"\n")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %s", text, err, want)
		}
	}
	if _, err := ParseFormula(`r("a", y) & size(y) > $least`); err == nil || !strings.Contains(err.Error(), "unknown parameter $least") {
		t.Errorf("a parameter in a question: %v", err)
	}
}
