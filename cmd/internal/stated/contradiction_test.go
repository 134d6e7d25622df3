package stated_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/stated"
	"github.com/efoc/efoc/testdata/seed"
)

// TestAssumeContradictions refuses a fact that is both assumed and negated, however it is written, and assumes all
// others.
func TestAssumeContradictions(t *testing.T) {
	_, path := draw(t, rand.New(rand.NewPCG(seed.Of(t), 55)))
	m := open(t, path)
	for _, c := range []struct {
		formulas []string
		want     string
	}{
		{[]string{`r("e1", "e2") & !r("e1", "e2")`}, `assume:1:18: !r("e1", "e2") contradicts r("e1", "e2") at assume:1:1`},
		{[]string{`!r("e1", "e2")`, `s("e1", "e2") & r^-1("e2", "e1")`}, `assume[0]:1:2: !r("e1", "e2") contradicts r^-1("e2", "e1") at assume[1]:1:17`},
		{[]string{`r("new", "e2") & !r("new", "e2")`}, `assume:1:19: !r("new", "e2") contradicts r("new", "e2") at assume:1:1`},
		{[]string{`size("e1") = 5 & !size("e1") = 5.0`}, `assume:1:19: !size("e1") = 5.0 contradicts size("e1") = 5 at assume:1:1`},
		{[]string{`size("e1") = 5 & !size("e1") = 6 & size("e1") = 7`}, ""},
		{[]string{`r("e1", "e2") & !r("e2", "e1") & r("e1", "e2") & !s("e1", "e2") & !s("e1", "e2")`}, ""},
	} {
		_, _, err := stated.Assume(t.Context(), m, c.formulas, nil)
		if (err == nil) != (c.want == "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %s", c.formulas, err, c.want)
		}
	}
}

// TestValueOfRelation refuses a value of a relation, which would become an entity.
func TestValueOfRelation(t *testing.T) {
	_, path := draw(t, rand.New(rand.NewPCG(seed.Of(t), 56)))
	m := open(t, path)
	for formula, want := range map[string]string{
		`r("e1") = 5`:             `assume:1:1: r is a relation, which links entities and has no values`,
		`!r("e1") = "1950-01-31"`: `assume:1:2: r is a relation`,
		`size("e1") = 5`:          "",
		`area("e1") = 5`:          "",
	} {
		_, _, err := stated.Assume(t.Context(), m, []string{formula}, nil)
		if (err == nil) != (want == "") || err != nil && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", formula, err, want)
		}
	}
}
