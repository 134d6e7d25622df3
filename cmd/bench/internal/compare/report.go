package compare

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"github.com/efoc/efoc/cmd/internal/eval"
	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/cmd/internal/trial"
	"github.com/efoc/efoc/kernels/simd"
)

// report is the result of Tradeoff.
type report struct {
	Graphs []*graphReport
}

// graphReport is the result of a graph.
type graphReport struct {
	Graph                  string
	Entities, Rank         int
	Limit, Rounds, Threads int
	Rows                   []row
}

// row is a contender.
type row struct {
	*contender
	// Groups are the means over the shapes of each of the benchmark's groups.
	Groups []point
	// Shapes are what they are means of.
	Shapes []point
}

// point is a time and a quality.
type point struct {
	// Group is the benchmark's group; Shape is empty for the mean over its shapes, of
	// which there are Shapes.
	Group, Shape string
	Shapes       int
	Queries      int
	// Stopped counts the queries that took longer than the cap.
	Stopped int
	// Milliseconds are of a query; for a shape, of the rounds.
	Milliseconds trial.Summary
	// MRR is in percent.
	MRR float64
}

// report sums a graph up.
func (f *field) report() *graphReport {
	r := &graphReport{
		Graph: f.graph, Entities: f.model.NumEntities(), Rank: f.model.Predictor.Rank,
		Limit: int(f.Limit), Rounds: int(f.Rounds), Threads: f.threads,
	}
	for _, c := range f.contenders {
		x := row{contender: c}
		for i, g := range f.groups {
			x.Shapes = append(x.Shapes, point{
				Group: eval.ShapeGroup(g.Name), Shape: g.Name, Shapes: 1, Queries: len(g.Queries), Stopped: c.results[i].stopped,
				Milliseconds: trial.Summarize(c.results[i].milliseconds), MRR: trial.Mean(c.results[i].mrr),
			})
		}
		x.average(c.results)
		r.Rows = append(r.Rows, x)
	}
	return r
}

// average fills in the means over the shapes of each group.
func (x *row) average(results []result) {
	for _, group := range eval.Groups() {
		p := point{Group: group}
		var mrr []float64
		var times [][]float64
		for i, s := range x.Shapes {
			if s.Group == group {
				p.Shapes++
				p.Queries += s.Queries
				p.Stopped += s.Stopped
				mrr, times = append(mrr, s.MRR), append(times, results[i].milliseconds)
			}
		}
		if p.Shapes > 0 {
			p.Milliseconds, p.MRR = trial.Summarize(byRound(times)), trial.Mean(mrr)
			x.Groups = append(x.Groups, p)
		}
	}
}

// byRound returns the mean of the times of shapes in each round.
func byRound(times [][]float64) []float64 {
	means := make([]float64, len(times[0]))
	for round := range means {
		for _, t := range times {
			means[round] += t[round] / float64(len(times))
		}
	}
	return means
}

// title names a mean over shapes.
func (p *point) title() string {
	of := len(eval.GroupShapes(p.Group))
	if p.Shapes == of {
		return fmt.Sprintf("AVG.(%s)", p.Group)
	}
	return fmt.Sprintf("AVG.(%s), %d of %d shapes", p.Group, p.Shapes, of)
}

// title says what a graph's figures are of.
func (g *graphReport) title() string {
	return fmt.Sprintf("%s (%d entities, rank %d), %d queries a shape, rounds: %d, threads: %d, kernels: %s",
		g.Graph, g.Entities, g.Rank, g.Limit, g.Rounds, g.Threads, simd.Engine())
}

// writeTable prints the report for a person.
func (r *report) writeTable(w io.Writer) error {
	for _, g := range r.Graphs {
		if _, err := fmt.Fprintf(w, "%s\n%s\n\n", g.title(), g.table()); err != nil {
			return err
		}
	}
	return nil
}

// table lays the rows of a graph out.
func (g *graphReport) table() string {
	header := []string{""}
	for _, p := range g.Rows[0].Groups {
		header = append(header, ">"+p.title()+": MRR", ">ms a query")
	}
	var rows []tables.Row
	for _, x := range g.Rows {
		row := tables.Row{x.name()}
		for _, p := range x.Groups {
			mrr, ms := strconv.FormatFloat(p.MRR, 'f', 2, 64), strconv.FormatFloat(p.Milliseconds.Median, 'f', 2, 64)
			if p.Stopped > 0 {
				mrr, ms = "≥ "+mrr, fmt.Sprintf("≥ %s, %d of %d stopped", ms, p.Stopped, p.Queries)
			}
			row = append(row, mrr, ms)
		}
		rows = append(rows, row)
	}
	return tables.Text(header, rows)
}

// writeCSV writes a record for each shape and average of each contender.
func (r *report) writeCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	records := [][]string{{"graph", "series", "candidates", "group", "shape", "shapes", "queries", "stopped", "mrr", "ms", "ms_min", "ms_max", "rounds", "threads"}}
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
	for _, g := range r.Graphs {
		for _, x := range g.Rows {
			for _, points := range [][]point{x.Shapes, x.Groups} {
				for _, p := range points {
					t := p.Milliseconds
					records = append(records, []string{
						tables.Cell(g.Graph), tables.Cell(x.series), strconv.Itoa(x.candidates), tables.Cell(p.Group), tables.Cell(p.Shape), strconv.Itoa(p.Shapes), strconv.Itoa(p.Queries), strconv.Itoa(p.Stopped),
						number(p.MRR), number(t.Median), number(t.Min), number(t.Max), strconv.Itoa(g.Rounds), strconv.Itoa(g.Threads),
					})
				}
			}
		}
	}
	return c.WriteAll(records)
}
