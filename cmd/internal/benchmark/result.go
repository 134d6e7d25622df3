package benchmark

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/efoc/efoc/cmd/internal/print"
	"github.com/efoc/efoc/cmd/internal/tables"
)

// Result holds everything to print.
type Result struct {
	Model   print.Model `json:"model"`
	Threads int         `json:"threads"`
	// Device names the device, empty if none was used.
	Device string `json:"device,omitempty"`
	// Kernels names the SIMD level or device kernels, such as avx512.
	Kernels string `json:"kernels"`
	// Clock is processor where times are processor time, on one thread, and wall elsewhere.
	Clock string `json:"clock"`
	// Runs is the requested number of measurements.
	Runs int `json:"runs"`
	// Interrupted says that some are missing.
	Interrupted bool     `json:"interrupted,omitempty"`
	Shapes      []*Shape `json:"shapes"`
}

// Shape is a shape with its measurements.
type Shape struct {
	// Name is the name of the benchmark's shape or of the template, or else Shape, the canonical text.
	Name    string  `json:"name"`
	Shape   string  `json:"shape"`
	Queries int     `json:"queries"`
	Cells   []*Cell `json:"answers"`
}

// Measure measures every cell for the given number of runs, reversing the order each time, and then profiles each. A cell
// that fails records its error and runs no more; Measure continues with the others and returns all errors. An interrupted
// run does not count.
func (r *Result) Measure(ctx context.Context, progress func(done, of int)) error {
	now := wall
	r.Clock = "wall"
	if r.Threads == 1 && r.Device == "" {
		now = processor
		r.Clock = "processor"
	}
	var order []*Cell
	for _, s := range r.Shapes {
		order = append(order, s.Cells...)
	}
	for run := range r.Runs + 1 {
		for i, c := range order {
			if c.Error != "" {
				continue
			}
			var err error
			if run < r.Runs {
				err = cmp.Or(c.run(ctx, false, now), c.run(ctx, true, now))
			} else if r.Device == "" && len(c.Best.Runs) == r.Runs { // it has patience for more
				err = c.profile(ctx, time.Duration(r.Runs)*sampled, now)
			}
			if errors.Is(err, context.Canceled) {
				r.Interrupted = true
				return err
			}
			if err != nil {
				c.Error = err.Error()
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
				failed = append(failed, fmt.Errorf("%s, %s, batch %d: %s", s.Name, c.Label(), c.Batch, c.Error))
			}
		}
	}
	return errors.Join(failed...)
}

// Text prints the result for people.
func (r *Result) Text(p *print.Printer) {
	p.Printf("%s, threads %d, kernels %s; runs %d, of which the least %s time is shown\n\n", r.Model, r.Threads, r.Kernels, r.Runs, r.Clock)
	var rows []tables.Row
	for _, s := range r.Shapes {
		for _, c := range s.Cells {
			if s.find(c, c.Engine) == nil {
				continue
			}
			rows = append(rows, tables.Row{
				s.Name, s.Queries, c.Label(), c.Batch, tables.Seconds(c.Prepare.Min), tables.Seconds(c.Best.Seconds.Min),
				tables.Seconds(c.Answer.Seconds.Min), fmt.Sprintf("%.0f%%", 100*c.Kernels),
			})
		}
	}
	p.Table([]string{"shape", ">queries", "engine", ">batch", ">prepare", ">best", ">answer", ">in kernels"}, rows)
	r.ratios(p)
	if r.Interrupted {
		p.Printf("\ninterrupted: some measurements are missing\n")
	}
}
