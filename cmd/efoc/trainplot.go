package main

import (
	"io"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// draw draws the loss and the MRR of the validations side by side, as SVG.
func (r *trainReport) draw(w io.Writer) error {
	var loss, mrr plotter.XYs
	for _, p := range r.Curve {
		loss = append(loss, plotter.XY{X: float64(p.Epoch), Y: p.Loss.Mean()})
		if p.Valid != nil {
			mrr = append(mrr, plotter.XY{X: float64(p.Epoch), Y: p.Valid.MRR})
		}
	}
	plots := [][]*plot.Plot{{curvePlot("training loss, nats", loss, 0), curvePlot("validation MRR, filtered", mrr, 1)}}
	canvas, err := draw.NewFormattedCanvas(2*minPlotWidth, plotHeight, "svg")
	if err != nil {
		return err
	}
	tiles := draw.Tiles{Rows: 1, Cols: 2, PadX: vg.Centimeter, PadTop: vg.Centimeter / 2, PadRight: vg.Centimeter / 2}
	for i, part := range plot.Align(plots, tiles, draw.New(canvas))[0] {
		plots[0][i].Draw(part)
	}
	_, err = canvas.WriteTo(w)
	return err
}

// curvePlot lays out a curve over the epochs. Without points it is empty.
func curvePlot(title string, points plotter.XYs, color int) *plot.Plot {
	p := plot.New()
	p.Y.Label.Text, p.X.Label.Text = title, "epoch"
	if line, err := plotter.NewLine(points); err == nil && len(points) > 0 {
		line.Color = plotutil.Color(color)
		p.Add(plotter.NewGrid(), line)
	}
	return p
}
