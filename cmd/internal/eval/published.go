package eval

import (
	_ "embed"
	"encoding/csv"
	"fmt"
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
var allPublished = sync.OnceValue(func() (rows []PublishedRow) {
	lines, err := csv.NewReader(strings.NewReader(publishedText)).ReadAll()
	if err != nil {
		panic("internal error: published.csv: " + err.Error())
	}
	columns := lines[0]
	for _, fields := range lines[1:] {
		row := PublishedRow{Graph: fields[0], Model: fields[1], MRR: map[string]float64{}, Source: fields[len(fields)-1]}
		for i := 2; i < len(fields)-1; i++ {
			if x, err := strconv.ParseFloat(fields[i], 64); err == nil {
				row.MRR[columns[i]] = x
			}
		}
		rows = append(rows, row)
	}
	return rows
})

// PublishedGraphs returns the names of the graphs with published figures.
func PublishedGraphs() (names []string) {
	for _, r := range allPublished() {
		names = append(names, r.Graph)
	}
	return slices.Compact(names)
}

// Published returns the figures for a graph. The error for a graph without figures names the
// graphs that have some.
func Published(graph string) ([]PublishedRow, error) {
	rows := slices.DeleteFunc(slices.Clone(allPublished()), func(r PublishedRow) bool { return r.Graph != graph })
	if len(rows) == 0 {
		names := PublishedGraphs()
		if near := lang.Nearest(graph, names, 1); len(near) > 0 {
			return nil, fmt.Errorf("no published figures for %q; did you mean %q?", graph, near[0])
		}
		return nil, fmt.Errorf("no published figures for %q; there are some for %s", graph, strings.Join(names, ", "))
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
	var sources []string
	for _, r := range rows {
		sources = append(sources, r.Source)
	}
	slices.Sort(sources)
	sources = slices.Compact(sources)
	return "Published figures are of the papers' own test queries and checkpoints, filter released. Sources: " + strings.Join(sources, "; ") + "."
}
