package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	svg "github.com/ajstarks/svgo"

	"github.com/efoc/efoc/cmd/internal/eval"
)

// checkPlot reports the name of a plot, which a flag gives, that is not one of an SVG file.
func checkPlot(flag, path string) error {
	if path != "" && !strings.EqualFold(filepath.Ext(path), ".svg") {
		return usagef("%s %s: want a name that ends in .svg", flag, path)
	}
	return nil
}

// plotReliability draws the share of true answers over confidence: a point for each bin,
// the larger the more answers are in it. On the dashed line confidence says what is true.
func plotReliability(w io.Writer, r *eval.Report) error {
	reliability := r.Reliability
	if reliability == nil {
		return fmt.Errorf("--reliability-plot: answers have no confidence: train the model with --holdout, or calibrate it by a validation split (efoc calibrate)")
	}
	// The unit square is a square of 800 in one of 1000.
	x := func(v float64) int { return 130 + int(math.Round(800*v)) }
	y := func(v float64) int { return 880 - int(math.Round(800*v)) }
	var out bytes.Buffer
	s := svg.New(&out)
	s.StartviewUnit(10, 10, "cm", 0, 0, 1000, 1000)
	s.Rect(0, 0, 1000, 1000, "fill:white")
	s.Gstyle("font-family:sans-serif;font-size:34px;text-anchor:middle")
	s.Text(500, 45, fmt.Sprintf("%s, %s: expected calibration error %.3f", r.About.Model.Name, r.About.Semantics, reliability.ECE))
	s.Text(x(0.5), 985, "confidence")
	s.TranslateRotate(40, y(0.5), -90)
	s.Text(0, 0, "share that is true")
	s.Gend()
	for i := range 6 {
		v := float64(i) / 5
		s.Text(x(v), y(0)+45, fmt.Sprint(v))
		s.Text(x(0)-20, y(v)+12, fmt.Sprint(v), "text-anchor:end")
		s.Line(x(v), y(0), x(v), y(0)+10, "stroke:black;stroke-width:2")
		s.Line(x(0), y(v), x(0)-10, y(v), "stroke:black;stroke-width:2")
	}
	s.Gend()
	s.Rect(x(0), y(1), x(1)-x(0), y(0)-y(1), "fill:none;stroke:black;stroke-width:2")
	s.Line(x(0), y(0), x(1), y(1), "stroke:#a0a0a0;stroke-width:3;stroke-dasharray:10")
	var xs, ys []int
	all := 0
	for _, b := range reliability.Bins {
		if b.Answers > 0 {
			xs, ys, all = append(xs, x(b.Confidence)), append(ys, y(b.Share())), all+b.Answers
		}
	}
	s.Polyline(xs, ys, "fill:none;stroke:#5a9bd4;stroke-width:3")
	for _, b := range reliability.Bins {
		if b.Answers > 0 {
			s.Circle(x(b.Confidence), y(b.Share()), int(7+35*math.Sqrt(float64(b.Answers)/float64(all))), "fill:#5a9bd4")
		}
	}
	s.End()
	_, err := out.WriteTo(w)
	return err
}
