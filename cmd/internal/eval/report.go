package eval

import (
	"slices"

	"github.com/efoc/efoc/cmd/internal/queryset"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang/benchmark"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/table"
)

// Report is the report of an evaluation.
type Report struct {
	About    About          `json:"about"`
	Settings model.Settings `json:"settings"`
	Shapes   []ShapeReport  `json:"shapes"`
	Averages []Average      `json:"averages"`
	// Reliability assesses the confidence of answers that do not follow from the graph, nil if the model is not
	// calibrated.
	Reliability *Reliability `json:"reliability,omitempty"`
	// Done and Total count the queries.
	Done  int `json:"done"`
	Total int `json:"total"`
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
	// Full is the graph for Strict and for missing links.
	Full   *GraphInfo `json:"full_graph,omitempty"`
	Filter EasyFilter `json:"filter"`
	// Engine is the requested engine, Batch the number of queries at once.
	Engine    compiler.Engine `json:"engine"`
	Batch     int             `json:"batch"`
	Semantics model.Semantics `json:"semantics"`
}

// ModelInfo names a model.
type ModelInfo struct {
	Name string `json:"name"`
	// File is empty for the built-in model.
	File     string     `json:"file,omitempty"`
	Sum      string     `json:"sum"`
	Entities int        `json:"entities"`
	Rank     int        `json:"rank"`
	Table    table.Type `json:"table"`
}

// QueriesInfo names a query set.
type QueriesInfo struct {
	File  string `json:"file"`
	Split string `json:"split,omitempty"`
	Sum   string `json:"sum"`
	Count int    `json:"count"`
	// HeldOut is the share of facts held out for the queries, as confidence assumes.
	HeldOut float64 `json:"held_out,omitempty"`
}

// GraphInfo names a graph.
type GraphInfo struct {
	Name  string `json:"name"`
	Facts int    `json:"facts"`
}

// ShapeReport is the result of the queries of one formula.
type ShapeReport struct {
	Name string `json:"name"`
	// Shape is the benchmark's name of the formula, empty without one, Group the average that includes it.
	Shape string `json:"shape,omitempty"`
	Group string `json:"group,omitempty"`
	Mean
	// Interval is the confidence interval of the MRR.
	Interval Interval `json:"mrr_interval"`
	// MRRs are the means of the queries with hard answers, in order.
	MRRs []float64 `json:"query_mrrs"`
	// Of is the number of queries in the set.
	Of     int             `json:"of"`
	Engine compiler.Engine `json:"engine"`
	Layers []int           `json:"layers"`
	// Links distinguishes answers by the number of links missing in their derivation; nil if unknown.
	Links []LinksReport `json:"by_missing_links,omitempty"`
	// AllLinks summarises the answers that need all links of the formula; nil if there are none, or if unknown.
	AllLinks *LinksReport `json:"all_links_missing,omitempty"`
	// Reliability assesses the confidence of the answers, nil if the model is not calibrated.
	Reliability *Reliability `json:"reliability,omitempty"`
	// Milliseconds is the time per query asked, in batches.
	Milliseconds float64 `json:"ms_per_query,omitempty"`
}

// Mean is a mean over hard answers of a query, then over the queries that have one.
type Mean struct {
	Queries int `json:"queries"`
	Answers int `json:"answers"`
	Metrics
}

// LinksReport is the result of the answers with the same number of missing links.
type LinksReport struct {
	// Links is the number of missing links; maxLinks includes more.
	Links int `json:"missing_links"`
	Mean
}

// maxLinks is the number of missing links from which answers are grouped.
const maxLinks = 3

// Average is a mean over the shapes of a group.
type Average struct {
	Group string `json:"group"`
	// Shapes counts the shapes present, of Of in the benchmark.
	Shapes int `json:"shapes"`
	Of     int `json:"of"`
	Metrics
	// Interval is the confidence interval of the MRR.
	Interval Interval `json:"mrr_interval"`
	// AllLinks is the mean over answers that need all links, of the shapes with such answers;
	// nil if there are none.
	AllLinks *AllLinks `json:"all_links_missing,omitempty"`
}

// AllLinks is a mean over the shapes with answers that need all their links.
type AllLinks struct {
	Shapes int `json:"shapes"`
	Metrics
	// Interval is the confidence interval of the MRR.
	Interval Interval `json:"mrr_interval"`
}

// label is the papers' name for the average, such as AVG.(P).
func (a Average) label() string { return "AVG.(" + a.Group + ")" }

// describe describes an evaluation from its configuration.
func describe(set *queryset.Set, c Config) About {
	f := c.Model.Bundle().Manifest
	a := About{
		Model:   ModelInfo{Name: f.Name, Sum: ModelSum(c.Model), Entities: f.Entities, Rank: f.Rank, Table: f.Table},
		Queries: QueriesInfo{Sum: setSum(set), HeldOut: c.heldOut()},
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

// Summarize summarises an outcome. It omits groups without results.
func Summarize(set *queryset.Set, c Config, o *Outcome) *Report {
	r := &Report{About: describe(set, c), Settings: c.Settings, Asked: o.Asked}
	var claims []Claim
	a := averages{}
	for i, g := range o.Groups {
		done := slices.DeleteFunc(slices.Clone(g.Queries), func(x *Result) bool { return x == nil })
		r.Done += len(done)
		r.Total += len(g.Queries)
		if len(done) == 0 {
			continue
		}
		shape := a.shape(set.Groups[i], g, done)
		var own []Claim
		for _, x := range done {
			own = append(own, x.Claims...)
		}
		shape.Reliability = NewReliability(own)
		claims = append(claims, own...)
		r.Shapes = append(r.Shapes, shape)
	}
	r.Averages = a.list()
	r.Reliability = NewReliability(claims)
	return r
}

// averages collects the shapes of each group of the benchmark.
type averages map[string]*average

// average collects the shapes of a group: their metrics, and the MRRs of resampled queries.
type average struct {
	all, allLinks     mean
	resampled, needed [][]float64
}

// shape summarises a group of queries, and adds it to its average.
func (a averages) shape(group *queryset.Group, g GroupOutcome, done []*Result) ShapeReport {
	s := ShapeReport{Name: group.Name, Shape: g.Shape, Group: benchmark.Group(g.Shape), Of: len(g.Queries), Engine: g.Engine, Layers: g.Layers}
	s.Mean, s.MRRs = meanOf(done, func(*Result, int) bool { return true })
	missing := func(take func(links int) bool) (Mean, []float64) {
		return meanOf(done, func(x *Result, i int) bool { return x.Misses != nil && take(x.Misses[i]) })
	}
	for links := range maxLinks + 1 {
		if m, _ := missing(func(n int) bool { return min(n, maxLinks) == links }); m.Answers > 0 {
			s.Links = append(s.Links, LinksReport{links, m})
		}
	}
	if g.Asked > 0 {
		s.Milliseconds = 1000 * g.Time.Seconds() / float64(g.Asked)
	}
	to := a[s.Group]
	if to == nil {
		to = &average{}
		a[s.Group] = to
	}
	if s.Queries > 0 {
		resampled := resample(s.MRRs)
		s.Interval = interval(resampled)
		to.all.add(s.Metrics)
		to.resampled = append(to.resampled, resampled)
	}
	if m, mrrs := missing(func(n int) bool { return n >= g.AllLinks }); m.Answers > 0 {
		s.AllLinks = &LinksReport{g.AllLinks, m}
		to.allLinks.add(m.Metrics)
		to.needed = append(to.needed, resample(mrrs))
	}
	return s
}

// list returns the averages of the groups that have shapes.
func (a averages) list() []Average {
	var list []Average
	for _, group := range []string{"P", "N", "F"} { // the papers' order
		of := a[group]
		if of == nil || of.all.count == 0 {
			continue
		}
		x := Average{Group: group, Shapes: of.all.count, Of: len(GroupShapes(group)), Metrics: of.all.value(), Interval: interval(of.resampled...)}
		if of.allLinks.count > 0 {
			x.AllLinks = &AllLinks{of.allLinks.count, of.allLinks.value(), interval(of.needed...)}
		}
		list = append(list, x)
	}
	return list
}

// meanOf returns the mean over the answers selected by take, and the MRR of each query that has some.
func meanOf(results []*Result, take func(x *Result, i int) bool) (Mean, []float64) {
	var over mean
	var mrrs []float64
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
			mrrs = append(mrrs, query.value().MRR)
			answers += query.count
		}
	}
	return Mean{over.count, answers, over.value()}, mrrs
}

// GroupShapes returns the benchmark shapes of a group.
func GroupShapes(group string) []string {
	var names []string
	for _, s := range benchmark.Shapes {
		if s.Group == group {
			names = append(names, s.Name)
		}
	}
	return names
}
