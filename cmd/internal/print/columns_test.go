package print

import (
	"slices"
	"strings"
	"testing"

	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/plan"
)

// TestColumns prints answers and rows with attributes that are named as other columns are: each column has its own name
// in each form, and each line a field for it.
func TestColumns(t *testing.T) {
	names := []string{"score", "rank", "name", "x", "x_label", "y_x", "status", "range", "label", "population", "confidence", "y"}
	for _, x := range []struct {
		kind      plan.Kind
		variables []string
		show      []string
	}{{plan.Answers, []string{"y"}, []string{"x"}}, {plan.Answers, []string{"y"}, nil}, {plan.Rows, []string{"x", "y"}, nil}, {plan.Rows, []string{"y", "z"}, []string{"x"}}} {
		r := &runtime.Reply{Kind: x.kind, Variables: x.variables, Show: x.show, Proved: true}
		row := runtime.Row{Confidence: 0.5}
		for _, v := range x.variables {
			value := runtime.Value{Variable: v, Name: "n"}
			for _, name := range names {
				r.Columns = append(r.Columns, runtime.Column{Variable: v, Attribute: name})
				value.Attributes = append(value.Attributes, runtime.Attribute{Name: name, Values: []float64{1}})
			}
			row.Values = append(row.Values, value)
		}
		r.Rows = []runtime.Row{row}
		reply := &Reply{Reply: r}
		brief := reply.Brief()
		for form, lines := range map[string][][]string{
			"tsv":   append([][]string{listColumns(reply)}, listRows(reply)...),
			"brief": {strings.Split(brief[0], "\t"), strings.Split(brief[1], "\t")},
		} {
			header := lines[0]
			sorted := slices.Sorted(slices.Values(header))
			if len(slices.Compact(sorted)) != len(header) || len(lines[1]) != len(header) {
				t.Errorf("%v, %s: the columns are %q, a line is %q", x, form, header, lines[1])
			}
			if !slices.Contains(header, "population") && !slices.Contains(header, "y_population") {
				t.Errorf("%v, %s: no population in %q", x, form, header)
			}
		}
	}
}
