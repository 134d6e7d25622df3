package gogen

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/testdata/modeltest"
	"github.com/efoc/efoc/testdata/require"
)

// Entities and relations of typedModel.
const (
	france = iota
	spain
	andorra // has no type
	paris
	madrid
	country
	city
	place_

	borders = iota - place_ - 1
	capital
	instanceOf
)

// typedModel has countries and cities, all of them places.
func typedModel(t *testing.T) *runtime.Model {
	t.Helper()
	var facts []graph.Triple
	for _, f := range [][3]int{
		{france, borders, spain}, {spain, borders, andorra}, {france, capital, paris}, {spain, capital, madrid},
		{france, instanceOf, country}, {spain, instanceOf, country}, {paris, instanceOf, city}, {madrid, instanceOf, city},
		{france, instanceOf, place_}, {spain, instanceOf, place_}, {paris, instanceOf, place_}, {madrid, instanceOf, place_},
	} {
		facts = append(facts, graph.Triple{Head: graph.EntityID(f[0]), Relation: int32(f[1]), Tail: graph.EntityID(f[2])})
	}
	return runtime.NewModel(modeltest.New(t, modeltest.Spec{
		Manifest:      model.Manifest{TypeRelation: "instance_of"},
		EntityNames:   []string{"France", "Spain", "Andorra", "Paris", "Madrid", "Country", "City", "Place"},
		RelationNames: []string{"borders", "capital", "instance_of"}, Facts: facts,
	}))
}

// TestTypesOf checks which parameters get Go types: the most specific type that the facts determine for their
// position.
func TestTypesOf(t *testing.T) {
	m := typedModel(t)
	f, err := lang.ParseFile("x.efo", []byte(`query Near(country, of entity) y = borders($country, y) & capital(y, $of)
query Into(where entity) y = borders(y, $where)
query Any(thing, without entity, by relation) y = $by($thing, y) & !capital($without, y)
query Class(what entity) y = instance_of(y, $what)
query Both(one, other entity) y = borders($one, y) & !capital($one, y) & !capital(y, $other) & y != $one
query Says(who, whose entity) = exists y. borders($who, y) & !capital(y, $whose)
query Pairs(than entity) x, y = borders(x, y) & !capital(x, $than)
`))
	require.NoError(t, err)
	file := analyzed(t, f)
	types, err := TypesOf(file, m.Bundle())
	require.NoError(t, err)
	out, err := File(file, Options{Source: "x.efo", Package: "p", Types: types, Bench: true})
	require.NoError(t, err)
	fields := strings.Join(strings.Fields(string(out.Code)), " ")
	for _, want := range []string{
		"Country XCountry // $country Of XCity // $of",
		"Where XCountry // $where", // half of the tails of borders are typed
		"Thing runtime.Entity // $thing Without XCountry // $without By runtime.Relation // $by",
		"What runtime.Entity // $what", // types have no type
		"One XCountry // $one Other XCity // $other",
		"Who XCountry // $who Whose XCity // $whose",
		"Than XCity // $than",
		`func FindXCity(m *runtime.Model, name string) (XCity, error) { e, err := m.EntityOfType(name, "instance_of", "City")`,
	} {
		if !strings.Contains(fields, want) {
			t.Errorf("the code lacks %s:\n%s", want, out.Code)
		}
	}
	m.Bundle().Manifest.TypeRelation = ""
	if types, err := TypesOf(file, m.Bundle()); types != nil || err != nil {
		t.Errorf("types without a relation of types: %v, %v", types, err)
	}
}

// TestEntityOfType checks the errors of the functions that find entities of a type.
func TestEntityOfType(t *testing.T) {
	m := typedModel(t)
	for name, want := range map[string]string{
		"France": "", "Andorra": "", "Paris": "Paris is no Country: the graph gives it the type City", "Atlantis": "Atlantis",
	} {
		e, err := m.EntityOfType(name, "instance_of", "Country")
		switch {
		case want == "" && (err != nil || m.EntityName(e.ID()) != name):
			t.Errorf("%s: %v, %v", name, e, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s gives error %v, want %s", name, err, want)
		case name == "Paris" && !errors.Is(err, runtime.ErrWrongType):
			t.Errorf("%s gives an error of another type: %v", name, err)
		}
	}
}

// TestParts checks that types and plans can be generated separately, and that a file's variables are literals:
// no init code can fail.
func TestParts(t *testing.T) {
	f, err := lang.ParseFile("x.efo", []byte(`query Q(a entity) y show x = exists x. r($a, x) & s(x, y) | t("b", y) & y != $a`))
	require.NoError(t, err)
	f.Semantics = "nsmp" // which truth degrees explain
	declared := map[Section][]string{}
	for _, section := range []Section{Everything, TypesOnly, PlansOnly} {
		out, err := File(analyzed(t, f), Options{Source: "x.efo", Package: "p", Section: section})
		require.NoError(t, err)
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", out.Code, 0)
		require.NoError(t, err)
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				declared[section] = append(declared[section], d.Name.Name)
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if v, ok := s.(*ast.ValueSpec); ok && v.Names[0].Name != "_" {
						checkLiteral(t, v)
						declared[section] = append(declared[section], v.Names[0].Name)
					}
				}
			}
		}
	}
	for section, want := range map[Section]string{
		Everything: "args specQ BindQ replyQ Answer AnswerBatch Best Why Warning XPlans disjunctsQ planQ runQ smallQ degreesQ whyQ",
		TypesOnly:  "args specQ BindQ replyQ Answer AnswerBatch Best Why Warning",
		PlansOnly:  "XPlans disjunctsQ planQ runQ smallQ degreesQ whyQ",
	} {
		if got := strings.Join(declared[section], " "); got != want {
			t.Errorf("section %q declares %s, want %s", section, got, want)
		}
	}
}

// checkLiteral checks that a variable's value calls only constructors of terms.
func checkLiteral(t *testing.T, v *ast.ValueSpec) {
	t.Helper()
	ast.Inspect(v, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if f, ok := call.Fun.(*ast.SelectorExpr); !ok || f.Sel.Name != "Const" && f.Sel.Name != "Var" {
				t.Errorf("%s calls a function", v.Names[0].Name)
			}
		}
		return true
	})
}
