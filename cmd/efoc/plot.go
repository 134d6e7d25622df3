package main

import (
	"io"
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
