package main

import (
	"io"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"

	"github.com/efoc/efoc/cmd/internal/eval"
)

// evalPlotter returns what draws a report: bars of the shapes, or lines over the
// values of a sweep.
func evalPlotter(r *eval.Report, format string) func(io.Writer) error {
	return func(w io.Writer) error {
		draw := plotShapes
		if r.Sweep != "" {
			draw = plotSweep
		}
		p, width, err := draw(r)
		if err != nil {
			return err
		}
		p.Title.Text = r.About.Model.Name + ", filter " + string(r.About.Filter)
		if r.Partial() {
			p.Title.Text += ", partial"
		}
		p.Y.Label.Text = "MRR, percent"
		p.Y.Min = 0
		p.Y.Max *= 1.2 // room for the legend
		p.Legend.Top = true
		return writePlot(w, p, width, format)
	}
}

// writePlot draws a plot of the usual height.
func writePlot(w io.Writer, p *plot.Plot, width vg.Length, format string) error {
	out, err := p.WriterTo(width, plotHeight, format)
	if err != nil {
		return err
	}
	_, err = out.WriteTo(w)
	return err
}

// barSeries are the bars of one colour, one for each name.
type barSeries struct {
	label  string
	values plotter.Values
}

// addBars draws groups of bars and returns the width that they need.
func addBars(p *plot.Plot, names []string, series []barSeries, each vg.Length) (vg.Length, error) {
	for i, s := range series {
		bars, err := plotter.NewBarChart(s.values, each)
		if err != nil {
			return 0, err
		}
		bars.LineStyle.Width = 0
		bars.Color = plotutil.Color(i)
		bars.Offset = each * (vg.Length(i) - vg.Length(len(series)-1)/2)
		p.Add(bars)
		p.Legend.Add(s.label, bars)
	}
	p.NominalX(names...)
	width := plotMargin + vg.Length(len(names)*(len(series)+2))*each
	return max(width, minPlotWidth), nil
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
	p.X.Label.Text = r.Sweep
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
