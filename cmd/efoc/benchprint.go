package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/efoc/efoc/cmd/internal/trial"
	"github.com/efoc/efoc/compiler/cost"
	"github.com/efoc/efoc/runtime/model"
)

// benchResult holds everything to print.
type benchResult struct {
	Model   modelSummary `json:"model"`
	Threads int          `json:"threads"`
	// Kernels names what computes them, such as avx512.
	Kernels string `json:"kernels"`
	// Runs is the number of measurements that were asked for.
	Runs int `json:"runs"`
	// Interrupted says that some are missing.
	Interrupted bool            `json:"interrupted,omitempty"`
	Constants   *cost.Constants `json:"constants"`
	Shapes      []benchShape    `json:"shapes"`
}

// benchShape is a shape.
type benchShape struct {
	// Name is the benchmark's name, if there is one, Shape the canonical text.
	Name    string          `json:"name,omitempty"`
	Shape   string          `json:"shape"`
	Queries int             `json:"queries"`
	Engines []benchSetup    `json:"engines"`
	Cells   []benchMeasured `json:"answers"`
}

// benchSetup is what comes before answering. Times are in seconds: of a shape,
// and of a query.
type benchSetup struct {
	Semantics model.Semantics `json:"semantics"`
	Engine    string          `json:"engine"`
	Compile   trial.Summary   `json:"compile_seconds"`
	Bind      trial.Summary   `json:"bind_seconds"`
	// Degrees are the settings of truth degrees, nil where there are none.
	Degrees *model.Degrees `json:"degrees,omitempty"`
	// TablePasses and Values are those of the plan.
	TablePasses int `json:"table_passes"`
	Values      int `json:"values"`
}

// benchMeasured is an engine with a batch size. All figures are for a query.
type benchMeasured struct {
	Semantics model.Semantics `json:"semantics"`
	Engine    string          `json:"engine"`
	Batch     int             `json:"batch"`
	// Seconds sums up Runs.
	Seconds trial.Summary `json:"seconds"`
	Runs    []float64     `json:"runs"`
	// Predicted are the seconds of the cost model.
	Predicted float64 `json:"predicted_seconds"`
	// TableBytes and FLOPs are the work by the cost model.
	TableBytes float64 `json:"table_bytes"`
	FLOPs      float64 `json:"flops"`
	// Decided is the share of the answers whose readout took no pass over the table, nil
	// where every answer needs one.
	Decided *float64 `json:"readouts_decided,omitempty"`
	// Bandwidth is TableBytes over the median, OfRead its share of a plain read.
	Bandwidth float64 `json:"table_bytes_per_second"`
	OfRead    float64 `json:"share_of_read"`
}

// write prints the result in one of the formats.
func (r *benchResult) write(w io.Writer, format string) error {
	switch format {
	case "json":
		return r.writeJSON(w)
	case "tsv":
		return r.writeTSV(w)
	}
	return r.writeTable(w)
}

func (r *benchResult) writeJSON(w io.Writer) error { return writeJSON(w, r) }

func (r *benchResult) writeTSV(w io.Writer) error {
	rows := [][]string{{"shape", "semantics", "engine", "batch", "runs", "median_s", "q1_s", "q3_s", "predicted_s", "table_bytes_per_s", "share_of_read"}}
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
	for _, s := range r.Shapes {
		for _, c := range s.Cells {
			name := s.Name
			if name == "" {
				name = s.Shape
			}
			rows = append(rows, []string{
				name, c.Semantics.String(), c.Engine, strconv.Itoa(c.Batch), strconv.Itoa(c.Seconds.Count), number(c.Seconds.Median),
				number(c.Seconds.Q1), number(c.Seconds.Q3), number(c.Predicted), number(c.Bandwidth), number(c.OfRead),
			})
		}
	}
	return writeTSV(w, rows)
}

// writeTable prints the result for a person.
func (r *benchResult) writeTable(w io.Writer) error {
	p := &printer{w: w}
	p.printf("%s, %d thread%s, kernels %s\n", r.Model, r.Threads, pluralS(r.Threads), r.Kernels)
	p.printf("a plain read of the entity table: %.1f GB/s\n", r.Constants.Read/1e9)
	p.printf("\n")
	var rows []table.Row
	for _, s := range r.Shapes {
		for _, e := range s.Engines {
			rows = append(rows, table.Row{
				benchTitle(s.Name, s.Shape), s.Queries, benchEngineLabel(e.Semantics, e.Engine), roundTime(e.Compile.Median), roundTime(e.Bind.Median), e.TablePasses,
			})
		}
	}
	p.table([]string{"shape", ">queries", "engine", ">compile", ">bind", ">table passes"}, rows)
	p.printf("\n")
	rows = nil
	for _, s := range r.Shapes {
		for _, c := range s.Cells {
			rows = append(rows, c.row(benchTitle(s.Name, s.Shape)))
		}
	}
	if len(rows) > 0 {
		p.table([]string{"shape", "engine", ">batch", ">answer", ">quartiles", ">predicted", ">off by", ">GB/s", ">of read", ">no readout pass"}, rows)
	}
	if r.Interrupted {
		p.printf("\ninterrupted: some measurements are missing\n")
	}
	return p.err
}

// row lays a cell out for writeTable.
func (c *benchMeasured) row(title string) table.Row {
	decided := "-"
	if c.Decided != nil {
		decided = fmt.Sprintf("%.0f%%", 100**c.Decided)
	}
	return table.Row{
		title, benchEngineLabel(c.Semantics, c.Engine), c.Batch,
		roundTime(c.Seconds.Median), roundTime(c.Seconds.Q1) + " – " + roundTime(c.Seconds.Q3),
		roundTime(c.Predicted), fmt.Sprintf("%+.0f%%", 100*(c.Predicted/c.Seconds.Median-1)),
		fmt.Sprintf("%.1f", c.Bandwidth/1e9), fmt.Sprintf("%.0f%%", 100*c.OfRead), decided,
	}
}

func pluralS(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// countAtoms returns the number of atoms of a shape's canonical text.
func countAtoms(shape string) int { return strings.Count(shape, "(") }
