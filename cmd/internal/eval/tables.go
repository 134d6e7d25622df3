package eval

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/efoc/efoc/runtime/model"
)

// Table is a table of text. A header that starts with > belongs to a column that
// is aligned to the right.
type Table struct {
	// Title says what the table holds; it may be empty.
	Title  string
	Header []string
	Rows   [][]string
}

// percent formats a share as a percentage.
func percent(x float64) string { return strconv.FormatFloat(100*x, 'f', 2, 64) }

// metricsHeader heads the columns of metricsCells.
var metricsHeader = []string{">MRR", ">Hits@1", ">Hits@3", ">Hits@10"}

func metricsCells(m Metrics) []string {
	return []string{percent(m.MRR), percent(m.Hits1), percent(m.Hits3), percent(m.Hits10)}
}

// Facts returns what was evaluated and how: pairs of a name and its value.
func (r *Report) Facts() [][]string {
	a := r.About
	name := a.Model.Name
	if a.Model.File != "" {
		name += ", " + a.Model.File
	}
	facts := [][]string{
		{"model", fmt.Sprintf("%s (%d entities, rank %d, table %s)", name, a.Model.Entities, a.Model.Rank, a.Model.Table)},
		{"queries", fmt.Sprintf("%s, %d queries", a.Queries.File, a.Queries.Count)},
		{"visible graph", fmt.Sprintf("%s, %d facts", a.Visible.Name, a.Visible.Facts)},
	}
	if a.Full != nil {
		facts = append(facts, []string{"full graph", fmt.Sprintf("%s, %d facts", a.Full.Name, a.Full.Facts)})
	}
	if r.About.Semantics != model.NSMP {
		facts = append(facts, []string{"semantics", r.About.Semantics.String()})
	}
	return append(facts,
		[]string{"filter", a.Filter.describe() + "; ties " + a.Ties},
		[]string{"settings", r.settings()},
		[]string{"engine", fmt.Sprintf("%s, batch %d", r.engines(), a.Batch)},
		[]string{"union", a.Union},
	)
}

// describe says what a filter takes out.
func (f Filter) describe() string {
	if f == Strict {
		return "strict (easy answers that the full graph entails)"
	}
	return "released (all easy answers)"
}

// settings says what the runs have in common; what is swept has no value.
func (r *Report) settings() string {
	s := r.Runs[0].Settings
	layers := "D+1"
	if s.Layers > 0 {
		layers = strconv.Itoa(s.Layers)
	}
	var parts []string
	list := []setting{
		{"lambda", "λ", number(s.Lambda)}, {"alpha", "α", number(s.Alpha)}, {"weight", "w", number(s.Weight)}, {"epsilon", "ε", number(s.Epsilon)}, {"layers", "L", layers},
	}
	if r.About.Semantics == model.FIT {
		list = nil
	}
	for _, x := range append(list, degrees(r.About.Semantics, s.Degrees)...) {
		if x.name == r.Sweep {
			x.value = "as in the table"
		}
		parts = append(parts, x.symbol+" = "+x.value)
	}
	if n := len(r.Runs[0].Tuned); n > 0 {
		parts = append(parts, fmt.Sprintf("%d shapes as tuned", n))
	}
	return strings.Join(parts, ", ")
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// engines names the engines that ran.
func (r *Report) engines() string {
	var names []string
	for _, run := range r.Runs {
		for _, s := range run.Shapes {
			if !slices.Contains(names, string(s.Engine)) {
				names = append(names, string(s.Engine))
			}
		}
	}
	if len(names) == 0 {
		return string(r.About.Engine)
	}
	return strings.Join(names, " and ")
}

// Note says that queries are missing, empty if none is.
func (r *Report) Note() string {
	if !r.Partial() {
		return ""
	}
	return fmt.Sprintf("partial: %d of %d queries are done", r.Done, r.Total)
}

// Tables returns the tables of the report.
func (r *Report) Tables() []Table {
	var tables []Table
	if r.Sweep != "" {
		tables = append(tables, r.sweepTable())
	} else {
		tables = append(tables, r.Runs[0].shapeTable())
		if t := r.Runs[0].linksTable(); len(t.Rows) > 0 {
			tables = append(tables, t)
		}
	}
	if r.Published != nil {
		tables = append(tables, r.publishedTables()...)
	}
	return tables
}

// shapeTable has a row for each shape, and the averages below.
func (run *RunReport) shapeTable() Table {
	t := Table{Header: append([]string{"shape", ">queries", ">answers"}, metricsHeader...)}
	for _, s := range run.Shapes {
		queries := strconv.Itoa(s.Queries)
		if s.Queries < s.Of {
			queries += " of " + strconv.Itoa(s.Of)
		}
		t.Rows = append(t.Rows, append([]string{s.Name, queries, strconv.Itoa(s.Answers)}, metricsCells(s.Metrics)...))
	}
	for _, a := range run.Averages {
		shapes := strconv.Itoa(a.Shapes) + " shapes"
		if !a.Complete() {
			shapes = fmt.Sprintf("%d of %d shapes", a.Shapes, a.Of)
		}
		t.Rows = append(t.Rows, append([]string{a.Label(), shapes, ""}, metricsCells(a.Metrics)...))
	}
	return t
}

// linksTable has a row for each shape and a column for each number of missing
// links.
func (run *RunReport) linksTable() Table {
	t := Table{Title: "MRR by the number of links that had to be predicted, and the number of such answers", Header: []string{"shape"}}
	for links := range MaxLinks + 1 {
		more := ""
		if links == MaxLinks {
			more = "+"
		}
		t.Header = append(t.Header, fmt.Sprintf(">%d%s", links, more), ">answers")
	}
	for _, s := range run.Shapes {
		if s.Links == nil {
			continue
		}
		row := make([]string, len(t.Header))
		row[0] = s.Name
		for _, l := range s.Links {
			row[1+2*l.Links], row[2+2*l.Links] = percent(l.MRR), strconv.Itoa(l.Answers)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// sweepTable has a row for each shape and average, and a column for each value.
func (r *Report) sweepTable() Table {
	t := Table{Title: "MRR by " + r.Sweep, Header: []string{r.Sweep}}
	rows := map[string][]string{}
	var names []string
	for i, run := range r.Runs {
		t.Header = append(t.Header, ">"+run.Value)
		set := func(name string, x float64) {
			if rows[name] == nil {
				rows[name] = append([]string{name}, make([]string, len(r.Runs))...)
				names = append(names, name)
			}
			rows[name][1+i] = percent(x)
		}
		for _, s := range run.Shapes {
			set(s.Name, s.MRR)
		}
		for _, a := range run.Averages {
			set(a.Label(), a.MRR)
		}
	}
	for _, name := range names {
		t.Rows = append(t.Rows, rows[name])
	}
	return t
}

// publishedTables are laid out as in the papers: BetaE's shapes with their two
// averages, then the real EFO1 shapes. The rows of efoc come last.
func (r *Report) publishedTables() []Table {
	rows := slices.Clone(r.Published)
	for _, run := range r.Runs {
		name := "efoc"
		if r.Sweep != "" {
			name += ", " + r.Sweep + " " + run.Value
		}
		rows = append(rows, run.PublishedRow(name))
	}
	columns := PublishedColumns()
	at := slices.Index(columns, averageLabel("N")) + 1
	var tables []Table
	for i, part := range [][]string{columns[:at], columns[at:]} {
		t := Table{Title: "MRR of " + [2]string{"BetaE's", "the real EFO1"}[i] + " shapes, published and ours", Header: []string{r.Published[0].Graph}}
		for _, c := range part {
			t.Header = append(t.Header, ">"+c)
		}
		ours := false
		for i, row := range rows {
			cells := []string{row.Model}
			found := false
			for _, c := range part {
				text := ""
				if x, ok := row.MRR[c]; ok {
					text, found = strconv.FormatFloat(x, 'f', 1, 64), true
				}
				cells = append(cells, text)
			}
			if found {
				t.Rows = append(t.Rows, cells)
				ours = ours || i >= len(r.Published)
			}
		}
		if ours {
			tables = append(tables, t)
		}
	}
	return tables
}
