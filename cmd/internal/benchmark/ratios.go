package benchmark

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/efoc/efoc/cmd/internal/print"
	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/compiler"
)

// ratios prints the time of each engine as a multiple of the best answers of generated code, over the shapes that have both.
func (r *Result) ratios(p *print.Printer) {
	var rows []tables.Row
	for _, like := range r.Shapes[0].Cells {
		var best, answer, kernels []float64
		for _, s := range r.Shapes {
			c := s.find(like, like.Engine)
			base := s.find(like, string(compiler.EngineCompiled))
			if c == nil || base == nil {
				continue
			}
			best = append(best, c.Best.Seconds.Min/base.Best.Seconds.Min)
			answer = append(answer, c.Answer.Seconds.Min/base.Best.Seconds.Min)
			kernels = append(kernels, 100*c.Kernels)
		}
		if len(best) > 0 {
			rows = append(rows, tables.Row{like.Label(), like.Batch, spread(best, "%.2f"), spread(answer, "%.2f"), spread(kernels, "%.0f%%")})
		}
	}
	if len(rows) > 0 {
		p.Printf("\ntimes by the best of engine compiled, mean over shapes (least to most)\n\n")
		p.Table([]string{"engine", ">batch", ">best", ">answer", ">in kernels"}, rows)
	}
}

// find returns the cell that is like another one but for the engine, nil without a time.
func (s *Shape) find(like *Cell, engine string) *Cell {
	for _, c := range s.Cells {
		if c.Engine == engine && c.Semantics == like.Semantics && c.Batch == like.Batch && len(c.Answer.Runs) > 0 && c.Error == "" {
			return c
		}
	}
	return nil
}

// spread formats a mean, of several values with the least and the most.
func spread(values []float64, format string) string {
	mean := fmt.Sprintf(format, stat.Mean(values, nil))
	if len(values) == 1 {
		return mean
	}
	return fmt.Sprintf("%s ("+format+" to "+format+")", mean, slices.Min(values), slices.Max(values))
}
