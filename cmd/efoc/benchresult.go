package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/efoc/efoc/cmd/internal/trial"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
	"github.com/efoc/efoc/runtime/scq"
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
	Interrupted bool `json:"interrupted,omitempty"`
	// Read is a plain read of the entity table, in bytes a second.
	Read   float64      `json:"read_bytes_per_second"`
	Shapes []benchShape `json:"shapes"`
}

type benchShape struct {
	// Name is the benchmark's name, if there is one, Shape the canonical text.
	Name    string          `json:"name,omitempty"`
	Shape   string          `json:"shape"`
	Queries int             `json:"queries"`
	Engines []benchSetup    `json:"engines"`
	Cells   []benchMeasured `json:"answers"`
}

// title is the name, or a short shape, or the number of atoms.
func (s *benchShape) title() string {
	switch {
	case s.Name != "":
		return s.Name
	case len(s.Shape) <= maxShapeText/2:
		return s.Shape
	}
	return strconv.Itoa(countAtoms(s.Shape)) + " atoms"
}

// benchKind names what answers.
type benchKind struct {
	Semantics model.Semantics `json:"semantics"`
	Engine    string          `json:"engine"`
}

// label names an engine among those of all semantics.
func (k benchKind) label() string {
	return k.Semantics.String() + " " + k.Engine
}

// benchSetup is what comes before answering. Times are in seconds: of a shape,
// and of a query.
type benchSetup struct {
	benchKind
	Compile trial.Summary `json:"compile_seconds"`
	Bind    trial.Summary `json:"bind_seconds"`
	// Degrees are the settings of truth degrees, nil where there are none.
	Degrees *model.Degrees `json:"degrees,omitempty"`
	// TablePasses and Values are those of the plan.
	TablePasses int `json:"table_passes"`
	Values      int `json:"values"`
}

// benchMeasured is an engine with a batch size. All figures are for a query.
type benchMeasured struct {
	benchKind
	Batch int `json:"batch"`
	// Seconds sums up Runs.
	Seconds trial.Summary `json:"seconds"`
	Runs    []float64     `json:"runs"`
	// Decided is the share of the answers whose readout took no pass over the table, nil
	// where every answer needs one.
	Decided *float64 `json:"readouts_decided,omitempty"`
	// Bandwidth is what the passes over the table read in the median, in bytes a second,
	// OfRead its share of a plain read. They are 0 for batches, which share passes, and for
	// truth degrees, whose passes depend on the rows that are kept.
	Bandwidth float64 `json:"table_bytes_per_second,omitempty"`
	OfRead    float64 `json:"share_of_read,omitempty"`
}

// benchCell is an engine with a batch size.
type benchCell struct {
	benchMeasured
	engine *benchEngine
	// batches hold the queries; the last is filled up with the first ones.
	batches [][]scq.Bindings
	// readouts counts the answers that bounds decided and those that took a pass.
	readouts        *plan.Readouts
	decided, passed int64
}

// cell cuts the queries of an engine into batches.
func (b *bench) cell(e *benchEngine, batch int) *benchCell {
	c := &benchCell{engine: e, readouts: b.model.Readouts(), benchMeasured: benchMeasured{benchKind: e.benchKind, Batch: batch}}
	for i := 0; i < len(e.bindings); i += batch {
		var part []scq.Bindings
		for j := range batch {
			part = append(part, e.bindings[(i+j)%len(e.bindings)])
		}
		c.batches = append(c.batches, part)
	}
	return c
}

// run answers all batches and returns the seconds a query.
func (c *benchCell) run(ctx context.Context) (float64, error) {
	options := runtime.Options{NoStatus: true, Settings: &c.engine.settings}
	decided, passed := c.readouts.Counts()
	start := time.Now()
	for _, batch := range c.batches {
		var err error
		if c.Batch == 1 {
			_, err = c.engine.prepared.Query.Answer(ctx, batch[0], options)
		} else {
			_, err = c.engine.prepared.Query.AnswerBatch(ctx, batch, options)
		}
		if err != nil {
			return 0, err
		}
	}
	seconds := time.Since(start).Seconds()
	nowDecided, nowPassed := c.readouts.Counts()
	c.decided, c.passed = c.decided+nowDecided-decided, c.passed+nowPassed-passed
	return seconds / float64(len(c.batches)*c.Batch), nil
}

// result sums up the runs, given the bytes of a pass over the table and the speed of a
// plain read.
func (c *benchCell) result(pass int, read float64) benchMeasured {
	x := c.benchMeasured
	x.Seconds = trial.Summarize(x.Runs)
	passes := float64(c.engine.plan.WholePasses())
	if all := c.decided + c.passed; all > 0 {
		share := float64(c.decided) / float64(all)
		x.Decided = &share
		passes -= share * (passes - float64(c.engine.plan.Passes()))
	}
	if c.Batch == 1 && c.Semantics == model.NSMP && c.Engine != string(compiler.EngineCUDA) && c.Engine != string(compiler.EngineReference) {
		x.Bandwidth = passes * float64(pass) / x.Seconds.Median
		x.OfRead = x.Bandwidth / read
	}
	return x
}

func (r *benchResult) writeTable(w io.Writer) error {
	p := &printer{w: w}
	p.printf("%s, %d thread%s, kernels %s\n", r.Model, r.Threads, pluralS(r.Threads), r.Kernels)
	p.printf("a plain read of the entity table: %.1f GB/s\n\n", r.Read/1e9)
	var setups, cells []table.Row
	for _, s := range r.Shapes {
		title := s.title()
		for _, e := range s.Engines {
			setups = append(setups, table.Row{
				title, s.Queries, e.label(), roundTime(e.Compile.Median), roundTime(e.Bind.Median), e.TablePasses,
			})
		}
		for _, c := range s.Cells {
			decided, bandwidth, ofRead := "-", "-", "-"
			if c.Decided != nil {
				decided = fmt.Sprintf("%.0f%%", 100**c.Decided)
			}
			if c.Bandwidth > 0 {
				bandwidth, ofRead = fmt.Sprintf("%.1f", c.Bandwidth/1e9), fmt.Sprintf("%.0f%%", 100*c.OfRead)
			}
			cells = append(cells, table.Row{
				title, c.label(), c.Batch,
				roundTime(c.Seconds.Median), roundTime(c.Seconds.Q1) + " – " + roundTime(c.Seconds.Q3),
				bandwidth, ofRead, decided,
			})
		}
	}
	p.table([]string{"shape", ">queries", "engine", ">compile", ">bind", ">table passes"}, setups)
	p.printf("\n")
	if len(cells) > 0 {
		p.table([]string{"shape", "engine", ">batch", ">answer", ">quartiles", ">GB/s", ">of read", ">no readout pass"}, cells)
	}
	if r.Interrupted {
		p.printf("\ninterrupted: some measurements are missing\n")
	}
	return p.err
}

// countAtoms returns the number of atoms of a shape's canonical text.
func countAtoms(shape string) int { return strings.Count(shape, "(") }
