package lower_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/testdata/plantest"
	"github.com/efoc/efoc/testdata/require"
	"github.com/efoc/efoc/testdata/seed"
)

// TestKeyInvariant checks that the key depends only on the structure: not on the order of disjuncts and
// literals, nor on any name.
func TestKeyInvariant(t *testing.T) {
	seed.Check(t, func(t *rapid.T) {
		d := drawDNF(t, 4)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 2))
		other := rearrange(d, rng)
		a, b := lower.NewShape(d), lower.NewShape(other)
		if a.Key != b.Key {
			t.Fatalf("\n%s\nhas key %s\n%s\nhas key %s", d, a.Key, other, b.Key)
		}
		for i := range a.Disjuncts {
			if x, y := a.Disjuncts[i], b.Disjuncts[i]; !reflect.DeepEqual(x, y) {
				t.Errorf("key %s\ndisjunct %d: query graph %+v\nafter rearranging %+v", a.Key, i, x, y)
			}
		}
	})
}

// drawDNF draws the normal form of a random query or template.
func drawDNF(t *rapid.T, entities int) *ast.DNF {
	t.Helper()
	o := plantest.Options{Entities: entities, Relations: 3}
	if rapid.Bool().Draw(t, "template") {
		o.Name = "T"
	}
	d := plantest.Formula(t, o).Normal
	return d
}

// rearrange permutes disjuncts and literals, and renames everything: variables, parameters and sites
// bijectively, other names at random.
func rearrange(d *ast.DNF, rng *rand.Rand) *ast.DNF {
	out := &ast.DNF{Free: "answer"}
	turns := map[int]bool{}
	turned := func(site int) bool {
		if _, ok := turns[site]; !ok {
			turns[site] = rng.IntN(2) == 0
		}
		return turns[site]
	}
	vars, params, sites := renaming(rng, "v"), renaming(rng, "p"), map[int]int{}
	site := func(old int) int {
		if _, ok := sites[old]; !ok {
			sites[old] = 7 * len(sites)
		}
		return sites[old]
	}
	rename := func(terms ...*ast.Term) {
		for _, t := range terms {
			switch {
			case t.Kind == ast.Variable && t.Name == d.Free:
				t.Name = out.Free
			case t.Kind == ast.Variable:
				t.Name = vars(t.Name)
			case t.Kind == ast.Parameter:
				t.Name = params(t.Name)
			default:
				t.Name = strconv.Itoa(rng.IntN(9))
			}
		}
	}
	for _, i := range rng.Perm(len(d.Disjuncts)) {
		var disjunct ast.Disjunct
		for _, j := range rng.Perm(len(d.Disjuncts[i].Literals)) {
			l := d.Disjuncts[i].Literals[j]
			l.Site = site(l.Site)
			switch {
			case l.Kind == ast.SameAtom:
				if l.Tail.Kind == ast.Variable && rng.IntN(2) == 0 {
					l.Head, l.Tail = l.Tail, l.Head
				}
			case l.Relation.Param:
				l.Relation.Name = params(l.Relation.Name)
			case l.Kind == ast.LinkAtom:
				// Copies of an atom that differ in direction still do so.
				l.Relation.Name, l.Relation.Inverse = strconv.Itoa(rng.IntN(9)), l.Relation.Inverse != turned(l.Site)
			}
			rename(l.Terms()...)
			disjunct.Literals = append(disjunct.Literals, l)
		}
		out.Disjuncts = append(out.Disjuncts, disjunct)
	}
	return out
}

// renaming returns a bijective renaming.
func renaming(rng *rand.Rand, prefix string) func(string) string {
	numbers := rng.Perm(64)
	names := map[string]string{}
	return func(old string) string {
		name, ok := names[old]
		if !ok {
			name = fmt.Sprint(prefix, numbers[len(names)])
			names[old] = name
		}
		return name
	}
}

// TestKeySymmetric checks that the search completes if many atoms differ only in names: the key does not depend
// on their order.
func TestKeySymmetric(t *testing.T) {
	parse := func(atoms []string) string {
		q, err := lang.ParseFormula("exists x. " + strings.Join(atoms, " & "))
		require.NoError(t, err)
		d := q.Normal
		return lower.NewShape(d).Key
	}
	var atoms []string
	for i := range 9 {
		atoms = append(atoms, fmt.Sprintf(`r("a%d", y)`, i), fmt.Sprintf(`s(x, "b%d")`, i))
	}
	atoms = append(atoms, "t(x, y)", `!u(y, "c")`)
	want := parse(atoms)
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 3))
		rng.Shuffle(len(atoms), func(i, j int) { atoms[i], atoms[j] = atoms[j], atoms[i] })
		if got := parse(atoms); got != want {
			t.Errorf("key %s, rearranged %s", want, got)
		}
	}
}
