package peer

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/cmd/internal/trial"
	"github.com/efoc/efoc/kernels/simd"
)

// report is the result.
type report struct {
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
	Differ  bool     `json:"answers_differ"`
	Engines []string `json:"engines"`
	Shapes  []row    `json:"shapes"`
	// Mean is over the shapes: of the times, and of the ratio of those means.
	Mean row `json:"mean"`
	// Median is the median of the shapes' ratios, an engine each.
	Median []float64 `json:"median_ratios"`
}

// row is a shape: milliseconds a query, and how many times as long the peer
// takes as each engine.
type row struct {
	Shape  string          `json:"shape"`
	Peer   trial.Summary   `json:"peer_ms"`
	Efoc   []trial.Summary `json:"efoc_ms"`
	Ratios []trial.Summary `json:"ratios"`
	// Best are the ratios of the least times: what is left of the difference when
	// nothing else is running.
	Best []float64 `json:"best_ratios"`
}

// add adds an engine: its times and those of the peer, round by round.
func (x *row) add(peer, times []float64) {
	ratios := make([]float64, len(times))
	for k, t := range times {
		ratios[k] = peer[k] / t
	}
	s := trial.Summarize(times)
	x.Efoc = append(x.Efoc, s)
	x.Ratios = append(x.Ratios, trial.Summarize(ratios))
	x.Best = append(x.Best, x.Peer.Min/s.Min)
}

// report sums up the rounds.
func (b *bench) report() *report {
	r := &report{
		Graph: b.command.Graph, Entities: b.model.NumEntities(), Rank: b.model.Predictor.Rank,
		Queries: int(b.command.Limit), Threads: int(b.command.Threads), Rounds: int(b.command.Rounds),
		Kernels: simd.Engine(), Table: b.command.Table, Differ: b.differ, Engines: b.command.Engines, Mean: row{Shape: "mean"},
	}
	for i, g := range b.groups {
		x := row{Shape: g.Name, Peer: trial.Summarize(b.peerTimes[i])}
		for _, times := range b.times[i] {
			x.add(b.peerTimes[i], times)
		}
		r.Shapes = append(r.Shapes, x)
	}
	r.average(b)
	return r
}

// average fills in the mean over the shapes, round by round, and the median of
// the ratios.
func (r *report) average(b *bench) {
	peerMeans := make([]float64, r.Rounds)
	for k := range peerMeans {
		peerMeans[k] = trial.Mean(column(b.peerTimes, k))
	}
	r.Mean.Peer = trial.Summarize(peerMeans)
	for j := range r.Engines {
		means := make([]float64, r.Rounds)
		for k := range means {
			var times []float64
			for i := range b.groups {
				times = append(times, b.times[i][j][k])
			}
			means[k] = trial.Mean(times)
		}
		r.Mean.add(peerMeans, means)
		var all []float64
		for _, x := range r.Shapes {
			all = append(all, x.Ratios[j].Median)
		}
		r.Median = append(r.Median, trial.Median(all))
	}
}

// column returns element k of every row.
func column(rows [][]float64, k int) []float64 {
	var c []float64
	for _, x := range rows {
		c = append(c, x[k])
	}
	return c
}

// write prints the report in one of the formats.
func (r *report) write(w io.Writer, format string) error {
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
func (r *report) table() (header []string, rows []tables.Row) {
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
