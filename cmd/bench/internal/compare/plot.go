package compare

import (
	"image/color"
	"io"
	"math"
	"slices"

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

// style is how a series looks, and what is to be said beside its name.
type style struct {
	color color.Color
	shape draw.GlyphDrawer
	note  string
}

var (
	red    = color.RGBA{R: 0xc0, G: 0x20, B: 0x20, A: 255}
	blue   = color.RGBA{R: 0x1f, G: 0x5f, B: 0xb4, A: 255}
	purple = color.RGBA{R: 0x84, G: 0x3c, B: 0xa0, A: 255}
)

// styles has a colour for each semantics, hollow signs for what is slower by design and
// crosses for PyTorch.
var styles = map[string]style{
	"NSMP, compiled":    {red, draw.CircleGlyph{}, ""},
	"NSMP, interpreted": {red, draw.TriangleGlyph{}, ""},
	"NSMP, layers":      {red, draw.RingGlyph{}, ""},
	"NSMP, PyTorch":     {red, draw.CrossGlyph{}, ""},
	seriesFIT:           {blue, draw.BoxGlyph{}, ", K beside"},
	"FIT, PyTorch":      {blue, draw.PlusGlyph{}, ""},
	seriesMixed:         {purple, draw.PyramidGlyph{}, ", K beside"},
}

func (s style) glyph() draw.GlyphStyle {
	return draw.GlyphStyle{Color: s.color, Radius: 3.5, Shape: s.shape}
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

// drawKey explains the sign of a series.
func drawKey(c draw.Canvas, series string) {
	s := styles[series]
	middle := vg.Point{X: c.Min.X + margin, Y: (c.Min.Y + c.Max.Y) / 2}
	c.DrawGlyph(s.glyph(), middle)
	text := plot.New().Legend.TextStyle
	text.YAlign = draw.YCenter
	c.FillText(text, vg.Point{X: middle.X + margin, Y: middle.Y}, series+s.note)
}

// columns returns the groups of shapes that any graph has, in the papers' order.
func (r *report) columns() []string {
	return slices.DeleteFunc(eval.Groups(), func(group string) bool {
		return !slices.ContainsFunc(r.Graphs, func(g *graphReport) bool { return g.Rows[0].group(group) != nil })
	})
}

// series returns the series in order.
func (r *report) series() []string {
	var names []string
	for _, g := range r.Graphs {
		for _, x := range g.Rows {
			if !slices.Contains(names, x.series) {
				names = append(names, x.series)
			}
		}
	}
	return names
}

// group returns the mean over a group of shapes, nil if it has none.
func (x *row) group(name string) *point {
	if i := slices.IndexFunc(x.Groups, func(p point) bool { return p.Group == name }); i >= 0 {
		return &x.Groups[i]
	}
	return nil
}

// panel draws one group of one graph, nil if the graph has no such shapes.
func (g *graphReport) panel(group string) (*plot.Plot, error) {
	first := g.Rows[0].group(group)
	if first == nil {
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
		at := x.group(group)
		xy := plotter.XY{X: at.Milliseconds.Median, Y: at.MRR}
		if lines[x.series] == nil {
			order = append(order, x.series)
		}
		lines[x.series] = append(lines[x.series], xy)
		labels[x.series] = append(labels[x.series], at.label(x.candidates))
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
		if err := addSeries(p, styles[name], lines[name], labels[name]); err != nil {
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
	points.GlyphStyle = s.glyph()
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
