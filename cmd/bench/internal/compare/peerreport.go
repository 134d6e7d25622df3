package compare

import (
	"fmt"
	"io"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/cmd/internal/trial"
	"github.com/efoc/efoc/kernels/simd"
)

// speeds is the result of Peer.
type speeds struct {
	title   string // what was measured, and with what
	rounds  int
	pytorch string // its version
	modes   []string
	engines []string
	shapes  []speedRow
	// mean is over the shapes: of the times, and of the ratio of those means.
	mean speedRow
	// meanRatios and leastRatios are the means and minima of the shapes' median ratios of an engine.
	meanRatios, leastRatios []float64
}

// speedRow is a shape: milliseconds a query, and how many times as long PyTorch in its
// fastest mode takes as each engine.
type speedRow struct {
	shape  string
	mode   string // the fastest one, empty for the mean over the shapes
	peer   float64
	efoc   []float64
	ratios []float64 // medians
}

// newRow sums up the times of the peer and of each engine, round by round.
func newRow(shape, mode string, peer []float64, engines [][]float64) speedRow {
	x := speedRow{shape: shape, mode: mode, peer: trial.Median(peer)}
	for _, times := range engines {
		x.efoc = append(x.efoc, trial.Median(times))
		x.ratios = append(x.ratios, trial.Median(quotients(peer, times)))
	}
	return x
}

// quotients returns a / b, round by round.
func quotients(a, b []float64) []float64 { return floats.DivTo(make([]float64, len(b)), a, b) }

// speeds sums up the rounds of the peer's modes and of the engines.
func (f *field) speeds(differ bool) *speeds {
	title := fmt.Sprintf("%s (%d entities, rank %d), %d queries a shape, threads: %d, kernels: %s, table: %s",
		f.cmd.Graph, f.model.NumEntities(), f.model.Bundle().Predictor.Rank, f.cmd.Limit, f.cmd.Threads, simd.Engine(), f.cmd.Table)
	if differ {
		title += " (answers differ)"
	}
	r := &speeds{title: title, rounds: int(f.cmd.Rounds)}
	var modes, engines [][][]float64 // times by shape and round
	for _, c := range f.contenders {
		var times [][]float64
		for _, x := range c.results {
			times = append(times, x.milliseconds)
		}
		if c.queries == nil {
			r.modes = append(r.modes, c.name)
			modes = append(modes, times)
		} else {
			r.engines = append(r.engines, c.name)
			engines = append(engines, times)
		}
	}
	var shapes []string
	for _, g := range f.groups {
		shapes = append(shapes, g.Name)
	}
	r.sum(shapes, modes, engines)
	return r
}

// sum fills the figures in from the times by shape and round, of each mode and engine.
func (r *speeds) sum(shapes []string, modes, engines [][][]float64) {
	var peer [][]float64 // in the fastest mode
	for i, shape := range shapes {
		best := 0
		of := make([][]float64, len(engines))
		for k := range modes {
			if trial.Median(modes[k][i]) < trial.Median(modes[best][i]) {
				best = k
			}
		}
		for j, e := range engines {
			of[j] = e[i]
		}
		peer = append(peer, modes[best][i])
		r.shapes = append(r.shapes, newRow(shape, r.modes[best], peer[i], of))
	}
	var means [][]float64
	for _, e := range engines {
		means = append(means, byRound(e))
		ratios := medianQuotients(peer, e)
		r.meanRatios, r.leastRatios = append(r.meanRatios, stat.Mean(ratios, nil)), append(r.leastRatios, slices.Min(ratios))
	}
	r.mean = newRow("mean", "", byRound(peer), means)
}

// medianQuotients returns the median over the rounds of a / b for each shape.
func medianQuotients(a, b [][]float64) []float64 {
	var medians []float64
	for i := range a {
		medians = append(medians, trial.Median(quotients(a[i], b[i])))
	}
	return medians
}

// byRound returns the mean of the times of shapes in each round.
func byRound(times [][]float64) []float64 {
	means := make([]float64, len(times[0]))
	for _, t := range times {
		floats.AddScaled(means, 1/float64(len(times)), t)
	}
	return means
}

// write prints the report.
func (r *speeds) write(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s, PyTorch %s\nms a query, median of %d rounds; ratio = PyTorch in its fastest mode / efoc, median of the rounds\n\n%s\n\n",
		r.title, r.pytorch, r.rounds, tables.Text(r.table()))
	return err
}

// table returns the header and the rows of the report.
func (r *speeds) table() (header []string, rows []tables.Row) {
	header = []string{"shape", ">PyTorch", "mode"}
	mean := tables.Row{"mean of ratios", "", ""}
	least := tables.Row{"smallest ratio", "", ""}
	for j, e := range r.engines {
		header = append(header, ">"+e, ">ratio")
		mean = append(mean, "", fmt.Sprintf("%.1f", r.meanRatios[j]))
		least = append(least, "", fmt.Sprintf("%.1f", r.leastRatios[j]))
	}
	for _, x := range append(slices.Clone(r.shapes), r.mean) {
		row := tables.Row{x.shape, ms(x.peer), x.mode}
		for j, q := range x.ratios {
			row = append(row, ms(x.efoc[j]), fmt.Sprintf("%.1f", q))
		}
		rows = append(rows, row)
	}
	return header, append(rows, mean, least)
}

func ms(t float64) string { return fmt.Sprintf("%.2f", t) }
