package eval

import (
	"math"
	"strconv"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/runtime"
)

// Counted is the estimated number of answers of a query, including the known easy ones, and the true
// number.
type Counted struct {
	Easy    int     `json:"easy"`
	Hard    int     `json:"hard"`
	Missing float64 `json:"missing"`
	Low     float64 `json:"low"`
	High    float64 `json:"high"`
}

// countOf estimates the number of answers of a query with the given share of facts held out, nil if the model is not
// calibrated for counting.
func countOf(q queryset.Case, x *runtime.Run, heldOut float64) (*Counted, error) {
	c, err := x.Count(runtime.Options{HeldOut: heldOut}, q.Easy)
	if err != nil || c.Uncalibrated != "" {
		return nil, err
	}
	return &Counted{len(q.Easy), len(q.Hard), c.Missing, c.Low, c.High}, nil
}

// CountReport compares estimated numbers of answers with the true ones.
type CountReport struct {
	Queries int `json:"queries"`
	// Easy, Hard and Missing are the mean numbers of easy answers, of hard answers, and of expected hard ones.
	Easy    float64 `json:"easy"`
	Hard    float64 `json:"hard"`
	Missing float64 `json:"missing"`
	// MAPE is the mean absolute percentage error of the number of all answers, as a share, and EasyMAPE the error
	// of the number of easy ones.
	MAPE     float64 `json:"mape"`
	EasyMAPE float64 `json:"mape_of_easy"`
	// Covered is the share of queries with the number of answers within its bounds.
	Covered float64 `json:"covered"`
}

// add adds the sums of o.
func (c *CountReport) add(o CountReport) {
	n := float64(c.Queries + o.Queries)
	mean := func(a *float64, b float64) { *a += (b - *a) * float64(o.Queries) / n }
	mean(&c.Easy, o.Easy)
	mean(&c.Hard, o.Hard)
	mean(&c.Missing, o.Missing)
	mean(&c.MAPE, o.MAPE)
	mean(&c.EasyMAPE, o.EasyMAPE)
	mean(&c.Covered, o.Covered)
	c.Queries += o.Queries
}

// counted sums up the counts of results, nil if there are none.
func counted(results []*Result) *CountReport {
	r := &CountReport{}
	for _, x := range results {
		c := x.Count
		if c == nil || c.Easy+c.Hard == 0 {
			continue
		}
		total := float64(c.Easy + c.Hard)
		easy := float64(c.Easy)
		hard := float64(c.Hard)
		one := CountReport{Queries: 1, Easy: easy, Hard: hard, Missing: c.Missing, MAPE: math.Abs(c.Missing-hard) / total, EasyMAPE: hard / total}
		if c.Low <= total && total <= c.High {
			one.Covered = 1
		}
		r.add(one)
	}
	if r.Queries == 0 {
		return nil
	}
	return r
}

// countTable has a row for each shape, and below the means over the shapes of each group.
func (r *Report) countTable() Table {
	t := Table{
		Title:  "Numbers of answers: means of the easy ones, of the hard ones and of those expected; MAPE of the number of all, with none expected in parentheses; and the share of queries within the 90% bounds",
		Header: []string{"shape", ">queries", ">easy", ">hard", ">expected", ">MAPE", ">within bounds"},
	}
	number := func(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) }
	row := func(name string, c *CountReport) {
		t.Rows = append(t.Rows, tables.Row{name, c.Queries, number(c.Easy), number(c.Hard), number(c.Missing), percent(c.MAPE) + " (" + percent(c.EasyMAPE) + ")", percent(c.Covered)})
	}
	for _, s := range r.Shapes {
		if s.Count != nil {
			row(s.Name, s.Count)
		}
	}
	for _, a := range r.Averages {
		if a.Count != nil {
			row(a.label(), a.Count)
		}
	}
	return t
}
