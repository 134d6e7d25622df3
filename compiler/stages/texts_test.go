package stages

import (
	"fmt"
	"strings"
	"testing"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/testdata/require"
)

// TestAnalyzeText checks that the same text in another language is another query.
func TestAnalyzeText(t *testing.T) {
	var c Cache
	text := Text{"benchmark", "r1(s1,f)", lang.ParseBenchmark}
	a, err := c.Analyze(text)
	require.NoError(t, err)
	if _, err := c.Analyze(Formula(text.Text)); err == nil {
		t.Error("the text of a benchmark was taken for a formula")
	}
	if again, err := c.Analyze(text); err != nil || again != a || len(a.Source.Params) != 2 {
		t.Errorf("%v: again %v, first %v", err, again, a)
	}
}

// TestAnalyzeErrors checks that mistakes are not cached, but reported again.
func TestAnalyzeErrors(t *testing.T) {
	var c Cache
	for _, formula := range []string{`r("a", y`, `r("a", y) & !r("a", y)`} {
		for range 2 {
			if _, err := c.Analyze(Formula(formula)); err == nil {
				t.Errorf("%s: no error", formula)
			}
		}
	}
	if n := len(c.texts.kept); n != 0 {
		t.Errorf("%d texts are kept", n)
	}
}

// TestAnalyzeBounds checks that the least recently used texts are evicted, by number and by size, and that
// their size is counted correctly.
func TestAnalyzeBounds(t *testing.T) {
	var c Cache
	analyze := func(formula string) *Analysis {
		t.Helper()
		a, err := c.Analyze(Formula(formula))
		require.NoError(t, err)
		return a
	}
	check := func() {
		t.Helper()
		sum := 0
		for _, e := range c.texts.kept {
			sum += e.Value.(item[textKey, *Analysis]).bytes
		}
		if len(c.texts.kept) != c.texts.order.Len() || sum != c.texts.bytes || sum > maxBytes || len(c.texts.kept) > maxTexts {
			t.Errorf("%d texts of %d bytes are kept, %d in the list, %d bytes counted", len(c.texts.kept), sum, c.texts.order.Len(), c.texts.bytes)
		}
	}
	first, oldest := analyze(`r("often", y)`), analyze(`r("once", y)`)
	for i := range maxTexts + 10 {
		analyze(fmt.Sprintf(`r("a%d", y)`, i))
		if analyze(`r("often", y)`) != first {
			t.Fatalf("a text was analysed again that was asked for all the time, at text %d", i)
		}
	}
	check()
	if analyze(`r("once", y)`) == oldest {
		t.Error("the text asked for longest ago is kept")
	}
	for i := range 100 {
		analyze(fmt.Sprintf(`r("a%d", y) %s`, i, strings.Repeat(" ", 60_000)))
	}
	check()
	if n := len(c.texts.kept); n > 30 {
		t.Errorf("%d long texts are kept", n)
	}
}
