package compare

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/cmd/internal/trial"
	"github.com/efoc/efoc/kernels/simd"
)

// speeds is the result of Peer.
type speeds struct {
	Graph    string `json:"graph"`
	Entities int    `json:"entities"`
	Rank     int    `json:"rank"`
	Queries  int    `json:"queries_per_shape"`
	Threads  int    `json:"threads"`
	Rounds   int    `json:"rounds"`
	Kernels  string `json:"kernels"`
	// Table is the type of efoc's entity table.
	Table string `json:"table"`
	// Differ says that its answers are not the peer's.
	Differ  bool       `json:"answers_differ"`
	Engines []string   `json:"engines"`
	Shapes  []speedRow `json:"shapes"`
	// Mean is over the shapes: of the times, and of the ratio of those means.
	Mean speedRow `json:"mean"`
	// Median is the median of the shapes' ratios, an engine each.
	Median []float64 `json:"median_ratios"`
}

// speedRow is a shape: milliseconds a query, and how many times as long the peer
// takes as each engine.
type speedRow struct {
	Shape  string          `json:"shape"`
	Peer   trial.Summary   `json:"peer_ms"`
	Efoc   []trial.Summary `json:"efoc_ms"`
	Ratios []trial.Summary `json:"ratios"`
	// Best are the ratios of the least times: what is left of the difference when
	// nothing else is running.
	Best []float64 `json:"best_ratios"`
}

// add adds an engine: its times and those of the peer, round by round.
func (x *speedRow) add(peer, times []float64) {
	ratios := make([]float64, len(times))
	for k, t := range times {
		ratios[k] = peer[k] / t
	}
	s := trial.Summarize(times)
	x.Efoc = append(x.Efoc, s)
	x.Ratios = append(x.Ratios, trial.Summarize(ratios))
	x.Best = append(x.Best, x.Peer.Min/s.Min)
}

// speeds sums up the rounds of the peer, which is the first contender, and the others.
func (f *field) speeds(table string, differ bool) *speeds {
	r := &speeds{
		Graph: f.graph, Entities: f.model.NumEntities(), Rank: f.model.Predictor.Rank,
		Queries: int(f.Limit), Threads: int(f.Threads), Rounds: int(f.Rounds),
		Kernels: simd.Engine(), Table: table, Differ: differ, Mean: speedRow{Shape: "mean"},
	}
	for _, g := range f.groups {
		r.Shapes = append(r.Shapes, speedRow{Shape: g.Name})
	}
	var peer [][]float64 // by shape and round
	for j, c := range f.contenders {
		var times [][]float64
		var ratios []float64
		for i := range r.Shapes {
			x := &r.Shapes[i]
			times = append(times, c.results[i].milliseconds)
			if j == 0 {
				x.Peer = trial.Summarize(times[i])
				continue
			}
			x.add(peer[i], times[i])
			ratios = append(ratios, x.Ratios[j-1].Median)
		}
		if j == 0 {
			peer, r.Mean.Peer = times, trial.Summarize(byRound(times))
			continue
		}
		r.Engines = append(r.Engines, c.series)
		r.Mean.add(byRound(peer), byRound(times))
		r.Median = append(r.Median, trial.Median(ratios))
	}
	return r
}

// write prints the report in one of the formats.
func (r *speeds) write(w io.Writer, format string) error {
	if format == "json" {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	lay := tables.Text
	if format == "markdown" {
		lay = tables.Markdown
	}
	differ := ""
	if r.Differ {
		differ = " (answers differ)"
	}
	_, err := fmt.Fprintf(w, "%s (%d entities, rank %d), %d queries a shape, threads: %d, kernels: %s, table: %s%s\n"+
		"ms a query, median of %d rounds; ratio = peer / efoc, median and range of the rounds; best: of the least times\n\n%s\n",
		r.Graph, r.Entities, r.Rank, r.Queries, r.Threads, r.Kernels, r.Table, differ, r.Rounds, lay(r.table()))
	return err
}

// table returns the header and the rows of the report.
func (r *speeds) table() (header []string, rows []tables.Row) {
	header = []string{"shape", ">peer"}
	median := tables.Row{"median", ""}
	for j, e := range r.Engines {
		header = append(header, ">"+e, ">ratio", ">range", ">best")
		median = append(median, "", fmt.Sprintf("%.1f", r.Median[j]), "", "")
	}
	for _, x := range append(r.Shapes, r.Mean) {
		row := tables.Row{x.Shape, ms(x.Peer.Median)}
		for j := range r.Engines {
			q := x.Ratios[j]
			row = append(row, ms(x.Efoc[j].Median), fmt.Sprintf("%.1f", q.Median), fmt.Sprintf("%.1f–%.1f", q.Min, q.Max), fmt.Sprintf("%.1f", x.Best[j]))
		}
		rows = append(rows, row)
	}
	return header, append(rows, median)
}

func ms(t float64) string { return fmt.Sprintf("%.2f", t) }
