package main

import (
	"cmp"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"

	"github.com/efoc/efoc/cmd/internal/eval"
)

// write prints the figures and writes the files that were asked for. After an interrupt, which it
// returns, it writes none: a part of the figures must not replace a file that has all.
func (c *evalCmd) write(a *app, r *eval.Report, interrupted error) error {
	if err := printReport(a.printer(), r); err != nil || interrupted != nil {
		return cmp.Or(err, interrupted)
	}
	return writeFiles(
		outputFile{c.JSON, jsonOf(r)},
		outputFile{c.Plot, plotFile(c.Plot, func() (*plot.Plot, vg.Length, error) { return plotReport(r) })},
		outputFile{c.ReliabilityPlot, plotFile(c.ReliabilityPlot, func() (*plot.Plot, vg.Length, error) { return plotReliability(r) })},
	)
}

func printReport(p *printer, r *eval.Report) error {
	p.tables(r.Tables())
	p.table(nil, r.Facts())
	if r.Published != nil {
		p.printf("\n%s\n", eval.PublishedNote(r.Published))
	}
	if note := r.Note(); note != "" {
		p.printf("\n%s\n", note)
	}
	p.printf("\nasked %d of %d queries in %s\n", r.Asked, r.Total, roundTime(r.Seconds))
	return p.err
}

// plotReport lays out bars of the shapes, or lines over the values of a sweep.
func plotReport(r *eval.Report) (*plot.Plot, vg.Length, error) {
	layOut := plotShapes
	if r.Runs[0].Sweep != "" {
		layOut = plotSweep
	}
	p, width, err := layOut(r)
	if err != nil {
		return nil, 0, err
	}
	p.Title.Text = r.About.Model.Name + ", filter " + string(r.About.Filter)
	p.Y.Label.Text = "MRR, percent"
	p.Y.Min = 0
	p.Y.Max *= 1.2 // room for the legend
	p.Legend.Top = true
	return p, width, nil
}

// plotShapes draws a bar for each shape, and one for NSMP's published figure.
func plotShapes(r *eval.Report) (*plot.Plot, vg.Length, error) {
	series := []barSeries{{label: "efoc"}}
	var published eval.PublishedRow
	for _, row := range r.Published {
		if row.Model == "NSMP" {
			published = row
			series = append(series, barSeries{label: "NSMP, published"})
		}
	}
	var names []string
	for _, s := range r.Runs[0].Shapes {
		names = append(names, s.Name)
		series[0].values = append(series[0].values, 100*s.MRR)
		if len(series) > 1 {
			series[1].values = append(series[1].values, published.MRR[s.Shape])
		}
	}
	p := plot.New()
	if len(names) == 0 {
		return p, minPlotWidth, nil
	}
	width, err := addBars(p, names, series, 2*barWidth)
	return p, width, err
}

// maxLines is the number of shapes up to which each has its line in a sweep;
// beyond, the averages have theirs.
const maxLines = 7

// plotSweep draws a line for each shape, or each average where shapes are many.
func plotSweep(r *eval.Report) (*plot.Plot, vg.Length, error) {
	p := plot.New()
	p.X.Label.Text = r.Runs[0].Sweep
	lines := map[string]plotter.XYs{}
	var labels []string
	ticks := make([]plot.Tick, len(r.Runs))
	for i, run := range r.Runs {
		ticks[i] = plot.Tick{Value: float64(i), Label: run.Value}
		add := func(label string, mrr float64) {
			if lines[label] == nil {
				labels = append(labels, label)
			}
			lines[label] = append(lines[label], plotter.XY{X: float64(i), Y: 100 * mrr})
		}
		if len(run.Shapes) <= maxLines {
			for _, s := range run.Shapes {
				add(s.Name, s.MRR)
			}
			continue
		}
		for _, a := range run.Averages {
			add(a.Label()+", "+strconv.Itoa(a.Shapes)+" shapes", a.MRR)
		}
	}
	p.X.Tick.Marker = plot.ConstantTicks(ticks)
	for i, label := range labels {
		line, points, err := plotter.NewLinePoints(lines[label])
		if err != nil {
			return nil, 0, err
		}
		line.Color, points.Color, points.Shape = plotutil.Color(i), plotutil.Color(i), plotutil.Shape(i)
		p.Add(line, points)
		p.Legend.Add(label, line, points)
	}
	return p, minPlotWidth, nil
}
