package eval

import (
	"slices"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
)

// Report is everything that an evaluation reports.
type Report struct {
	About    About          `json:"about"`
	Settings model.Settings `json:"settings"`
	Shapes   []ShapeReport  `json:"shapes"`
	Averages []Average      `json:"averages"`
	// Reliability is that of the confidence of answers that do not follow from the graph,
	// nil if the model is not calibrated.
	Reliability *Reliability `json:"reliability,omitempty"`
	// Done and Total count the queries.
	Done      int            `json:"done"`
	Total     int            `json:"total"`
	Published []PublishedRow `json:"published,omitempty"`
	// Asked counts the queries asked in Seconds; the others were done before.
	Asked   int     `json:"asked"`
	Seconds float64 `json:"seconds"`
}

// About describes what was evaluated, and how.
type About struct {
	Model   ModelInfo   `json:"model"`
	Queries QueriesInfo `json:"queries"`
	// Visible is the graph that plans see.
	Visible GraphInfo `json:"visible_graph"`
	// Full is the graph that decides Strict and the missing links.
	Full   *GraphInfo `json:"full_graph,omitempty"`
	Filter Filter     `json:"filter"`
	// Engine is the requested engine, Batch the number of queries at once.
	Engine    compiler.Engine `json:"engine"`
	Batch     int             `json:"batch"`
	Semantics model.Semantics `json:"semantics"`
}

// ModelInfo names a model.
type ModelInfo struct {
	Name string `json:"name"`
	// File is empty for the built-in model.
	File     string          `json:"file,omitempty"`
	Sum      string          `json:"sum"`
	Entities int             `json:"entities"`
	Rank     int             `json:"rank"`
	Table    model.TableType `json:"table"`
}

// QueriesInfo names a query set.
type QueriesInfo struct {
	File  string `json:"file"`
	Split string `json:"split,omitempty"`
	Sum   string `json:"sum"`
	Count int    `json:"count"`
}

// GraphInfo names a graph.
type GraphInfo struct {
	Name  string `json:"name"`
	Facts int    `json:"facts"`
}

// ShapeReport is the result of the queries of one formula.
type ShapeReport struct {
	Name string `json:"name"`
	// Shape is the benchmark's name of the formula, empty if it has none, Group the
	// average that it counts towards.
	Shape string `json:"shape,omitempty"`
	Group string `json:"group,omitempty"`
	Mean
	// Of is the number of queries in the set.
	Of     int             `json:"of"`
	Engine compiler.Engine `json:"engine"`
	Layers []int           `json:"layers"`
	// Links distinguishes answers by the number of links that had to be predicted;
	// nil where it is not known.
	Links []LinksReport `json:"by_missing_links,omitempty"`
	// AllLinks is of the answers that need all links of the formula; nil if there are
	// none, or it is not known.
	AllLinks *LinksReport `json:"all_links_missing,omitempty"`
	// Reliability is that of the confidence of the answers, nil if the model is not calibrated.
	Reliability *Reliability `json:"reliability,omitempty"`
	// Milliseconds is the time for a query, of those that were asked in batches.
	Milliseconds float64 `json:"ms_per_query,omitempty"`
}

// Mean is a mean over hard answers of a query, then over the queries that have one.
type Mean struct {
	Queries int `json:"queries"`
	Answers int `json:"answers"`
	Metrics
}

// LinksReport is the result of the answers that miss so many links.
type LinksReport struct {
	// Links is the number of missing links; MaxLinks includes more.
	Links int `json:"missing_links"`
	Mean
}

// MaxLinks is the number of missing links from which on answers are counted together.
const MaxLinks = 3

// Average is a mean over the shapes of a group.
type Average struct {
	Group string `json:"group"`
	// Shapes counts the shapes present, of Of in the benchmark.
	Shapes int `json:"shapes"`
	Of     int `json:"of"`
	Metrics
	// AllLinks is the mean over answers that need all links, of the shapes with such answers;
	// nil if there are none.
	AllLinks *AllLinks `json:"all_links_missing,omitempty"`
}

// AllLinks is a mean over the shapes with answers that need all their links.
type AllLinks struct {
	Shapes int `json:"shapes"`
	Metrics
}

// Complete reports whether the average covers all shapes of the group, as in papers.
func (a Average) Complete() bool { return a.Shapes == a.Of }

// Label is the name that papers give the average, such as AVG.(P).
func (a Average) Label() string { return averageLabel(a.Group) }

func averageLabel(group string) string { return "AVG.(" + group + ")" }

// describe fills in what the configuration says about an evaluation.
func describe(set *queryset.Set, c Config) About {
	f := c.Model.Manifest
	a := About{
		Model:   ModelInfo{Name: f.Name, Sum: ModelSum(c.Model), Entities: f.Entities, Rank: f.Rank, Table: f.Table},
		Queries: QueriesInfo{Sum: setSum(set)},
		Visible: GraphInfo{Name: f.Visible, Facts: f.Triples},
		Filter:  c.Filter, Engine: c.Engine, Batch: c.Batch, Semantics: c.Semantics,
	}
	for _, g := range set.Groups {
		a.Queries.Count += len(g.Queries)
	}
	if c.Full != nil {
		a.Full = &c.Full.GraphInfo
	}
	return a
}

// Summarize summarises an outcome. Groups without any result are left out.
func Summarize(set *queryset.Set, c Config, o *Outcome) *Report {
	r := &Report{About: describe(set, c), Settings: c.Settings, Asked: o.Asked}
	var claims []Claim
	for i, g := range o.Groups {
		done := slices.DeleteFunc(slices.Clone(g.Queries), func(x *Result) bool { return x == nil })
		r.Done += len(done)
		r.Total += len(g.Queries)
		if len(done) == 0 {
			continue
		}
		shape := summarizeShape(set.Groups[i].Name, g, done)
		var own []Claim
		for _, x := range done {
			own = append(own, x.Claims...)
		}
		shape.Reliability, claims = reliability(own), append(claims, own...)
		r.Shapes = append(r.Shapes, shape)
	}
	r.Averages, r.Reliability = averages(r.Shapes), reliability(claims)
	return r
}

// summarizeShape sums up a group.
func summarizeShape(name string, g GroupOutcome, done []*Result) ShapeReport {
	s := ShapeReport{Name: name, Shape: g.Shape, Group: ShapeGroup(g.Shape), Of: len(g.Queries), Engine: g.Engine, Layers: g.Layers}
	s.Mean = average(done, func(*Result, int) bool { return true })
	missing := func(take func(links int) bool) Mean {
		return average(done, func(x *Result, i int) bool { return x.Misses != nil && take(x.Misses[i]) })
	}
	for links := range MaxLinks + 1 {
		if m := missing(func(n int) bool { return min(n, MaxLinks) == links }); m.Answers > 0 {
			s.Links = append(s.Links, LinksReport{links, m})
		}
	}
	if m := missing(func(n int) bool { return n >= g.AllLinks }); m.Answers > 0 {
		s.AllLinks = &LinksReport{g.AllLinks, m}
	}
	if g.Asked > 0 {
		s.Milliseconds = 1000 * g.Time.Seconds() / float64(g.Asked)
	}
	return s
}

// average returns the mean over the answers that take selects.
func average(results []*Result, take func(x *Result, i int) bool) Mean {
	var over mean
	answers := 0
	for _, x := range results {
		var query mean
		for i, rank := range x.Ranks {
			if take(x, i) {
				query.add(rankMetrics(rank))
			}
		}
		if query.count > 0 {
			over.add(query.value())
			answers += query.count
		}
	}
	return Mean{over.count, answers, over.value()}
}

// averages returns the means over the shapes of each group of the benchmark.
func averages(shapes []ShapeReport) []Average {
	var list []Average
	for _, group := range Groups() {
		a := Average{Group: group, Of: len(GroupShapes(group))}
		var over, all mean
		for _, s := range shapes {
			if s.Group == group && s.Queries > 0 {
				over.add(s.Metrics)
			}
			if s.Group == group && s.AllLinks != nil {
				all.add(s.AllLinks.Metrics)
			}
		}
		if all.count > 0 {
			a.AllLinks = &AllLinks{all.count, all.value()}
		}
		if a.Shapes, a.Metrics = over.count, over.value(); a.Shapes > 0 {
			list = append(list, a)
		}
	}
	return list
}

// Groups returns the groups that there are averages of, in the papers' order.
func Groups() []string { return []string{"P", "N", "F"} }

// GroupShapes returns the benchmark shapes of a group.
func GroupShapes(group string) []string {
	var names []string
	for _, s := range lang.Shapes {
		if s.Group == group {
			names = append(names, s.Name)
		}
	}
	return names
}

// ShapeGroup returns the group of a benchmark shape, empty if it is none.
func ShapeGroup(name string) string {
	for _, s := range lang.Shapes {
		if s.Name == name {
			return s.Group
		}
	}
	return ""
}
