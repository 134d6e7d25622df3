package benchmark

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/efoc/efoc/cmd/internal/print"
	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/cmd/internal/trial"
)

// Result holds everything to print.
type Result struct {
	Model   print.Model `json:"model"`
	Threads int         `json:"threads"`
	// Device names the device, empty if none was used.
	Device string `json:"device,omitempty"`
	// Kernels names the SIMD level or device kernels, such as avx512.
	Kernels string `json:"kernels"`
	// Runs is the requested number of measurements.
	Runs int `json:"runs"`
	// Interrupted says that some are missing.
	Interrupted bool     `json:"interrupted,omitempty"`
	Shapes      []*Shape `json:"shapes"`
}

// Shape is a shape with its measurements.
type Shape struct {
	// Name is the benchmark's name, if any, Shape the canonical text.
	Name    string  `json:"name,omitempty"`
	Shape   string  `json:"shape"`
	Queries int     `json:"queries"`
	Cells   []*Cell `json:"answers"`
}

// longTitle is the length at which a canonical text is too long for a title.
const longTitle = 30

// title returns the name, or a short shape, or the number of atoms.
func (s *Shape) title() string {
	switch {
	case s.Name != "":
		return s.Name
	case len(s.Shape) <= longTitle:
		return s.Shape
	}
	return strconv.Itoa(strings.Count(s.Shape, "(")) + " atoms"
}

// Measure runs every cell once to warm up, and then for the given number of runs, reversing the order each time. A
// cell that fails records its error and runs no more; Measure continues with the others and returns all errors. An
// interrupted run does not count; cells without a run are omitted.
func (r *Result) Measure(ctx context.Context, progress func(done, of int)) error {
	var order []*Cell
	for _, s := range r.Shapes {
		order = append(order, s.Cells...)
	}
	for run := range 1 + r.Runs {
		for i, c := range order {
			if c.Error != "" {
				continue
			}
			seconds, err := c.run(ctx)
			if errors.Is(err, context.Canceled) {
				r.interrupt()
				return err
			}
			if err != nil {
				c.Error = err.Error()
			}
			if err == nil && run > 0 {
				c.Runs = append(c.Runs, seconds)
				c.Seconds = trial.Summarize(c.Runs)
			}
			progress(run*len(order)+i+1, (1+r.Runs)*len(order))
		}
		slices.Reverse(order)
	}
	return r.failed()
}

// failed joins the errors of the cells.
func (r *Result) failed() error {
	var failed []error
	for _, s := range r.Shapes {
		for _, c := range s.Cells {
			if c.Error != "" {
				failed = append(failed, fmt.Errorf("%s, %s, batch %d: %s", s.title(), c.Label(), c.Batch, c.Error))
			}
		}
	}
	return errors.Join(failed...)
}

// interrupt removes cells without a measurement.
func (r *Result) interrupt() {
	r.Interrupted = true
	for _, s := range r.Shapes {
		s.Cells = slices.DeleteFunc(s.Cells, func(c *Cell) bool { return len(c.Runs) == 0 && c.Error == "" })
	}
}

// Text prints the result for people.
func (r *Result) Text(p *print.Printer) {
	plural := "s"
	if r.Threads == 1 {
		plural = ""
	}
	p.Printf("%s, %d thread%s, kernels %s\n\n", r.Model, r.Threads, plural, r.Kernels)
	var rows []tables.Row
	for _, s := range r.Shapes {
		for _, c := range s.Cells {
			if c.Error != "" {
				continue
			}
			rows = append(rows, tables.Row{
				s.title(), s.Queries, c.Label(), c.TableSweeps, tables.Seconds(c.Compile.Median), tables.Seconds(c.Bind.Median), c.Batch,
				tables.Seconds(c.Seconds.Median), tables.Seconds(c.Seconds.Q1) + " – " + tables.Seconds(c.Seconds.Q3),
			})
		}
	}
	p.Table([]string{"shape", ">queries", "engine", ">table sweeps", ">compile", ">bind", ">batch", ">answer", ">quartiles"}, rows)
	if r.Interrupted {
		p.Printf("\ninterrupted: some measurements are missing\n")
	}
}
