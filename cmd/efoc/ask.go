package main

import (
	"strings"
	"time"

	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/query"
)

// askCmd answers a query.
type askCmd struct {
	querySource
	Set []string `group:"query" sep:"none" placeholder:"PARAM=NAME" help:"Value of a parameter of a template or shape; may be repeated. A relation followed by ^-1 is read backwards. #35 is the entity or the directed relation of id 35, as BetaE and FIT number them (2i is relation i, 2i+1 its inverse)."`

	modelFlag
	K      int    `short:"k" default:"10" help:"Number of answers."`
	Sets   int    `default:"3" help:"Number of entities to show for each existential variable; 0 for none."`
	Why    int    `placeholder:"N" help:"Explain the first N answers: the best values of the existential variables, and of each atom whether its link is observed or predicted, and to what degree."`
	Format string `enum:"table,json,tsv" default:"table" help:"Output: table, json or tsv; tsv has only the answers."`
	Engine string `enum:"auto,compiled,interpreted,layers,reference" default:"auto" help:"What runs the plan: auto, compiled, interpreted, layers or reference. auto is compiled for the shapes that have generated code and interpreted, the same calls without it, for others; layers does as the paper says, without any optimisation; reference is slow and plain."`

	semanticsFlags
	deviceFlag
	settingsFlags
}

// Help shows examples.
func (c *askCmd) Help() string {
	return `Entities are quoted; bare arguments are variables. & is and, | is or, ! is not.

Examples:

    efoc ask 'borders("France", x) & official_language(x, "German")'
    efoc ask 'exists c. borders("Switzerland", c) & capital(c, x)' -k 5
    efoc ask 'in_continent(x, "Africa") & !official_language(x, "French")' --sets 0
    efoc ask --shape 2p --set s1=France --set r1=borders --set r2=capital
    efoc ask --model fb15k-237.efoc --shape 2in --set s1=#674 --set s2=#220 --set r1=#81 --set r2=#234
    efoc ask --file world.efo --query Neighbours --set country=France --format json
    efoc ask 'exists c. borders("Switzerland", c) & official_language(c, x)' --semantics mixed --why 2

A known answer follows from the graph. A predicted one does not; it is confirmed if it follows once
the facts that the model holds back are added.`
}

// Run answers the query.
func (c *askCmd) Run(a *app) error {
	switch {
	case c.K < 1:
		return usagef("-k is %d, want 1 or more", c.K)
	case c.Sets < 0:
		return usagef("--sets is %d, want 0 or more", c.Sets)
	case c.Why < 0:
		return usagef("--why is %d, want 0 or more", c.Why)
	}
	if err := c.check(); err != nil {
		return err
	}
	q, err := c.load(a)
	if err != nil {
		return err
	}
	c.Semantics = c.chosen(c.Semantics)
	if layers := c.layers(); c.Layers == nil && layers > 0 {
		c.Layers = &layers
	}
	if err := c.checkDegrees(); err != nil {
		return err
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
	prepare := compiler.PrepareOptions{
		Engine: compiler.Engine(c.Engine), Plans: plans,
		Settings:  func(shape string) model.Settings { return c.applyDegrees(c.apply(m.Manifest.SettingsFor(shape))) },
		Semantics: c.semantics(),
	}
	c.keepRows(m.Model)
	placed, release, err := c.place(m.Model, &prepare)
	if err != nil {
		return err
	}
	defer release()
	p, err := compiler.Prepare(placed, q, prepare)
	if err != nil {
		return mistake(err)
	}
	a.warn(p.Warnings)
	b, err := p.Bindings(args)
	if err != nil {
		return err
	}
	options := query.Options{K: c.K, Settings: &p.Settings}
	if c.Format != "tsv" {
		options.SetSize = c.Sets
	}
	start := time.Now()
	answers, err := p.Query.Answer(a.ctx, b, options)
	if err != nil {
		return err
	}
	r := newAskResult(m, q, p, answers, time.Since(start))
	if c.Why > 0 && c.Format != "tsv" {
		if err := r.explainAnswers(a.ctx, p, b, c.Why); err != nil {
			return err
		}
	}
	return r.write(a.stdout, c.Format)
}

// askResult holds everything to print.
type askResult struct {
	Query string `json:"query"`
	// Shape is the canonical text, ShapeName the benchmark's name if there is one.
	Shape     string `json:"shape"`
	ShapeName string `json:"shape_name,omitempty"`
	// Layers is the number of layers of each disjunct.
	Layers   []int           `json:"layers"`
	Engine   compiler.Engine `json:"engine"`
	Model    modelSummary    `json:"model"`
	Settings model.Settings  `json:"settings"`
	// Semantics is left out for message passing.
	Semantics model.Semantics `json:"semantics,omitempty"`
	// Seconds is the time that answering took, without opening and compiling.
	Seconds  float64  `json:"seconds"`
	Warnings []string `json:"warnings,omitempty"`
	*query.Answers
	// Why are the witnesses of the first answers.
	Why []query.Witness `json:"why,omitempty"`
}

func newAskResult(m *openModel, q *lang.Query, p *compiler.Prepared, answers *query.Answers, took time.Duration) *askResult {
	r := &askResult{
		Query: strings.Join(strings.Fields(q.String()), " "),
		Shape: p.Shape.Key, ShapeName: compiler.ShapeName(p.Shape.Key),
		Layers: p.Compiled.Plan.Layers, Engine: p.Engine, Model: m.summary(), Settings: p.Settings,
		Seconds: took.Seconds(), Answers: answers,
	}
	if p.Semantics != model.NSMP {
		r.Semantics = p.Semantics
		r.Settings.Degrees = r.Settings.Degrees.OrDefault()
	}
	for _, w := range p.Warnings {
		r.Warnings = append(r.Warnings, w.String())
	}
	return r
}
