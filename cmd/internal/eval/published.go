package eval

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/lang/nearest"
)

// publishedText holds figures of papers: a row for each graph and model, in percent, empty if the paper has none.
//
//go:embed published.csv
var publishedText string

// PublishedRow holds the figures of a model on a graph.
type PublishedRow struct {
	Graph string `json:"graph"`
	Model string `json:"model"`
	// Predictor is the model's link predictor, empty if it learns links and queries together. Rank is the predictor's
	// rank, or the number of dimensions of the model's own embeddings, 0 if there are none or the paper does not say.
	Predictor string `json:"predictor,omitempty"`
	Rank      int    `json:"rank,omitempty"`
	// Trained says that the model was trained on queries of more than one link.
	Trained bool `json:"trained_on_queries"`
	// MRR is in percent, by the name of a shape or the label of an average.
	MRR map[string]float64 `json:"mrr_percent"`
	// Source names the paper.
	Source string `json:"source,omitempty"`

	// ours says that efoc measured the figures, with their intervals.
	ours      bool
	Intervals map[string]Interval `json:"-"`
}

// rank formats the rank.
func (p *PublishedRow) rank() string {
	if p.Rank == 0 {
		return ""
	}
	return strconv.Itoa(p.Rank)
}

// cell formats a figure, empty if there is none.
func (p *PublishedRow) cell(column string) string {
	if x, ok := p.MRR[column]; ok {
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return ""
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
		row := PublishedRow{MRR: map[string]float64{}}
		for i, field := range fields {
			switch x, err := strconv.ParseFloat(field, 64); columns[i] {
			case "graph":
				row.Graph = field
			case "model":
				row.Model = field
			case "predictor":
				row.Predictor = field
			case "rank":
				row.Rank = int(x)
			case "trained":
				row.Trained = field == "yes"
			case "source":
				row.Source = field
			default:
				if err == nil {
					row.MRR[columns[i]] = x
				}
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

// Published returns the figures for a graph. The error for a graph without figures names the graphs with figures.
func Published(graph string) ([]PublishedRow, error) {
	rows := slices.DeleteFunc(slices.Clone(allPublished()), func(r PublishedRow) bool { return r.Graph != graph })
	if len(rows) == 0 {
		names := PublishedGraphs()
		if near := nearest.Names(graph, names, 1); len(near) > 0 {
			return nil, fmt.Errorf("no published figures for %q; did you mean %q?", graph, near[0])
		}
		return nil, fmt.Errorf("no published figures for %q; there are some for %s", graph, strings.Join(names, ", "))
	}
	return rows, nil
}

// Comparable reports whether the queries' figures are comparable with published ones: whether the queries of some
// benchmark shape have the distribution of a published test set.
func Comparable(set *queryset.Set) bool {
	return slices.ContainsFunc(set.Groups, func(g *queryset.Group) bool { return benchmark.Group(g.Name) != "" && g.Like() })
}

// publishedRow returns the MRR of a report in the form of papers: of benchmark shapes, and averages over complete
// groups only. Beside published figures, it only has shapes whose queries have the published distribution.
func (r *Report) publishedRow(beside bool) PublishedRow {
	row := PublishedRow{
		Model: r.label(), Predictor: r.About.Model.Predictor, Rank: r.About.Model.Rank,
		MRR: map[string]float64{}, Intervals: map[string]Interval{}, ours: true,
	}
	left := map[string]bool{}
	for _, s := range r.Shapes {
		switch {
		case s.Shape == "" || s.Queries == 0:
		case beside && !s.Like:
			left[s.Group] = true
		default:
			row.MRR[s.Shape], row.Intervals[s.Shape] = 100*s.MRR, s.Interval
		}
	}
	for _, a := range r.Averages {
		if a.Complete() && !left[a.Group] {
			row.MRR[a.Label()], row.Intervals[a.Label()] = 100*a.MRR, a.Interval
		}
	}
	return row
}

// publishedPart is a part of the published table: the shapes of some groups.
type publishedPart struct {
	title   string
	columns []string
	rows    []PublishedRow
}

// publishedParts returns the published rows, followed by the rows of the reports that the report is compared with,
// and its own row. The layout follows the papers: BetaE's shapes with their two averages, then the real EFO1 shapes.
// It omits rows without figures, and parts without any of efoc's.
func (r *Report) publishedParts() []publishedPart {
	rows := slices.Clone(r.Published)
	for _, c := range r.Against {
		rows = append(rows, c.report.publishedRow(r.Published != nil))
	}
	rows = append(rows, r.publishedRow(r.Published != nil))
	columns := PublishedColumns()
	at := slices.Index(columns, averageLabel("N")) + 1
	var parts []publishedPart
	for i, columns := range [][]string{columns[:at], columns[at:]} {
		part := publishedPart{title: "MRR of " + [2]string{"BetaE's", "the real EFO1"}[i] + " shapes, published and ours", columns: columns}
		for _, row := range rows {
			if slices.ContainsFunc(columns, func(c string) bool { return row.cell(c) != "" }) {
				part.rows = append(part.rows, row)
			}
		}
		if slices.ContainsFunc(part.rows, func(p PublishedRow) bool { return p.ours }) {
			parts = append(parts, part)
		}
	}
	return parts
}

// PublishedNote states the source of the figures and how they compare.
func PublishedNote(rows []PublishedRow) string {
	var sources []string
	for _, r := range rows {
		sources = append(sources, r.Source)
	}
	slices.Sort(sources)
	sources = slices.Compact(sources)
	return "Published figures are of the papers' own test queries and checkpoints, filter released; † was trained on queries. Sources: " + strings.Join(sources, "; ") + "."
}
