package stages

import (
	"errors"
	"testing"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/testdata/require"
)

// TestRefusal checks that the error for a query that cannot be compiled has its name and position, in the
// user's terms.
func TestRefusal(t *testing.T) {
	f, err := lang.ParseFile("near.efo", []byte(`package near

query Far(a entity) y = exists x. r($a, x) & s(x, y)
`))
	require.NoError(t, err)
	a := Analyze(f.Queries[0])
	_, err = a.Parts[0].Compile(Options{Layers: 1, Semantics: model.NSMP})
	var refused RefusedError
	if !errors.As(err, &refused) {
		t.Fatalf("error is %v, want a RefusedError", err)
	}
	const want = `near.efo:3:7: query Far: layers is 1, but no message reaches the free variable before layer 2
	query Far(a entity) y = exists x. r($a, x) & s(x, y)
	      ^
	hint: choose 2 or more, or leave the number out for one more than there are variables
`
	if got := refused.Render(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// counted counts the look-ups of a vocabulary that knows every name.
type counted map[string]int

func (c counted) FindEntity(name string) (int32, error) {
	c[name]++
	return int32(len(name)), nil
}
func (c counted) FindRelation(name string) (int32, error) { return c.FindEntity(name) }
func (c counted) CheckAttribute(string) error             { return nil }
func (c counted) ReadValue(string, string, bool) (first, last float64, err error) {
	return 0, 0, nil
}
func (c counted) FindTail(name string, _ []int32) (int32, error) { return c.FindEntity(name) }
func (c counted) FindType(name string) (int32, error)            { return c.FindEntity(name) }
func (c counted) NearestTypes(string, int) []string              { return nil }
func (c counted) NearestEntities(string, int) []string           { return nil }
func (c counted) NearestRelations(string, int) []string          { return nil }

// TestResolve checks that each name is looked up once, and that its id is in all its slots.
func TestResolve(t *testing.T) {
	q, err := lang.ParseFormula(`y: tttt("bb") & ((exists x. rr("a", x) & rr^-1(x, y) & sss("bb", y)) | rr("a", y))`)
	require.NoError(t, err)
	names := counted{}
	a := Analyze(q)
	spec, err := a.Resolve(names, model.NSMP)
	require.NoError(t, err)
	slots := spec.Parts[0].Bindings(spec.IDs, nil, nil, nil)
	for name, n := range names {
		if n != 1 {
			t.Errorf("%s was looked up %d times, want once", name, n)
		}
	}
	for i, c := range a.Shape().Constants {
		if got, want := int(slots.Constants[i]), len(c.Name); got != want {
			t.Errorf("the slot of %s holds id %d, want %d", c.Name, got, want)
		}
	}
	for i, r := range a.Shape().Relations {
		want := len(r.Name)
		if r.Inverse {
			want ^= 1
		}
		if got := int(slots.Relations[i]); got != want {
			t.Errorf("the slot of %s holds id %d, want %d", r, got, want)
		}
	}
}
