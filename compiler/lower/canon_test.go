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
	"github.com/efoc/efoc/compiler/plantest"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/testdata/require"
)

// TestKeyInvariant checks that the key depends on the structure alone: not on
// the order of disjuncts and literals, nor on any name.
func TestKeyInvariant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDNF(t, 4)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 2))
		other := rearrange(d, rng)
		a, b := lower.NewShape(d), lower.NewShape(other)
		if a.Key != b.Key {
			t.Fatalf("\n%s\nhas key %s\n%s\nhas key %s", d, a.Key, other, b.Key)
		}
		for i := range a.SCQs {
			if x, y := a.SCQs[i], b.SCQs[i]; !reflect.DeepEqual(x, y) {
				t.Errorf("key %s\ndisjunct %d: query graph %+v\nafter rearranging %+v", a.Key, i, x, y)
			}
		}
	})
}

// drawDNF draws the normal form of a random query, perhaps a template's.
func drawDNF(t *rapid.T, entities int) *lang.DNF {
	t.Helper()
	o := plantest.Options{Entities: entities, Relations: 3}
	if rapid.Bool().Draw(t, "template") {
		o.Name = "T"
	}
	d := plantest.Formula(t, o).Normal
	return d
}

// rearrange permutes disjuncts and literals, and renames everything: variables,
// parameters and sites one to one, other names at random.
func rearrange(d *lang.DNF, rng *rand.Rand) *lang.DNF {
	out := &lang.DNF{Free: "answer"}
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
	rename := func(terms ...*lang.Term) {
		for _, t := range terms {
			switch {
			case t.Kind == lang.Variable && t.Name == d.Free:
				t.Name = out.Free
			case t.Kind == lang.Variable:
				t.Name = vars(t.Name)
			case t.Kind == lang.Parameter:
				t.Name = params(t.Name)
			default:
				t.Name = strconv.Itoa(rng.IntN(9))
			}
		}
	}
	for _, i := range rng.Perm(len(d.SCQs)) {
		var scq lang.SCQ
		for _, j := range rng.Perm(len(d.SCQs[i].Literals)) {
			l := d.SCQs[i].Literals[j]
			l.Site = site(l.Site)
			if l.Same {
				if l.Tail.Kind == lang.Variable && rng.IntN(2) == 0 {
					l.Head, l.Tail = l.Tail, l.Head
				}
			} else if l.Relation.Param {
				l.Relation.Name = params(l.Relation.Name)
			} else {
				// Copies of an atom that differ in direction still do.
				l.Relation.Name, l.Relation.Inverse = strconv.Itoa(rng.IntN(9)), l.Relation.Inverse != turned(l.Site)
			}
			rename(&l.Head, &l.Tail)
			scq.Literals = append(scq.Literals, l)
		}
		out.SCQs = append(out.SCQs, scq)
	}
	return out
}

// renaming returns a function that maps names one to one to new ones.
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

// TestKeyDistinguishes compares keys with a search for an isomorphism: two
// small normal forms have the same key exactly if there is one.
func TestKeyDistinguishes(t *testing.T) {
	same, different := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 3))
		for range 40 {
			a := smallDNF(rng)
			b := smallDNF(rng)
			if rng.IntN(2) == 0 {
				b = mutate(rearrange(a, rng), rng)
			}
			keyA, keyB := lower.NewShape(a).Key, lower.NewShape(b).Key
			want := isomorphic(a, b)
			if (keyA == keyB) != want {
				t.Fatalf("isomorphic: %v\n%s\nkey %s\n%s\nkey %s", want, a, keyA, b, keyB)
			}
			if want {
				same++
			} else {
				different++
			}
		}
	})
	if same < different/10 || different < same/10 {
		t.Errorf("%d pairs were isomorphic, %d not: too few to tell", same, different)
	}
}

// smallDNF draws a normal form of at most four literals in at most two
// disjuncts, some of which are copies of one atom.
func smallDNF(rng *rand.Rand) *lang.DNF {
	d := &lang.DNF{Free: "y", SCQs: make([]lang.SCQ, 1+rng.IntN(2))}
	for site := range 1 + rng.IntN(4) {
		l := lang.Literal{Negated: rng.IntN(3) == 0, Site: site, Head: smallTerm(rng), Tail: smallTerm(rng)}
		l.Relation = lang.Relation{Name: "r", Param: rng.IntN(3) == 0, Inverse: rng.IntN(4) == 0}
		if l.Head.Kind != lang.Variable && l.Tail.Kind != lang.Variable {
			l.Tail = lang.Term{Name: "y"}
		}
		s := &d.SCQs[rng.IntN(len(d.SCQs))]
		s.Literals = append(s.Literals, l)
	}
	for i := range d.SCQs {
		if len(d.SCQs[i].Literals) == 0 {
			l := d.SCQs[1-i].Literals[0] // a copy that distribution made
			d.SCQs[i].Literals = append(d.SCQs[i].Literals, l)
		}
	}
	for i := range d.SCQs {
		s := &d.SCQs[i]
		l := s.Literals[rng.IntN(len(s.Literals))]
		v := l.Head
		if v.Kind != lang.Variable {
			v = l.Tail
		}
		u := lang.Literal{Same: true, Negated: true, Head: v, Tail: lang.Term{Kind: lang.Constant, Name: "c"}, Site: 10 + rng.IntN(2)}
		if t := s.Literals[0].Tail; rng.IntN(2) == 0 && t.Name != v.Name {
			u.Tail = t
		}
		if u.Head.Kind != lang.Variable {
			u.Head, u.Tail = u.Tail, u.Head
		}
		if rng.IntN(2) == 0 {
			s.Literals = append(s.Literals, u)
		}
	}
	return d
}

func smallTerm(rng *rand.Rand) lang.Term {
	return []lang.Term{
		{Name: "y"}, {Name: "x1"}, {Name: "x2"},
		{Kind: lang.Constant, Name: "c"}, {Kind: lang.Parameter, Name: "a"}, {Kind: lang.Parameter, Name: "b"},
	}[rng.IntN(6)]
}

// mutate changes one thing about a normal form, or nothing.
func mutate(d *lang.DNF, rng *rand.Rand) *lang.DNF {
	s := &d.SCQs[rng.IntN(len(d.SCQs))]
	l := &s.Literals[rng.IntN(len(s.Literals))]
	switch kind := rng.IntN(5); {
	case l.Same: // one way to write it
	case kind == 0:
		l.Negated = !l.Negated
	case kind == 1:
		l.Head, l.Tail = l.Tail, l.Head
	case kind == 2:
		l.Relation.Param = !l.Relation.Param
	}
	return d
}

// TestNewShapeLarge checks that the largest normal forms and very symmetric ones
// are canonised.
func TestNewShapeLarge(t *testing.T) {
	atom := func(site int, head, tail lang.Term) lang.Literal {
		return lang.Literal{Site: site, Relation: lang.Relation{Name: "r"}, Head: head, Tail: tail}
	}
	y, c := lang.Term{Name: "y"}, lang.Term{Kind: lang.Constant, Name: "c"}
	star := &lang.DNF{Free: "y", SCQs: make([]lang.SCQ, 1)}
	for i := range lang.MaxLiterals {
		star.SCQs[0].Literals = append(star.SCQs[0].Literals, atom(i, c, y))
	}
	// Six disjunctions of two atoms each, and 52 atoms more: 64 disjuncts.
	product := &lang.DNF{Free: "y"}
	for choice := range lang.MaxDisjuncts {
		var s lang.SCQ
		for i := range 6 {
			s.Literals = append(s.Literals, atom(2*i+choice>>i&1, c, y))
		}
		for i := range lang.MaxAtoms - 12 {
			s.Literals = append(s.Literals, atom(12+i, c, y))
		}
		product.SCQs = append(product.SCQs, s)
	}
	for name, d := range map[string]*lang.DNF{"star": star, "product": product} {
		if s := lower.NewShape(d); len(s.SCQs) != len(d.SCQs) {
			t.Errorf("%s: %d disjuncts, want %d", name, len(s.SCQs), len(d.SCQs))
		}
	}
}

// TestKeySymmetric checks that the search comes to its end where many atoms differ in
// names alone: their order, and what else there is, makes no difference to the key.
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
