package eval

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/efoc/efoc/lang"
)

// publishedText holds figures of papers: a row for each graph and model, in
// percent, empty where the paper has none.
//
//go:embed published.csv
var publishedText string

// PublishedRow holds the figures that a paper reports for a model on a graph.
type PublishedRow struct {
	Graph string `json:"graph"`
	Model string `json:"model"`
	// MRR is in percent, by the name of a shape or the label of an average.
	MRR map[string]float64 `json:"mrr_percent"`
	// Source names the paper.
	Source string `json:"source"`
}

// PublishedColumns returns the names of the figures in the papers' order: the shapes of each
// group, then their average.
func PublishedColumns() []string {
	var columns []string
	for _, group := range Groups() {
		columns = append(append(columns, GroupShapes(group)...), averageLabel(group))
	}
	return columns
}

// allPublished reads publishedText once.
var allPublished = sync.OnceValues(func() ([]PublishedRow, error) {
	return parsePublished(strings.NewReader(publishedText))
})

// PublishedGraphs returns the names of the graphs with published figures.
func PublishedGraphs() []string {
	rows, _ := allPublished()
	return distinct(rows, func(r PublishedRow) string { return r.Graph })
}

// distinct returns the different texts of rows, in order.
func distinct(rows []PublishedRow, text func(PublishedRow) string) []string {
	var list []string
	for _, r := range rows {
		if t := text(r); !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	return list
}

// Published returns the figures for a graph. The error for a graph without figures names the
// graphs that have some.
func Published(graph string) ([]PublishedRow, error) {
	all, err := allPublished()
	if err != nil {
		return nil, fmt.Errorf("internal error: %w", err)
	}
	rows := slices.DeleteFunc(slices.Clone(all), func(r PublishedRow) bool { return r.Graph != graph })
	if len(rows) == 0 {
		names := PublishedGraphs()
		if near := lang.Nearest(graph, names, 1); len(near) > 0 {
			return nil, fmt.Errorf("no published figures for %q; did you mean %q?", graph, near[0])
		}
		return nil, fmt.Errorf("no published figures for %q; there are some for %s", graph, strings.Join(names, ", "))
	}
	return rows, nil
}

// parsePublished reads a table of figures.
func parsePublished(r io.Reader) ([]PublishedRow, error) {
	lines, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, err
	}
	columns := PublishedColumns()
	header := slices.Concat([]string{"graph", "model"}, columns, []string{"source"})
	if len(lines) == 0 || !slices.Equal(lines[0], header) {
		return nil, fmt.Errorf("published figures: want the header %s", strings.Join(header, ","))
	}
	var rows []PublishedRow
	for i, fields := range lines[1:] {
		row := PublishedRow{Graph: fields[0], Model: fields[1], MRR: map[string]float64{}, Source: fields[len(fields)-1]}
		for k, c := range columns {
			text := fields[2+k]
			if text == "" {
				continue
			}
			x, err := strconv.ParseFloat(text, 64)
			if err != nil || !(x >= 0 && x <= 100) {
				return nil, fmt.Errorf("published figures: line %d: %s of %s is %q, want a percentage", i+2, c, row.Model, text)
			}
			row.MRR[c] = x
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// publishedRow returns the MRR of a report as a paper would have it: of benchmark
// shapes, and averages over all shapes of a group alone.
func (r *Report) publishedRow(model string) PublishedRow {
	row := PublishedRow{Model: model, MRR: map[string]float64{}}
	for _, s := range r.Shapes {
		if s.Shape != "" && s.Queries > 0 {
			row.MRR[s.Shape] = 100 * s.MRR
		}
	}
	for _, a := range r.Averages {
		if a.Complete() {
			row.MRR[a.Label()] = 100 * a.MRR
		}
	}
	return row
}

// PublishedNote states the source of the figures and how they compare.
func PublishedNote(rows []PublishedRow) string {
	sources := distinct(rows, func(r PublishedRow) string { return r.Source })
	return "Published figures are of the papers' own test queries and checkpoints, filter released. Sources: " + strings.Join(sources, "; ") + "."
}
