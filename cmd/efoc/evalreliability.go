package main

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/efoc/efoc/cmd/internal/eval"
)

// plotReliability lays out the share of true answers over confidence: a point for each bin,
// the larger the more answers are in it. On the dashed line confidence says what is true.
func plotReliability(r *eval.Report) (*plot.Plot, error) {
	reliability := r.Runs[0].Reliability
	if reliability == nil {
		return nil, fmt.Errorf("--reliability-plot: answers have no confidence: train the model with --holdout, or calibrate it by a validation split (efoc calibrate)")
	}
	p := plot.New()
	p.Title.Text = fmt.Sprintf("%s, %s: expected calibration error %.3f", r.About.Model.Name, r.About.Semantics, reliability.ECE)
	p.X.Label.Text, p.Y.Label.Text = "confidence", "share that is true"
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
	even, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 1}})
	if err != nil {
		return nil, err
	}
	even.Color, even.Dashes = color.Gray{160}, []vg.Length{vg.Points(3), vg.Points(3)}
	var points plotter.XYs
	var answers []int
	all := 0
	for _, b := range reliability.Bins {
		if b.Answers > 0 {
			points, answers = append(points, plotter.XY{X: b.Confidence, Y: b.Share()}), append(answers, b.Answers)
			all += b.Answers
		}
	}
	line, err := plotter.NewLine(points)
	if err != nil {
		return nil, err
	}
	dots, err := plotter.NewScatter(points)
	if err != nil {
		return nil, err
	}
	line.Color = plotutil.Color(2)
	dots.GlyphStyleFunc = func(i int) draw.GlyphStyle {
		radius := vg.Points(2 + 10*math.Sqrt(float64(answers[i])/float64(all)))
		return draw.GlyphStyle{Color: plotutil.Color(2), Radius: radius, Shape: draw.CircleGlyph{}}
	}
	p.Add(even, line, dots)
	return p, nil
}
