package sparqlresult

import (
	"slices"

	"github.com/efoc/efoc/lang/ast"
	"github.com/efoc/efoc/lang/sparql"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/values"
)

// mostSolutions bounds the solutions of answers with several values.
const mostSolutions = 100_000

// stating returns the solutions of answers: one for each choice of values that meet the filters of the selected
// variables, which the rows have as attributes instead of others. It stops after mostSolutions and one.
func stating(r *sparql.Request, rows []runtime.Row) (solutions []runtime.Row) {
	for _, row := range rows {
		if len(solutions) > mostSolutions {
			break
		}
		bare := row
		bare.Values = slices.Clone(row.Values)
		for i := range bare.Values {
			bare.Values[i].Attributes = nil
		}
		chosen := []runtime.Row{bare}
		for _, v := range r.Values {
			a := row.Values[v.Column].Attributes.Of(v.Filter.Attribute)
			chosen = with(chosen, v, a.Kind, meeting(v.Filter, a))
		}
		solutions = append(solutions, chosen...)
	}
	return solutions
}

// with returns the given solutions with each of some numbers as the value of a variable, stopping as stating does.
func with(solutions []runtime.Row, v sparql.Value, kind values.Kind, numbers []float64) (list []runtime.Row) {
	for _, row := range solutions {
		for _, x := range numbers {
			if len(list) > mostSolutions {
				return list
			}
			next := row
			next.Values = slices.Clone(row.Values)
			of := &next.Values[v.Column]
			of.Attributes = append(slices.Clone(of.Attributes), runtime.Attribute{Name: v.Name, Kind: kind, Values: []float64{x}})
			list = append(list, next)
		}
	}
	return list
}

// meeting returns the values of an attribute that meet all comparisons of a filter.
func meeting(f *ast.Filter, a runtime.Attribute) (list []float64) {
	within := values.Everything()
	for _, c := range f.Comparisons {
		span, err := a.Kind.Span(c.Value)
		if err != nil { // Bind has read it
			return nil
		}
		within.Restrict(c.Operator, span)
	}
	for _, x := range a.Values {
		if within.Has(x) {
			list = append(list, x)
		}
	}
	return list
}

// stated returns the value of the selected variable at an index in a solution.
func stated(r *sparql.Request, row *runtime.Row, i int) runtime.Attribute {
	v := r.Values[i]
	return row.Values[v.Column].Attributes.Of(v.Name)
}

// literals returns the values of the selected variables in a solution, as literals of N-Triples.
func literals(r *sparql.Request, row *runtime.Row) (list []string) {
	for i := range r.Values {
		a := stated(r, row, i)
		list = append(list, a.Kind.Literal(a.Texts()[0]))
	}
	return list
}

// valueNames returns the names of the selected variables.
func valueNames(r *sparql.Request) (list []string) {
	for _, v := range r.Values {
		list = append(list, v.Name)
	}
	return list
}

// valueColumns returns the columns of a table for the selected variables.
func valueColumns(r *sparql.Request) (list []runtime.Column) {
	answers := r.Query.Variables()
	for _, v := range r.Values {
		list = append(list, runtime.Column{Variable: answers[v.Column].Name, Attribute: v.Name})
	}
	return list
}
