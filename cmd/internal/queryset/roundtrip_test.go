package queryset_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/testdata/require"
)

// lines returns two queries of each named shape, with ids that tell the slots
// apart.
func lines(t *testing.T, names ...string) string {
	t.Helper()
	var b strings.Builder
	for _, name := range names {
		head := fmt.Sprintf(`{"type": %q`, name)
		base, reading, _ := strings.Cut(name, "-")
		q, err := benchmark.Query(base)
		require.NoError(t, err)
		if reading != "" {
			for _, s := range benchmark.Shapes {
				if s.Name == base {
					head += fmt.Sprintf(`, "formula": %q`, s.Formula)
				}
			}
		}
		for i := range 2 {
			b.WriteString(head)
			for j, p := range q.Params {
				fmt.Fprintf(&b, `, %q: %d`, p.Name, 70000*i+300*j)
			}
			fmt.Fprintf(&b, `, "easy": [%d, 256], "hard": [65536, 3]}`+"\n", i)
		}
	}
	return b.String()
}

// TestRoundTrip writes every shape, and reads it back.
func TestRoundTrip(t *testing.T) {
	shapes := []string{"1p", "2p", "3p", "2i", "3i", "pi", "ip", "2in", "3in", "inp", "pin", "pni", "pni-universal", "2u", "2u-DM", "up", "up-DM",
		"2il", "3il", "2m", "2nm", "3mp", "3pm", "im", "3c", "3cm"}
	dir := t.TempDir()
	want := open(t, write(t, dir+"/in.jsonl", lines(t, shapes...)), queryset.Options{})
	if len(want.Groups) != len(shapes) {
		t.Fatalf("%d groups of %d", len(want.Groups), len(shapes))
	}
	same(t, open(t, write(t, dir+"/out.jsonl", string(written(want))), queryset.Options{}), want)
}

// TestFITFormulas reads formulas as FIT's programs write them, in their own order.
func TestFITFormulas(t *testing.T) {
	for name, formula := range map[string]string{
		"up":    "((r1(s1,e1))&(r3(e1,f1)))|((r2(s2,e1))&(r3(e1,f1)))",
		"3c":    "(r1(s1,e1))&((r2(s2,e2))&((r3(e1,e2))&((r4(e1,f1))&(r5(e2,f1)))))",
		"3cm":   "(r1(s1,e1))&((r2(s2,e2))&((r3(e1,f1))&((r4(e1,f1))&((r5(e1,e2))&(r6(e2,f1))))))",
		"2u-DM": "!((!(r1(s1,f1)))&(!(r2(s2,f1))))",
		"up-DM": "(!((!(r1(s1,e1)))&(!(r2(s2,e1)))))&(r3(e1,f1))",
	} {
		text := fmt.Sprintf(`{%q: [[{"s1":1,"s2":2,"r1":3,"r2":4,"r3":5,"r4":6,"r5":7,"r6":8},{"f1":[[1]]},{"f1":[[2]]}]]}`, formula)
		set := open(t, write(t, t.TempDir()+"/test-qaa.json", text), queryset.Options{})
		if g := set.Groups[0]; g.Name != name || g.Queries[0].Args[0] == g.Queries[0].Args[1] {
			t.Errorf("%s is %s: %v", formula, g.Name, g.Queries)
		}
	}
}
