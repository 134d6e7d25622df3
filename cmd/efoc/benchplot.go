package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
)

// plotFormat returns the format of a file name, empty if there is none for it.
func plotFormat(path string) string {
	format := strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), ".")
	if format == "svg" || format == "png" {
		return format
	}
	return ""
}

// checkPlot reports the name of a plot, which a flag gives, that has no such format.
func checkPlot(flag, path string) error {
	if path != "" && plotFormat(path) == "" {
		return usagef("%s %s: want a name that ends in .svg or .png", flag, path)
	}
	return nil
}

// Sizes of the plot.
const (
	plotHeight   = 9 * vg.Centimeter
	plotMargin   = 4 * vg.Centimeter
	barWidth     = vg.Millimeter
	minPlotWidth = 14 * vg.Centimeter
)

// plotFile returns what writes a plot of the usual height and a given width to a file.
func plotFile(path string, layOut func() (*plot.Plot, vg.Length, error)) func(io.Writer) error {
	return func(w io.Writer) error {
		p, width, err := layOut()
		if err != nil {
			return err
		}
		out, err := p.WriterTo(width, plotHeight, plotFormat(path))
		if err != nil {
			return err
		}
		_, err = out.WriteTo(w)
		return err
	}
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

// plot lays the medians out: a group of bars for each shape, a colour for each engine and
// batch size.
func (r *benchResult) plot() (*plot.Plot, vg.Length, error) {
	type series struct {
		engine string
		batch  int
	}
	var all []series
	batches := map[int]bool{}
	medians := map[series]plotter.Values{}
	var names []string
	for i, s := range r.Shapes {
		names = append(names, s.title())
		for _, c := range s.Cells {
			k := series{c.label(), c.Batch}
			batches[c.Batch] = true
			if medians[k] == nil {
				all, medians[k] = append(all, k), make(plotter.Values, len(r.Shapes))
			}
			medians[k][i] = 1000 * c.Seconds.Median
		}
	}
	p := plot.New()
	p.Title.Text = fmt.Sprintf("%s, %d thread%s", r.Model.Name, r.Threads, pluralS(r.Threads))
	p.Y.Label.Text = "ms a query (median)"
	p.Y.Min = 0
	p.Legend.Top = true
	var bars []barSeries
	for _, k := range all {
		label := k.engine
		if len(batches) > 1 {
			label += fmt.Sprintf(", batch %d", k.batch)
		}
		bars = append(bars, barSeries{label, medians[k]})
	}
	width, err := addBars(p, names, bars, barWidth)
	if least, most := extremes(bars); most > maxRatio*least {
		p.Y.Min, p.Y.Max = math.Pow(10, math.Floor(math.Log10(least))), math.Pow(10, math.Ceil(math.Log10(most))+1) // and room for the legend
		p.Y.Scale, p.Y.Tick.Marker = logBars{}, plot.LogTicks{Prec: -1}
	}
	return p, width, err
}

// maxRatio is the ratio of times up to which bars are linear.
const maxRatio = 30

// extremes returns the least and the greatest value above 0.
func extremes(series []barSeries) (least, most float64) {
	for _, s := range series {
		for _, v := range s.values {
			if v > 0 && (least == 0 || v < least) {
				least = v
			}
			most = max(most, v)
		}
	}
	return least, most
}

// logBars is a logarithmic scale for bars, which start on the axis, at 0.
type logBars struct{}

// Normalize maps min to 0 and max to 1.
func (logBars) Normalize(min, max, x float64) float64 {
	return math.Log(math.Max(x, min)/min) / math.Log(max/min)
}
