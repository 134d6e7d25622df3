package benchmark

import (
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/testdata/require"
)

// TestParseBenchmarkEditions compares the strings of both editions of the real-EFO1 data, with slots renamed
// accordingly, with the table of shapes.
func TestParseBenchmarkEditions(t *testing.T) {
	for _, c := range []struct{ shape, text, moves string }{
		{"pni", "((r1(s1,e1))&(!(r2(e1,f1))))&(r3(s2,f1))", ""},
		{"2m", "(r1(s1,e1))&((r2(e1,f1))&(r3(e1,f1)))", ""},
		{"2nm", "(r1(s1,e1))&((r2(e1,f1))&(!(r3(e1,f1))))", ""},
		{"im", "(r1(s1,e1))&((r2(s2,e1))&((r3(e1,f1))&(r4(e1,f1))))", ""},
		{"3mp", "(r1(s1,e1))&((r2(e1,e2))&((r3(e1,e2))&(r4(e2,f1))))", ""},
		{"3mp", "(((r1(s1,e1))&(r2(e1,e2)))&(r3(e2,f)))&(r4(e1,e2))", "r3 r4 r4 r3"},
		{"3pm", "(((r1(s1,e1))&(r2(e1,e2)))&(r3(e2,f)))&(r4(e2,f))", ""},
		{"2il", "(r1(s1,f1))&(r2(e1,f1))", ""},
		{"3il", "(r1(s1,f1))&((r2(s2,f1))&(r3(e1,f1)))", ""},
		{"3c", "((((r1(s1,e1))&(r2(e1,f)))&(r3(s2,e2)))&(r4(e2,f)))&(r5(e1,e2))", ""},
		{"3c", "(r1(s1,e1))&((r2(s2,e2))&((r3(e1,e2))&((r4(e1,f1))&(r5(e2,f1)))))", "r2 r3 r3 r5 r4 r2 r5 r4"},
		{"3cm", "(((((r1(s1,e1))&(r2(e1,f)))&(r3(s2,e2)))&(r4(e2,f)))&(r5(e1,e2)))&(r6(e1,f))", ""},
		{"3cm", "(r1(s1,e1))&((r2(s2,e2))&((r3(e1,f1))&((r4(e1,f1))&((r5(e1,e2))&(r6(e2,f1))))))", "r2 r3 r3 r2 r4 r6 r6 r4"},
		{"1p", "r1(s1,f1)", ""},
		{"3p", "(r1(s1,e1))&((r2(e1,e2))&(r3(e2,f1)))", ""},
		{"up", "((r1(s1,e1))&(r3(e1,f1)))|((r2(s2,e1))&(r3(e1,f1)))", ""},
	} {
		want, err := Query(c.shape)
		require.NoError(t, err)
		text := strings.NewReplacer("f1", "f").Replace(c.text)
		if moves := strings.Fields(c.moves); moves != nil {
			text = strings.NewReplacer(moves...).Replace(text)
		}
		got, err := lang.ParseBenchmark(text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		a := want.Normal
		b := got.Normal
		for i, s := range a.Disjuncts {
			if len(a.Disjuncts) != len(b.Disjuncts) || !sameBenchmark(s, b.Disjuncts[i]) {
				t.Errorf("%s\nis\n%s\nbut the shape %s is\n%s", c.text, b, c.shape, a)
			}
		}
	}
}

// sameBenchmark reports whether two Disjuncts with at most the existential variables e1 and e2 are equal up to
// order and swapping the two.
func sameBenchmark(a, b ast.Disjunct) bool {
	text := func(s ast.Disjunct, names *strings.Replacer) string {
		var literals []string
		for _, l := range s.Literals {
			literals = append(literals, names.Replace(l.String()))
		}
		slices.Sort(literals)
		return strings.Join(literals, "&")
	}
	plain, swapped := strings.NewReplacer(), strings.NewReplacer("e1", "e2", "e2", "e1")
	return text(a, plain) == text(b, plain) || text(a, plain) == text(b, swapped)
}

// TestShapes checks the table against the groups of the benchmarks.
func TestShapes(t *testing.T) {
	groups := make(map[string]string)
	for _, s := range Shapes {
		groups[s.Group] += " " + s.Name
		q, err := Query(s.Name)
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		if q.Warnings != nil {
			t.Errorf("%s: %v", s.Name, q.Warnings)
		}
		// The slots of each kind are numbered consecutively.
		next := map[kind.Param]int{}
		for _, p := range q.Params {
			next[p.Kind]++
			if want := map[kind.Param]string{kind.Entity: "s", kind.Relation: "r"}[p.Kind] + string(rune('0'+next[p.Kind])); p.Name != want {
				t.Errorf("%s: got slot %s, want %s", s.Name, p.Name, want)
			}
		}
	}
	for group, want := range map[string]string{
		"P": " 1p 2p 3p 2i 3i pi ip 2u up",
		"N": " 2in 3in inp pin",
		"F": " pni 2il 3il 2m 2nm 3mp 3pm im 3c 3cm",
	} {
		if groups[group] != want {
			t.Errorf("AVG.(%s) is over%s, want%s", group, groups[group], want)
		}
	}
	if _, err := Query("3cn"); err == nil || err.Error() != `unknown shape "3cn"` {
		t.Errorf("got %v", err)
	} else if hint := err.(lang.ErrorList)[0].Hint; hint != "did you mean 3c, 3cm or 3in?" {
		t.Errorf("got the hint %q", hint)
	}
}
