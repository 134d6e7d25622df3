package compare

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/cmd/internal/trial"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/kernels/simd"
)

// speeds is the result of Peer with a number of threads.
type speeds struct {
	Graph    string `json:"graph"`
	Entities int    `json:"entities"`
	Rank     int    `json:"rank"`
	Queries  int    `json:"queries_per_shape"`
	Threads  int    `json:"threads"`
	Rounds   int    `json:"rounds"`
	Kernels  string `json:"kernels"`
	PyTorch  string `json:"pytorch"`
	// Table is the type of efoc's entity table.
	Table string `json:"table"`
	// Differ says that its answers are not the peer's.
	Differ  bool       `json:"answers_differ"`
	Modes   []string   `json:"modes"`
	Engines []string   `json:"engines"`
	Shapes  []speedRow `json:"shapes"`
	// Mean is over the shapes: of the times, and of the ratio of those means.
	Mean speedRow `json:"mean"`
	// MeanRatios and LeastRatios are of the shapes' median ratios, an engine each.
	MeanRatios  []float64 `json:"mean_ratios"`
	LeastRatios []float64 `json:"least_ratios"`
	// Layers is how many times as long as the compiled plans the layers as written take,
	// the mean over the shapes; 0 if one of them was not measured.
	Layers float64 `json:"layers_over_compiled"`
}

// speedRow is a shape: milliseconds a query, and how many times as long PyTorch in its
// fastest mode takes as each engine.
type speedRow struct {
	Shape string `json:"shape"`
	// Mode is the fastest mode, empty for the mean over the shapes.
	Mode   string          `json:"fastest_mode,omitempty"`
	Peer   trial.Summary   `json:"pytorch_ms"`
	Modes  []trial.Summary `json:"modes_ms"`
	Efoc   []trial.Summary `json:"efoc_ms"`
	Ratios []trial.Summary `json:"ratios"`
}

// add adds an engine: its times and those of the peer, round by round.
func (x *speedRow) add(peer, times []float64) {
	x.Efoc = append(x.Efoc, trial.Summarize(times))
	x.Ratios = append(x.Ratios, trial.Summarize(quotients(peer, times)))
}

// quotients returns a / b, round by round.
func quotients(a, b []float64) []float64 { return floats.DivTo(make([]float64, len(b)), a, b) }

// times returns a contender's times by shape and round.
func (c *contender) times() [][]float64 {
	var t [][]float64
	for _, r := range c.results {
		t = append(t, r.milliseconds)
	}
	return t
}

// speeds sums up the rounds of the peer's modes and of the engines.
func (f *field) speeds(differ bool) *speeds {
	r := &speeds{
		Graph: f.cmd.Graph, Entities: f.model.NumEntities(), Rank: f.model.Predictor.Rank,
		Queries: int(f.cmd.Limit), Threads: f.threads, Rounds: int(f.cmd.Rounds),
		Kernels: simd.Engine(), Table: string(f.cmd.table()), Differ: differ,
	}
	var modes, engines [][][]float64 // times by shape and round
	for _, c := range f.contenders {
		if c.program != nil {
			r.Modes, modes = append(r.Modes, c.name), append(modes, c.times())
		} else {
			r.Engines, engines = append(r.Engines, c.name), append(engines, c.times())
		}
	}
	for _, g := range f.groups {
		r.Shapes = append(r.Shapes, speedRow{Shape: g.Name})
	}
	r.sum(modes, engines)
	return r
}

// sum fills the figures in from the times by shape and round, of each mode and engine.
func (r *speeds) sum(modes, engines [][][]float64) {
	r.Mean.Shape = "mean"
	var peer [][]float64 // in the fastest mode
	for i := range r.Shapes {
		x, best := &r.Shapes[i], 0
		for k, m := range modes {
			x.Modes = append(x.Modes, trial.Summarize(m[i]))
			if x.Modes[k].Median < x.Modes[best].Median {
				best = k
			}
		}
		x.Mode, x.Peer = r.Modes[best], x.Modes[best]
		peer = append(peer, modes[best][i])
		for _, e := range engines {
			x.add(peer[i], e[i])
		}
	}
	r.Mean.Peer = trial.Summarize(byRound(peer))
	for _, m := range modes {
		r.Mean.Modes = append(r.Mean.Modes, trial.Summarize(byRound(m)))
	}
	for _, e := range engines {
		r.Mean.add(byRound(peer), byRound(e))
		ratios := medianQuotients(peer, e)
		r.MeanRatios, r.LeastRatios = append(r.MeanRatios, stat.Mean(ratios, nil)), append(r.LeastRatios, slices.Min(ratios))
	}
	compiled, layers := slices.Index(r.Engines, string(compiler.EngineCompiled)), slices.Index(r.Engines, string(compiler.EngineLayers))
	if compiled >= 0 && layers >= 0 {
		r.Layers = stat.Mean(medianQuotients(engines[layers], engines[compiled]), nil)
	}
}

// medianQuotients returns the median over the rounds of a / b for each shape.
func medianQuotients(a, b [][]float64) []float64 {
	var medians []float64
	for i := range a {
		medians = append(medians, trial.Median(quotients(a[i], b[i])))
	}
	return medians
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
	_, err := fmt.Fprintf(w, "%s (%d entities, rank %d), %d queries a shape, threads: %d, kernels: %s, table: %s%s, PyTorch %s\n"+
		"ms a query, median of %d rounds; ratio = PyTorch in its fastest mode / efoc, median and range of the rounds\n\n%s\n\n%s\n",
		r.Graph, r.Entities, r.Rank, r.Queries, r.Threads, r.Kernels, r.Table, differ, r.PyTorch, r.Rounds, lay(r.table()), r.notes())
	return err
}

// notes are the lines below the table.
func (r *speeds) notes() string {
	var b strings.Builder
	b.WriteString("PyTorch, mean of the shapes in ms:")
	for k, m := range r.Modes {
		fmt.Fprintf(&b, " %s %s", m, ms(r.Mean.Modes[k].Median))
	}
	b.WriteString("\n")
	if r.Layers > 0 {
		fmt.Fprintf(&b, "layers as written / compiled: %.2f, mean of %d shapes' ratios (KGCompiler, arXiv 2503.02172, reports a mean gain of 3.71 on tree queries)\n",
			r.Layers, len(r.Shapes))
	}
	return b.String()
}

// table returns the header and the rows of the report.
func (r *speeds) table() (header []string, rows []tables.Row) {
	header = []string{"shape", ">PyTorch", "mode"}
	mean, least := tables.Row{"mean of ratios", "", ""}, tables.Row{"smallest ratio", "", ""}
	for j, e := range r.Engines {
		header = append(header, ">"+e, ">ratio", ">range")
		mean = append(mean, "", fmt.Sprintf("%.1f", r.MeanRatios[j]), "")
		least = append(least, "", fmt.Sprintf("%.1f", r.LeastRatios[j]), "")
	}
	for _, x := range append(slices.Clone(r.Shapes), r.Mean) {
		row := tables.Row{x.Shape, ms(x.Peer.Median), x.Mode}
		for j := range r.Engines {
			q := x.Ratios[j]
			row = append(row, ms(x.Efoc[j].Median), fmt.Sprintf("%.1f", q.Median), fmt.Sprintf("%.1f–%.1f", q.Min, q.Max))
		}
		rows = append(rows, row)
	}
	return header, append(rows, mean, least)
}

func ms(t float64) string { return fmt.Sprintf("%.2f", t) }

// byRound returns the mean of the times of shapes in each round.
func byRound(times [][]float64) []float64 {
	means := make([]float64, len(times[0]))
	for _, t := range times {
		floats.AddScaled(means, 1/float64(len(times)), t)
	}
	return means
}
