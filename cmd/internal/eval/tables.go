package eval

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/runtime/model"
)

// Table is a table of text. A header that starts with > aligns its column to the right.
type Table struct {
	// Title describes the table; it may be empty.
	Title  string
	Header []string
	Rows   []tables.Row
}

// percent formats a share as a percentage.
func percent(x float64) string { return strconv.FormatFloat(100*x, 'f', 2, 64) }

// metricsHeader heads the columns of metricsCells.
var metricsHeader = []string{">MRR", ">Hits@1", ">Hits@3", ">Hits@10"}

func metricsCells(m Metrics, i Interval) tables.Row {
	return tables.Row{percent(m.MRR), percent(m.Hits1), percent(m.Hits3), percent(m.Hits10), i.String()}
}

// String formats the interval in percent.
func (i Interval) String() string { return percent(i[0]) + " to " + percent(i[1]) }

// Facts describes the evaluation: pairs of a name and its value.
func (r *Report) Facts() []tables.Row {
	a := r.About
	name := a.Model.Name
	if a.Model.File != "" {
		name += ", " + a.Model.File
	}
	facts := []tables.Row{
		{"model", fmt.Sprintf("%s (%d entities, rank %d, table %s)", name, a.Model.Entities, a.Model.Rank, a.Model.Table)},
		{"queries", fmt.Sprintf("%s, %d queries", a.Queries.File, a.Queries.Count)},
		{"visible graph", fmt.Sprintf("%s, %d facts", a.Visible.Name, a.Visible.Facts)},
	}
	if a.Full != nil {
		facts = append(facts, tables.Row{"full graph", fmt.Sprintf("%s, %d facts", a.Full.Name, a.Full.Facts)})
	}
	if r.Reliability != nil {
		facts = append(facts, tables.Row{"confidence", fmt.Sprintf("that of questions of held-out facts, %.3g%% of all", 100*a.Queries.HeldOut)})
	}
	return append(facts,
		tables.Row{"semantics", a.Semantics.String()},
		tables.Row{"filter", a.Filter.describe() + "; ties count half"},
		tables.Row{"settings", r.settings()},
		tables.Row{"engine", fmt.Sprintf("%s, batch %d", r.engines(), a.Batch)},
	)
}

// describe describes the answers that a filter removes.
func (f EasyFilter) describe() string {
	if f == Strict {
		return "strict (easy answers that the full graph entails)"
	}
	return "released (all easy answers)"
}

// settings lists the settings that the semantics reads, except switches that are off.
func (r *Report) settings() string {
	var parts []string
	for _, x := range model.SettingsOf(r.About.Semantics) {
		if !x.IsSwitch() || x.Get(r.Settings) != 0 {
			parts = append(parts, cmp.Or(x.Symbol, x.Name)+" = "+x.Text(r.Settings))
		}
	}
	return strings.Join(parts, ", ")
}

// engines names the engines that ran.
func (r *Report) engines() string {
	var names []string
	for _, s := range r.Shapes {
		if !slices.Contains(names, string(s.Engine)) {
			names = append(names, string(s.Engine))
		}
	}
	if len(names) == 0 {
		return string(r.About.Engine)
	}
	return strings.Join(names, " and ")
}

// Tables returns the tables of the report.
func (r *Report) Tables() []Table {
	list := []Table{r.shapeTable()}
	if t := r.linksTable(); len(t.Rows) > 0 {
		list = append(list, t)
	}
	if r.Reliability != nil {
		list = append(list, r.reliabilityTable(), r.Reliability.table())
	}
	return list
}

// shapeTable has a row for each shape, and the averages below.
func (r *Report) shapeTable() Table {
	t := Table{Header: append([]string{"shape", ">queries", ">answers"}, append(metricsHeader, ">95% interval of MRR")...)}
	for _, s := range r.Shapes {
		t.Rows = append(t.Rows, append(tables.Row{s.Name, of(s.Queries, s.Of), s.Answers}, metricsCells(s.Metrics, s.Interval)...))
	}
	for _, a := range r.Averages {
		t.Rows = append(t.Rows, append(tables.Row{a.label(), of(a.Shapes, a.Of) + " shapes", ""}, metricsCells(a.Metrics, a.Interval)...))
	}
	return t
}

// of formats n out of all, without all if it is n.
func of(n, all int) string {
	if n == all {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d of %d", n, all)
}

// linksTable has a row for each shape and a column for each number of missing links, and one for all links of the
// shape, over which the averages are.
func (r *Report) linksTable() Table {
	t := Table{Title: "MRR by the number of links that had to be predicted, and the number of such answers", Header: []string{"shape"}}
	for links := range maxLinks + 1 {
		more := ""
		if links == maxLinks {
			more = "+"
		}
		t.Header = append(t.Header, fmt.Sprintf(">%d%s", links, more), ">answers")
	}
	t.Header = append(t.Header, ">all", ">answers", ">95% interval")
	last := len(t.Header) - 3
	for _, s := range r.Shapes {
		if s.Links == nil {
			continue
		}
		row := blankRow(s.Name, len(t.Header))
		for _, l := range s.Links {
			row[1+2*l.Links] = percent(l.MRR)
			row[2+2*l.Links] = l.Answers
		}
		if s.AllLinks != nil {
			row[last] = percent(s.AllLinks.MRR)
			row[last+1] = s.AllLinks.Answers
		}
		t.Rows = append(t.Rows, row)
	}
	for _, a := range r.Averages {
		if a.AllLinks != nil {
			row := blankRow(a.label(), len(t.Header))
			row[last], row[last+1], row[last+2] = percent(a.AllLinks.MRR), of(a.AllLinks.Shapes, a.Of)+" shapes", a.AllLinks.Interval
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// blankRow returns a row with only the first cell filled.
func blankRow(name string, cells int) tables.Row {
	return append(tables.Row{name}, slices.Repeat(tables.Row{""}, cells-1)...)
}
