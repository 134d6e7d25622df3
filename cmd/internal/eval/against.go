package eval

import (
	"errors"
	"fmt"
	"slices"

	"github.com/efoc/efoc/cmd/internal/tables"
)

// Comparison compares a report with another on the same queries.
type Comparison struct {
	// Against is the file of the other report, Other its label.
	Against string         `json:"against"`
	Other   string         `json:"other"`
	Rows    []ComparedMean `json:"rows"`

	report *Report
}

// ComparedMean compares the MRR of a shape, or an average over shapes.
type ComparedMean struct {
	// Name is the name of a shape or the label of an average.
	Name    string `json:"name"`
	Queries int    `json:"queries"`
	// Difference is this report's MRR minus the other's.
	Difference float64  `json:"mrr_difference"`
	Interval   Interval `json:"interval"`
	// P is the p-value of the paired t test over the queries.
	P float64 `json:"p"`
}

// Compare compares the report with another, read from a file. Both must be complete, with the same queries and
// filter.
func (r *Report) Compare(file string, other *Report) error {
	switch {
	case other.About.Queries.Sum == "":
		return fmt.Errorf("%s: not a report of eval", file)
	case other.About.Queries.Sum != r.About.Queries.Sum:
		return fmt.Errorf("%s: the report is of other queries (%s): evaluate the same ones", file, &other.About.Queries)
	case other.About.Filter != r.About.Filter:
		return fmt.Errorf("%s: the report has filter %s, this run %s", file, other.About.Filter, r.About.Filter)
	}
	c := Comparison{Against: file, Other: other.label(), report: other}
	byGroup := map[string][2][][]float64{}
	for i, s := range r.Shapes {
		if len(other.Shapes) != len(r.Shapes) || other.Shapes[i].Name != s.Name || len(other.Shapes[i].MRRs) != len(s.MRRs) {
			return fmt.Errorf("%s: %w", file, errUnfinished)
		}
		pair := [2][]float64{s.MRRs, other.Shapes[i].MRRs}
		if len(pair[0]) == 0 {
			continue
		}
		c.add(s.Name, [][]float64{pair[0]}, [][]float64{pair[1]})
		of := byGroup[s.Group]
		byGroup[s.Group] = [2][][]float64{append(of[0], pair[0]), append(of[1], pair[1])}
	}
	for _, group := range Groups() {
		if of := byGroup[group]; len(of[0]) > 0 {
			c.add(averageLabel(group), of[0], of[1])
		}
	}
	r.Against = append(r.Against, c)
	return nil
}

var errUnfinished = errors.New("the report is not of all queries of this run: finish it first")

// add compares the values of shapes.
func (c *Comparison) add(name string, ours, theirs [][]float64) {
	gain := NewGain(ours, theirs)
	row := ComparedMean{Name: name, Difference: gain.Mean, P: gain.P()}
	var resampled [][]float64
	for i := range ours {
		differences := slices.Clone(ours[i])
		for k := range differences {
			differences[k] -= theirs[i][k]
		}
		row.Queries += len(differences)
		resampled = append(resampled, resample(differences))
	}
	row.Interval = interval(resampled...)
	c.Rows = append(c.Rows, row)
}

// label names a report in a table of several.
func (r *Report) label() string {
	return fmt.Sprintf("efoc, %s", r.About.Semantics)
}

// table has a row for each shape and average.
func (c *Comparison) table() Table {
	t := Table{
		Title:  fmt.Sprintf("MRR less that of %s (%s), on the same queries: paired bootstrap and t test", c.Against, c.Other),
		Header: []string{"shape", ">queries", ">difference", ">95% interval", ">p"},
	}
	for _, x := range c.Rows {
		t.Rows = append(t.Rows, tables.Row{x.Name, x.Queries, signed(x.Difference), signed(x.Interval[0]) + " to " + signed(x.Interval[1]), fmt.Sprintf("%.2g", x.P)})
	}
	return t
}

// signed formats a difference of shares in points of a percentage.
func signed(x float64) string { return fmt.Sprintf("%+.2f", 100*x) }
