package queryset

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/efoc/efoc/compiler/lower"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/lang/benchmark"
)

// Suffixes of shape names for other readings.
const (
	deMorgan  = "-DM"
	universal = "-universal"
)

// extensions are shapes that others have added to BetaE's.
var extensions = []benchmark.Shape{
	{Name: "4p", Formula: "r1(s1,e1)&r2(e1,e2)&r3(e2,e3)&r4(e3,f)"},
	{Name: "5p", Formula: "r1(s1,e1)&r2(e1,e2)&r3(e2,e3)&r4(e3,e4)&r5(e4,f)"},
	{Name: "4i", Formula: "r1(s1,f)&r2(s2,f)&r3(s3,f)&r4(s4,f)"},
	{Name: "3ip", Formula: "r1(s1,e1)&r2(s2,e1)&r3(s3,e1)&r4(e1,f)"},
}

// form is a formula in a file, mapped to its group's template.
type form struct {
	// name is the benchmark's name, empty without one.
	name     string
	formula  string
	template *lang.Query
	// params are the parameters of the formula as written, by name, in the order of the template's.
	params []lang.Param
}

// named are the shapes with a name.
var named = slices.Concat(benchmark.Shapes, extensions)

// known is a shape with a name.
type known struct {
	benchmark.Shape
	query *lang.Query
	graph *lower.Shape
}

// knownShapes holds the shapes with names by their key.
var knownShapes = sync.OnceValue(func() map[string]*known {
	m := map[string]*known{}
	for _, s := range slices.Concat(benchmark.Shapes, extensions) {
		q, shape, err := analyze(s.Formula)
		if err != nil {
			panic("internal error: shape " + s.Name + ": " + err.Error())
		}
		m[shape.Key] = &known{s, q, shape}
	}
	return m
})

// analyze parses a benchmark formula.
func analyze(text string) (*lang.Query, *lower.Shape, error) {
	q, err := lang.ParseBenchmark(text)
	if err == nil && len(q.Others) > 0 {
		err = lang.ErrorList{q.Errorf(q.Others[0].Pos, "quantify the others with exists", "the query has %d free variables, want one", len(q.Others)+1)}
	}
	if err != nil {
		return nil, nil, err
	}
	return q, stages.Analyze(q).Shape(), nil
}

// parseForm parses a benchmark formula.
func parseForm(text string) (*form, error) {
	q, shape, err := analyze(text)
	if err != nil {
		return nil, plainError(text, err)
	}
	k := knownShapes()[shape.Key]
	if k == nil || slices.ContainsFunc(shape.Relations, func(r ast.Relation) bool { return r.Inverse }) {
		// Its relations may be inverses of a named shape's relations.
		return &form{formula: text, template: q, params: q.Params}, nil
	}
	f := &form{name: k.Name, formula: k.Formula, template: k.query}
	if len(shape.Disjuncts) > 1 && !strings.Contains(text, "|") {
		f.name += deMorgan
	}
	// The slots of shapes with equal keys correspond by index.
	there := map[string]string{}
	for i, c := range k.graph.Constants {
		there[c.Name] = shape.Constants[i].Name
	}
	for i, r := range k.graph.Relations {
		there[r.Name] = shape.Relations[i].Name
	}
	for _, p := range k.query.Params {
		f.params = append(f.params, lang.Param{Name: there[p.Name], Kind: p.Kind})
	}
	return f, nil
}

// formulaError is the first mistake in a formula within a data file, reported after the position in the file.
type formulaError struct{ text, caret string }

func (e *formulaError) Error() string { return e.text }

// plainError formats the first mistake in a formula as one line.
func plainError(text string, err error) error {
	e := &formulaError{}
	if list, _ := errors.AsType[lang.ErrorList](err); len(list) > 0 {
		first := list[0]
		msg := first.Msg
		if first.Hint != "" {
			msg += "; " + first.Hint
		}
		err = fmt.Errorf("column %d: %s", max(1, first.Pos.Col), msg)
		for line := range strings.Lines(first.Render()) {
			if strings.HasPrefix(line, "\t") && !strings.HasPrefix(line, "\thint: ") {
				e.caret += "\n" + strings.TrimRight(line, "\n")
			}
		}
	}
	e.text = fmt.Sprintf("formula %q: %s", short(text, 200), err)
	return e
}

// order is the sort key of groups: shapes in their order, then others.
func (g *Group) order() int {
	if i := slices.IndexFunc(named, func(s benchmark.Shape) bool { return s.Formula == g.Formula }); i >= 0 {
		return i
	}
	return len(named)
}

// shapeNamed returns the formula of a named shape.
func shapeNamed(name string) (string, error) {
	if i := slices.IndexFunc(named, func(s benchmark.Shape) bool { return s.Name == name }); i >= 0 {
		return named[i].Formula, nil
	}
	_, err := benchmark.Query(name)
	return "", err
}
