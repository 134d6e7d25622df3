package explain

import (
	"fmt"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/efoc/efoc/compiler/cost"
)

// estimate writes the cost on tables of one size: the plan as a whole, and the
// passes over the table one by one. With truth degrees it depends on K.
func (t *textWriter) estimate(e *Estimate, degrees bool) {
	predicted := e.Constants != nil
	k := ""
	if degrees {
		k = fmt.Sprintf(" and %d candidate%s, no row being kept", e.Sizes.Candidates, plural(e.Sizes.Candidates))
	}
	t.printf("\nestimate for %d entities of rank %d%s: a pass over the table reads %sB\n",
		e.Sizes.Entities, e.Sizes.Rank, k, cost.Scale(e.Sizes.TableBytes()))
	t.codes(e.Codes)
	header := []string{"plan", ">table passes", ">bytes of them", ">other bytes", ">FLOPs"}
	if predicted {
		header = append(header, ">predicted")
	}
	var rows []table.Row
	for _, p := range []struct {
		name string
		*cost.Estimate
	}{{"before", e.Before}, {"after", e.After}} {
		row := table.Row{
			p.name, len(p.Sweeps), cost.Scale(p.TableBytes) + "B", cost.Scale(p.Bytes-p.TableBytes) + "B", cost.Scale(p.FLOPs) + "FLOP",
		}
		if predicted {
			row = append(row, duration(p.Seconds))
		}
		rows = append(rows, row)
	}
	t.table(header, rows)
	t.printf("\n")
	header = []string{">pass", ">rows", ">scores", ">sums", ">FLOPs"}
	if predicted {
		header = append(header, ">predicted")
	}
	rows = nil
	for i, w := range e.After.Sweeps {
		row := table.Row{i + 1, w.Rows, w.Scores, w.Sums, cost.Scale(w.FLOPs) + "FLOP"}
		if predicted {
			row = append(row, duration(w.Seconds))
		}
		rows = append(rows, row)
	}
	t.table(header, rows)
	if c := e.Constants; predicted {
		t.printf("\n  measured here, on %d thread%s: %sB/s of the table, %sFLOP/s on its rows in the cache,\n"+
			"  %sB/s of vectors, %sexponentials/s, %sedges/s\n", c.Threads, plural(c.Threads),
			cost.Scale(c.Bandwidth), cost.Scale(c.FLOPS), cost.Scale(c.Vectors), cost.Scale(c.Exps), cost.Scale(c.Edges))
	}
}

// codes says by how much the codes of a table may miss a score.
func (t *textWriter) codes(c *Codes) {
	if c == nil {
		return
	}
	t.printf("  %s codes miss a score by at most %.2f%% of the lengths of its row and query (%.2f%% on average);\n",
		c.Table, 100*c.Error.Largest, 100*c.Error.Mean)
	if c.Exact == "" {
		t.printf("  there are no exact rows beside them\n\n")
		return
	}
	t.printf("  the rows that carry a state, and those that may be among the best, are read again as %s\n\n", c.Exact)
}

// duration formats seconds with three digits or so.
func duration(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d >= time.Second:
		return fmt.Sprintf("%.2f s", d.Seconds())
	case d >= time.Millisecond:
		return fmt.Sprintf("%.1f ms", 1000*d.Seconds())
	}
	return fmt.Sprintf("%.0f µs", 1e6*d.Seconds())
}
