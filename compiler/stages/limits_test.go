package stages

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/lang/limits"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/require"
)

// TestFileChoices checks that a file can choose every semantics and number of layers that the compiler supports.
func TestFileChoices(t *testing.T) {
	var names []string
	for _, s := range model.AllSemantics {
		names = append(names, s.String())
	}
	if !slices.Equal(ast.Semantics, names) || limits.Layers != model.MaxLayers {
		t.Errorf("a file chooses from semantics %q and up to %d layers, the compiler from %q and up to %d",
			ast.Semantics, limits.Layers, names, model.MaxLayers)
	}
}

// TestLargeQueries compiles the largest queries that the language permits, especially symmetric ones: they
// compile quickly, or are quickly refused with a reason.
func TestLargeQueries(t *testing.T) {
	repeat := func(n int, sep, atom string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = fmt.Sprintf(atom, i)
		}
		return strings.Join(parts, sep)
	}
	for name, c := range map[string]struct{ formula, err string }{
		"conjunction": {repeat(64, " & ", `r%d("a", y)`), ""},
		"disjunction": {repeat(64, " | ", `r%d("a", y)`), ""},
		"product":     {repeat(6, " & ", `(a%[1]d("a", y) | b%[1]d("a", y))`) + " & " + repeat(52, " & ", `r%d("a", y)`), ""},
		"chain":       {`exists ` + repeat(31, ", ", "x%d") + `. r("a", x0) & ` + repeat(30, " & ", `r(x%d, y)`) + ` & ` + repeat(30, " & ", `s(y, x%d)`) + ` & t("b", x30)`, ""},
		"layers": {`exists ` + repeat(20, ", ", "x%d") + `. r("a", y) & ` + repeat(20, " & ", `r(x%d, y)`) + ` & ` +
			repeat(6, " & ", `(a%[1]d("a", y) | b%[1]d("a", y))`), "more than 20000 messages"},
	} {
		t.Run(name, func(t *testing.T) {
			q, err := lang.ParseFormula(c.formula)
			require.NoError(t, err)
			dnf := q.Normal
			compiled, err := Compile(lower.NewShape(dnf), Options{Semantics: model.NSMP})
			switch {
			case c.err == "" && err != nil:
				t.Fatal(err)
			case c.err == "":
				t.Logf("%d literals in the first disjunct of %d, %d values", len(dnf.Disjuncts[0].Literals), len(dnf.Disjuncts), len(compiled.Optimized.Values))
			case err == nil || !strings.Contains(err.Error(), c.err):
				t.Errorf("error is %v, want one with %q", err, c.err)
			}
		})
	}
}

// TestTooFewLayers checks that a number of layers with which no message reaches the free variable is refused.
func TestTooFewLayers(t *testing.T) {
	q, err := benchmark.Query("3p")
	require.NoError(t, err)
	shape := Analyze(q).Shape()
	if _, err := Compile(shape, Options{Layers: 2, Semantics: model.NSMP}); err == nil || !strings.Contains(err.Error(), "choose 3 or more") {
		t.Errorf("error is %v, want one that asks for 3 layers", err)
	}
	if _, err := Compile(shape, Options{Layers: 3, Semantics: model.NSMP}); err != nil {
		t.Error(err)
	}
}

// TestCache checks that queries that differ only in names or order share a compiled shape, and that different
// numbers of layers do not.
func TestCache(t *testing.T) {
	var c Cache
	get := func(formula string, layers int) (*Compiled, bool) {
		t.Helper()
		q, err := lang.ParseFormula(formula)
		require.NoError(t, err)
		dnf := q.Normal
		compiled, hit, err := c.Compile(lower.NewShape(dnf), Options{Layers: layers, Semantics: model.NSMP})
		require.NoError(t, err)
		return compiled, hit
	}
	first, hit := get(`exists x. borders("France", x) & official_language(x, y)`, 0)
	if hit {
		t.Error("an empty cache was hit")
	}
	for _, same := range []string{
		`exists x. borders("Spain", x) & currency(x, y)`,
		`exists z. r^-1(w, z) & r("a", z)`,
		`exists z. r(w, z) & r(z, "a")`,
	} {
		if again, hit := get(same, 0); !hit || again != first {
			t.Errorf("%s was compiled again", same)
		}
	}
	if _, hit := get(`exists x. borders("France", x) & !official_language(x, y)`, 0); hit {
		t.Error("a negated atom was taken for the same shape")
	}
	if _, hit := get(`exists x. borders("France", x) & official_language(x, y)`, 4); hit {
		t.Error("another number of layers was taken for the same plan")
	}
}

// TestCacheLimit checks that the least recently used shape is evicted.
func TestCacheLimit(t *testing.T) {
	c := Cache{Limit: 2}
	get := func(name string) bool {
		t.Helper()
		q, err := benchmark.Query(name)
		require.NoError(t, err)
		shape := Analyze(q).Shape()
		_, hit, err := c.Compile(shape, Options{Semantics: model.NSMP})
		require.NoError(t, err)
		return hit
	}
	for i, step := range []struct {
		shape string
		hit   bool
	}{{"1p", false}, {"2p", false}, {"1p", true}, {"2i", false}, {"1p", true}, {"2p", false}} {
		if hit := get(step.shape); hit != step.hit {
			t.Errorf("step %d: %s was in the cache: %v, want %v", i, step.shape, hit, step.hit)
		}
	}
	if c.Len() != 2 {
		t.Errorf("%d shapes are kept, want 2", c.Len())
	}
}
