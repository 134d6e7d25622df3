package compare

import (
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/efoc/efoc/cmd/internal/eval"
)

// Sizes of the picture.
const (
	panelWidth   = 8 * vg.Centimeter
	panelHeight  = 7 * vg.Centimeter
	legendHeight = 0.7 * vg.Centimeter
	legendColumn = 3
	margin       = 0.3 * vg.Centimeter
	dpi          = 144
)

// style is how a series looks.
type style struct {
	color color.Color
	shape draw.GlyphDrawer
}

var (
	red    = color.RGBA{R: 0xc0, G: 0x20, B: 0x20, A: 255}
	blue   = color.RGBA{R: 0x1f, G: 0x5f, B: 0xb4, A: 255}
	purple = color.RGBA{R: 0x84, G: 0x3c, B: 0xa0, A: 255}
	green  = color.RGBA{R: 0x20, G: 0x80, B: 0x40, A: 255}
)

// styleOf returns the style of a series: a colour for each semantics, hollow signs for
// what is slower by design, crosses for PyTorch.
func styleOf(series string) style {
	switch series {
	case "NSMP, compiled":
		return style{red, draw.CircleGlyph{}}
	case "NSMP, interpreted":
		return style{red, draw.TriangleGlyph{}}
	case "NSMP, layers":
		return style{red, draw.RingGlyph{}}
	case seriesFIT:
		return style{blue, draw.BoxGlyph{}}
	case seriesMixed:
		return style{purple, draw.PyramidGlyph{}}
	case seriesExact:
		return style{green, draw.SquareGlyph{}}
	case "FIT, PyTorch":
		return style{blue, draw.PlusGlyph{}}
	}
	return style{red, draw.CrossGlyph{}}
}

// draw draws a row of panels for each graph, a panel for each group of shapes, and what
// the signs mean below.
func (r *report) draw(w io.Writer, format string) error {
	columns, series := r.columns(), r.series()
	legend := vg.Length((len(series)+legendColumn-1)/legendColumn) * legendHeight
	width := vg.Length(max(len(columns), legendColumn)) * panelWidth
	height := vg.Length(len(r.Graphs))*panelHeight + legend
	var canvas interface {
		vg.CanvasSizer
		io.WriterTo
	}
	if format == "png" {
		c := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi), vgimg.UseBackgroundColor(color.White))
		canvas = vgimg.PngCanvas{Canvas: c}
	} else {
		canvas = vgsvg.New(width, height)
	}
	whole := draw.New(canvas)
	whole.SetColor(color.White)
	whole.Fill(whole.Rectangle.Path())
	plots := make([][]*plot.Plot, len(r.Graphs))
	for i, g := range r.Graphs {
		for _, group := range columns {
			p, err := g.panel(group)
			if err != nil {
				return err
			}
			plots[i] = append(plots[i], p)
		}
	}
	tiles := draw.Tiles{
		Rows: len(r.Graphs), Cols: len(columns), PadX: margin, PadY: margin, PadTop: margin, PadBottom: margin, PadLeft: margin, PadRight: margin,
	}
	for i, row := range plot.Align(plots, tiles, draw.Crop(whole, 0, 0, legend, 0)) {
		for j, c := range row {
			if plots[i][j] != nil {
				plots[i][j].Draw(c)
			}
		}
	}
	for i, s := range series {
		cell := width / legendColumn
		x, y := vg.Length(i%legendColumn)*cell, legend-vg.Length(i/legendColumn+1)*legendHeight
		drawKey(draw.Crop(whole, x+5*margin, x+cell-width, y, y+legendHeight-height), s)
	}
	_, err := canvas.WriteTo(w)
	return err
}

// explain says more of some series than their names.
func explain(series string) string {
	switch series {
	case seriesFIT, seriesMixed:
		return series + ", K beside"
	case seriesExact:
		return series + ", matrices made before"
	}
	return series
}

// drawKey explains the sign of a series.
func drawKey(c draw.Canvas, series string) {
	s := styleOf(series)
	middle := vg.Point{X: c.Min.X + margin, Y: (c.Min.Y + c.Max.Y) / 2}
	c.DrawGlyph(glyph(s), middle)
	text := plot.New().Legend.TextStyle
	text.YAlign = draw.YCenter
	c.FillText(text, vg.Point{X: middle.X + margin, Y: middle.Y}, explain(series))
}

func glyph(s style) draw.GlyphStyle {
	return draw.GlyphStyle{Color: s.color, Radius: 3.5, Shape: s.shape}
}

// columns returns the groups of shapes that any graph has, in the papers' order.
func (r *report) columns() []string {
	var columns []string
	for _, group := range eval.Groups() {
		for _, g := range r.Graphs {
			if _, ok := g.Rows[0].group(group); ok {
				columns = append(columns, group)
				break
			}
		}
	}
	return columns
}

// series returns the series in order.
func (r *report) series() []string {
	var names []string
	seen := map[string]bool{}
	for _, g := range r.Graphs {
		for _, x := range g.Rows {
			if !seen[x.Series] {
				seen[x.Series] = true
				names = append(names, x.Series)
			}
		}
	}
	return names
}

// group returns the mean over a group of shapes, if there is one.
func (x *row) group(name string) (point, bool) {
	for _, p := range x.Groups {
		if p.Group == name {
			return p, true
		}
	}
	return point{}, false
}

// panel draws one group of one graph, nil if the graph has no such shapes.
func (g *graphReport) panel(group string) (*plot.Plot, error) {
	first, ok := g.Rows[0].group(group)
	if !ok {
		return nil, nil
	}
	p := plot.New()
	p.Title.Text = g.Graph + ", " + first.title()
	p.X.Label.Text, p.Y.Label.Text = "time of a query", "MRR, percent"
	lines := map[string]plotter.XYs{}
	labels := map[string][]string{}
	var order []string
	var all plotter.XYs
	for _, x := range g.Rows {
		at, _ := x.group(group)
		xy := plotter.XY{X: at.Milliseconds.Median, Y: at.MRR}
		if lines[x.Series] == nil {
			order = append(order, x.Series)
		}
		lines[x.Series] = append(lines[x.Series], xy)
		labels[x.Series] = append(labels[x.Series], at.label(x.Candidates))
		all = append(all, xy)
	}
	low, high, bottom, top := plotter.XYRange(all)
	p.X.Min, p.X.Max = decade(low, math.Floor), decade(1.01*high, math.Ceil)
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, timeTicks{}
	p.X.Tick.Label.Font.Size = 9
	room := max(0.5, 0.1*(top-bottom))
	bottom, top = max(0, bottom-room), top+room
	p.Add(plotter.NewGrid())
	for _, name := range order {
		thin(lines[name], labels[name], math.Log(p.X.Max/p.X.Min), top-bottom)
		if err := addSeries(p, styleOf(name), lines[name], labels[name]); err != nil {
			return nil, err
		}
	}
	p.Y.Min, p.Y.Max = bottom, top
	return p, nil
}

// addSeries draws the points of a series with their labels, and a line through them if
// there are several.
func addSeries(p *plot.Plot, s style, xys plotter.XYs, labels []string) error {
	if len(xys) > 1 {
		line, err := plotter.NewLine(xys)
		if err != nil {
			return err
		}
		line.Color = s.color
		p.Add(line)
	}
	points, err := plotter.NewScatter(xys)
	if err != nil {
		return err
	}
	points.GlyphStyle = glyph(s)
	texts, err := plotter.NewLabels(plotter.XYLabels{XYs: xys, Labels: labels})
	if err != nil {
		return err
	}
	for i := range texts.TextStyle {
		texts.TextStyle[i].Font.Size = 8
		texts.TextStyle[i].Color = s.color
		texts.TextStyle[i].XAlign = draw.XCenter
	}
	texts.Offset = vg.Point{Y: 5}
	p.Add(points, texts)
	return nil
}

// decade returns the power of 10 beside a time; times of 0 have none.
func decade(x float64, round func(float64) float64) float64 {
	return math.Pow(10, round(math.Log10(max(x, 1e-4))))
}
