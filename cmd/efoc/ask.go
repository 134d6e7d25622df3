package main

import (
	"strings"
	"time"

	"github.com/efoc/efoc/cmd/internal/cli"
	"github.com/efoc/efoc/cmd/internal/missing"
	"github.com/efoc/efoc/cmd/internal/print"
	"github.com/efoc/efoc/cmd/internal/sparqlresult"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/plan"
)

type askCmd struct {
	querySource
	Set []string `group:"query" sep:"none" placeholder:"PARAM=NAME" help:"Value of a parameter of a template or shape; may be repeated. ^-1 after a relation inverts it. #35 is the entity or the directed relation of id 35, as BetaE and FIT number them (2i is relation i, 2i+1 its inverse)."`

	modelFlag
	filterFlags
	K      int      `least:"1" short:"k" default:"10" help:"Number of answers."`
	Offset int      `least:"0" default:"0" help:"Skip this many of the best answers."`
	Sets   int      `least:"0" default:"3" help:"Number of entities to show for each existential variable; 0 for none."`
	Show   []string `placeholder:"VARIABLE" help:"Variables under exists to show with each answer, separated by commas or repeated. Their values are those of its best explanation, as with --why."`
	Why    int      `least:"0" placeholder:"N" help:"Explain the first N answers: the best values of the existential variables and, for each atom, whether its link is observed or predicted, and to what degree."`
	Count  bool     `help:"Say how many answers there are: those that are known, and how many others are expected. Templates say so with count."`
	Format string   `enum:"table,json,tsv,sparql-json,sparql-csv,sparql-tsv,sparql-xml" default:"table" help:"Output format: table, json or tsv (only the answers); for a --sparql query also sparql-json, sparql-csv, sparql-tsv or sparql-xml."`
	Engine string   `enum:"auto,compiled,interpreted,layers,reference" default:"auto" help:"Engine that runs the plan: auto, compiled, interpreted, layers or reference. auto is compiled for shapes with generated code, and interpreted, which makes the same calls, for others. layers follows the paper, without any optimisation. reference is slow and plain."`

	semanticsFlag
	settingsFlags
	deviceFlag
}

func (c *askCmd) Run(a *app) error {
	if err := c.readSettings(); err != nil {
		return err
	}
	c.facts = true
	q, err := c.load(a, &c.modelFlag)
	switch {
	case err != nil:
		return err
	case c.request != nil && c.request.Stored():
		return c.stored(a)
	}
	if c.request == nil && sparqlresult.Named(c.Format) != nil {
		return usagef("--format %s needs a SPARQL query: give one with --sparql", c.Format)
	}
	if c.Count {
		q, err = q.Counting()
		if err != nil {
			return mistake(err)
		}
	}
	args, err := arguments(q, c.Set)
	if err != nil {
		return err
	}
	m, err := c.open(a)
	if err != nil {
		return err
	}
	defer m.Close()
	semantics := c.choose(c.file.Semantics, m.Manifest.Semantics)
	if err := c.checkRead(semantics); err != nil {
		return err
	}
	if c.file.Layers > 0 {
		c.setDefaultLayers(c.file.Layers)
	}
	if err := c.bind(m); err != nil {
		return err
	}
	settings := c.apply(m.Manifest.Settings)
	prepare := compiler.Options{Engine: compiler.Engine(c.Engine), Plans: plans, Settings: &settings, Semantics: &semantics}
	if q.Asks() == lang.ForRows {
		return c.askRows(a, m, q, args, prepare)
	}
	placed, err := m.toDevice(c.deviceFlag, &prepare)
	if err != nil {
		return err
	}
	if q.Asks() == lang.ForVerdict {
		return c.decide(a, m, placed, q, args, prepare)
	}
	p, err := compiler.Prepare(placed, q, prepare)
	if err != nil {
		return mistake(err)
	}
	a.warn(p.Source.Warnings)
	b, err := p.Bindings(args)
	if err != nil {
		return err
	}
	filter, err := c.filter(placed)
	if err != nil {
		return err
	}
	if q.Count || c.request != nil && c.request.Count != "" {
		return c.count(a, m, p, b, runtime.Options{Settings: &p.Settings, Filter: runtime.Filter{Type: filter.Type}})
	}
	if why := p.Query.Uncalibrated(&p.Settings); filter.MinConfidence > 0 && why != "" {
		return usagef("--min-confidence: %s", why)
	}
	options := runtime.Options{K: c.K, Offset: c.Offset, Filter: filter, Settings: &p.Settings}
	var wanted sparqlresult.Wanted
	if c.request != nil {
		wanted, err = c.want(placed, p, &options)
		if err != nil {
			return err
		}
	}
	if err := options.Check(placed); err != nil {
		return cli.UsageError{Err: err}
	}
	if c.Format != "tsv" {
		options.SetSize = c.Sets
	}
	if c.Show == nil {
		c.Show = q.Shown()
	}
	if err := p.Query.CheckShow(c.Show); err != nil {
		return usagef("--show: %w", err)
	}
	start := time.Now()
	answers, err := p.Query.Answer(a.ctx, b, options)
	if err != nil {
		return err
	}
	if err := p.Query.Show(a.ctx, b, &p.Settings, answers, c.Show); err != nil {
		return err
	}
	if c.request != nil {
		result, err := sparqlresult.New(c.request, wanted, answers)
		if err != nil {
			return err
		}
		if c.request.Ask || sparqlresult.Named(c.Format) != nil {
			return c.writeSPARQL(a, result)
		}
		answers.Rows = result.Rows
		c.Offset = c.request.Offset
	}
	if answers.Incomplete {
		a.warnf("the search for answers was given up because it took too much work: there may be more")
	}
	r := &askResult{
		askHead: askHead{
			reply: newReply(plan.Answers, m, q, p.Settings, p.Semantics, time.Since(start)),
			Shape: p.Shape().Key, ShapeName: stages.ShapeName(p.Shape().Key), Layers: p.Compiled.Optimized.Layers, Engine: p.Engine,
			Offset: c.Offset,
		},
		Reply: answers, show: c.Show,
	}
	if c.Why > 0 && c.Format != "tsv" {
		var ids []model.EntityID
		for _, x := range answers.Rows[:min(c.Why, len(answers.Rows))] {
			ids = append(ids, x.Values[0].ID)
		}
		r.Why, err = p.Query.Witnesses(a.ctx, b, &p.Settings, ids)
		if err != nil {
			return err
		}
		if err := missing.Judge(a.ctx, m.Model, compiler.Options{Plans: plans, Semantics: &semantics}, r.Why); err != nil {
			return err
		}
	}
	return a.show(c.Format, r)
}

// want sets the options to the answers that the SPARQL query wants; flags are for other
// queries.
func (c *askCmd) want(m *runtime.Model, p *compiler.Prepared, o *runtime.Options) (w sparqlresult.Wanted, err error) {
	if c.Offset != 0 || len(c.Status) > 0 || c.MinConfidence != 0 {
		return w, usagef("--sparql says itself which answers it wants: use OFFSET, FILTER(?y_status = …) and FILTER(?y_confidence >= …)")
	}
	w = sparqlresult.Want(c.request, m.NumEntities(), p.Query.Uncalibrated(&p.Settings) == "")
	o.K, o.Offset, o.Filter.MinConfidence = w.K, w.Offset, w.MinConfidence
	o.Filter.Statuses, err = runtime.ParseStatus(w.Statuses...)
	return w, err
}

// reply is the part of the output beside the answer, common to all questions.
type reply struct {
	// Kind is answers, rows, verdict or count, as in responses of efoc serve.
	Kind     string         `json:"kind"`
	Query    string         `json:"query"`
	Model    modelSummary   `json:"model"`
	Settings model.Settings `json:"settings"`
	// Seconds is the time that answering took, without opening and compiling.
	Seconds  float64        `json:"seconds"`
	Warnings []lang.Warning `json:"warnings,omitempty"`
}

func newReply(kind plan.Kind, m *openModel, q *lang.Query, settings model.Settings, by model.Semantics, took time.Duration) reply {
	r := reply{Kind: kind.String(), Query: oneLine(q), Model: m.summary(), Settings: settings, Seconds: took.Seconds(), Warnings: q.Warnings}
	if by != model.NSMP {
		r.Settings.Degrees = r.Settings.Degrees.OrDefault()
	}
	return r
}

// oneLine prints a query in a line.
func oneLine(q *lang.Query) string { return strings.Join(strings.Fields(q.String()), " ") }

// askHead says how answers of one variable were found.
type askHead struct {
	reply
	// Shape is the canonical text, ShapeName the benchmark's name if there is one.
	Shape     string `json:"shape"`
	ShapeName string `json:"shape_name,omitempty"`
	// Layers is the number of layers of each disjunct.
	Layers []int           `json:"layers"`
	Engine compiler.Engine `json:"engine"`
	// Offset is the number of better answers that were left out.
	Offset int `json:"offset,omitempty"`
}

// askResult holds everything to print.
type askResult struct {
	askHead
	*runtime.Reply
	// Why are the witnesses of the first answers.
	Why []runtime.Witness

	show []string // variables whose values stand beside the answers
}

// MarshalJSON writes one object.
func (r *askResult) MarshalJSON() ([]byte, error) {
	return print.Object(&r.askHead, r.Reply, struct {
		Why []runtime.Witness `json:"why,omitempty"`
	}{r.Why})
}
