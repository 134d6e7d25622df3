package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/efoc/efoc/cmd/internal/cli"
	"github.com/efoc/efoc/cmd/internal/print"
	"github.com/efoc/efoc/cmd/internal/sparqlresult"
	"github.com/efoc/efoc/cmd/internal/stated"
	"github.com/efoc/efoc/cmd/internal/tables"
	"github.com/efoc/efoc/cmd/internal/wanted"
	"github.com/efoc/efoc/compiler"
	"github.com/efoc/efoc/compiler/stages"
	"github.com/efoc/efoc/lang"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/kind"
	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
	"github.com/efoc/efoc/runtime/plan"
)

type askCmd struct {
	querySource
	Set []string `group:"query" sep:"none" placeholder:"PARAM=NAME" help:"Value of a parameter of a template or shape; may be repeated. ^-1 after a relation inverts it. #35 is the entity or the directed relation of id 35, as BetaE and FIT number them (2i is relation i, 2i+1 its inverse)."`

	modelFlag
	wanted.Answers
	Sets   int      `least:"0" default:"3" help:"Number of entities to show for each existential variable; 0 for none."`
	Why    int      `least:"0" placeholder:"N" help:"Explain the first N answers: the best values of the existential variables and, for each atom, whether its link is observed or predicted, and to what degree."`
	WhyNot []string `sep:"none" placeholder:"ENTITY" help:"Explain why an entity is not an answer: the values of the existential variables that come closest, and which atoms and filters fail. For several answer variables, repeat it, once for each in order."`
	Assume []string `sep:"none" placeholder:"FACTS" help:"Answer as if these facts were stored, and those after ! were not: 'borders(\"France\", \"Italy\") & !capital(\"France\", \"Paris\") & population(\"Rome\") = 5'. Unknown names are new; a value replaces others. Nothing is written. May be repeated."`
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
	if err != nil {
		return err
	}
	if c.request == nil && sparqlresult.Named(c.Format) != nil {
		return usagef("--format %s needs a SPARQL query: give one with --sparql", c.Format)
	}
	if c.Compare && c.Assume == nil {
		return usagef("--compare shows what assumptions change: give some with --assume")
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
	if c.Assume != nil {
		assumed, warnings, err := stated.Assume(a.ctx, m.Model, c.Assume, nil)
		if err != nil {
			return err
		}
		m.Model = assumed
		q.Warnings = append(q.Warnings, warnings...)
	}
	if c.request != nil && c.request.Facts != nil {
		return a.stored(&c.querySource, m, c.Format)
	}
	semantics := c.choose(c.file.Semantics, m.Bundle().Manifest.Semantics)
	if err := c.checkRead(semantics); err != nil {
		return err
	}
	if c.file.Layers > 0 {
		c.setDefaultLayers(c.file.Layers)
	}
	if err := c.bind(m); err != nil {
		return err
	}
	settings := c.apply(m.Settings())
	asked, err := c.prepare(a, m, q, compiler.Options{
		Engine: compiler.Engine(c.Engine), Plans: plans, Settings: &settings, Semantics: &semantics,
	}, args)
	if err != nil {
		return err
	}
	return c.answer(a, m, asked)
}

// manyRows is the number of rows above which a search may take long.
const manyRows = 10_000

// answer asks the question and prints the reply.
func (c *askCmd) answer(a *app, m *openModel, asked *question) error {
	if k := asked.options.K; asked.kind == plan.Rows && k > manyRows {
		a.warnf("a search for %d rows may take minutes: an interrupt ends it, and prints those found so far", k)
	}
	start := time.Now()
	reply, err := asked.AskAgainst(a.ctx, asked.base, asked.args, asked.options)
	if reply == nil {
		return err
	}
	took := time.Since(start)
	if c.request != nil {
		result, err := sparqlresult.Of(c.request, asked.wanted, reply)
		if err != nil {
			return err
		}
		if asked.kind == plan.Verdict || c.request.Ask || sparqlresult.Named(c.Format) != nil {
			return a.writeSPARQL(c.request, c.Format, result)
		}
		reply.Rows = result.Rows
		reply.Columns = result.Columns
		c.Offset = c.request.Offset
	}
	r := asked.result(c, m, reply, took)
	switch {
	case err != nil:
		a.warnf("the search for %s was stopped: there may be more", asked.kind)
		return cmp.Or(a.show(c.Format, r), err)
	case reply.Incomplete:
		a.warnf("the search for %s was given up because it took too much work: there may be more", asked.kind)
	}
	if c.Format == "tsv" { // which has no witnesses
		return a.show(c.Format, r)
	}
	if err := asked.Believe(a.ctx, reply); err != nil {
		return err
	}
	if len(c.WhyNot) > 0 {
		r.WhyNot, err = asked.WhyNot(a.ctx, asked.args, asked.options, asked.whyNot...)
		if err != nil {
			return err
		}
	}
	if asked.kind == plan.Answers && c.Why > 0 && len(reply.Rows) > 0 {
		var ids []graph.EntityID
		for _, x := range reply.Rows[:min(c.Why, len(reply.Rows))] {
			ids = append(ids, x.Values[0].ID)
		}
		r.Why, err = asked.Why(a.ctx, asked.args, asked.options, ids...)
		if err != nil {
			return err
		}
	}
	return a.show(c.Format, r)
}

// prepare prepares a question and checks its flags.
func (c *askCmd) prepare(a *app, m *openModel, q *lang.Query, o compiler.Options, args map[string]string) (x *question, err error) {
	x = &question{}
	if c.Compare {
		base, err := compiler.Prepare(m.Base(), q, o)
		if err == nil {
			_, err = base.Args(args)
		}
		if err == nil {
			_, err = c.Answers.Options(m.Base())
		}
		if err != nil {
			return nil, usagef("--compare: without the assumptions, %v", err)
		}
		x.base = base.Question
	}
	placed := m.Model
	if q.Asks() != kind.Rows {
		placed, err = m.toDevice(c.deviceFlag, &o)
		if err != nil {
			return nil, err
		}
	}
	x.Prepared, err = compiler.Prepare(placed, q, o)
	if err != nil {
		return nil, cli.Mistake(err)
	}
	a.warn(q.Warnings)
	x.kind = x.Spec().Kind
	if err := c.refuse(x.kind); err != nil {
		return nil, err
	}
	x.args, err = x.Args(args)
	if err != nil {
		return nil, err
	}
	return x, c.choices(placed, x)
}

// refuse refuses flags that do not apply to a kind of question. Question.Check does so for options.
func (c *askCmd) refuse(kind plan.Kind) error {
	switch {
	case !kind.Lists() && kind != plan.Verdict && c.Why != 0: // verdicts always have witnesses
		return usagef("--why is for answers, and the question asks %s", kind.Asks())
	case kind == plan.Rows && c.Device != "cpu":
		return usagef("--device answers queries with one answer variable: leave it out")
	}
	return nil
}

// choices sets the options of a question from the flags.
func (c *askCmd) choices(m *runtime.Model, x *question) error {
	o, err := c.Answers.Options(m)
	if err != nil {
		return usagef("--%w", err)
	}
	o.Settings = &x.Settings
	if c.Format != "tsv" {
		o.SetSize = c.Sets
	}
	if c.request != nil {
		if c.Offset != 0 || len(c.Status) > 0 || c.MinConfidence != 0 {
			return usagef("--sparql says itself which answers it wants: use OFFSET, FILTER(?y_status = …) and FILTER(?y_confidence >= …)")
		}
		x.wanted = sparqlresult.Want(c.request, x.kind, m.NumEntities(), x.Uncalibrated(nil) == "")
		if err := x.wanted.Set(&o); err != nil {
			return err
		}
	}
	for _, name := range c.WhyNot {
		e, err := m.Entity(name)
		if err != nil {
			return usagef("--why-not: %w", err)
		}
		x.whyNot = append(x.whyNot, e.ID())
	}
	x.options = o
	return x.Check(o)
}

// result returns everything to print for a reply.
func (x *question) result(c *askCmd, m *openModel, r *runtime.Reply, took time.Duration) *askResult {
	by := x.Semantics
	if x.kind == plan.Verdict {
		by = r.Verdict.Semantics
	}
	head := askHead{reply: x.reply(m, by, took)}
	layers := x.Layers()
	foot := []string{head.Model.String()}
	if n := len(c.Assume); n > 0 {
		foot = append(foot, tables.Number(n, "assumption"))
	}
	semantics := fmt.Sprintf("semantics %s", by)
	switch x.kind {
	case plan.Answers:
		head.shapeHead = &shapeHead{x.Shape().Key, stages.ShapeName(x.Shape().Key), layers}
		foot = append(foot, head.shapeText(), semantics)
	case plan.Verdict:
		foot = append(foot, semantics, fmt.Sprintf("degree %.4f", r.Verdict.Degree))
	default:
		foot = append(foot, semantics)
	}
	if x.kind.Lists() {
		head.Engine = x.Engine
		head.Offset = c.Offset
		foot = append(foot, fmt.Sprintf("engine %s", x.Engine), workText(x.Semantics, layers, head.Settings.Degrees))
	}
	return &askResult{head, &print.Reply{
		Reply: r, Offset: c.Offset, Degrees: head.Settings.Degrees, Layers: layers, Explain: c.Why, Foot: foot, Short: m.Bundle().Prefixed, Seconds: took.Seconds(),
	}}
}

// reply is the part of the output common to all questions.
type reply struct {
	// Kind is answers, rows, verdict or count, as in responses of efoc serve.
	Kind     string         `json:"kind"`
	Query    string         `json:"query"`
	Model    print.Model    `json:"model"`
	Settings model.Settings `json:"settings"`
	// Seconds is the time to answer, without opening and compiling.
	Seconds  float64        `json:"seconds"`
	Warnings []lang.Warning `json:"warnings,omitempty"`
}

// reply returns the part of the output that is common to all questions.
func (x *question) reply(m *openModel, by model.Semantics, took time.Duration) reply {
	r := reply{
		Kind: x.kind.String(), Query: x.Line, Model: m.summary(), Settings: x.Settings, Seconds: took.Seconds(), Warnings: x.Source.Warnings,
	}
	if by != model.NSMP {
		r.Settings.Degrees = r.Settings.Degrees.OrDefault()
	}
	return r
}

// askHead describes how a question was answered.
type askHead struct {
	reply
	*shapeHead                 // nil except for answers of one variable
	Engine     compiler.Engine `json:"engine,omitempty"`
	// Offset is the number of better answers that were skipped.
	Offset int `json:"offset,omitempty"`
}

// shapeHead describes the plan behind answers of one variable.
type shapeHead struct {
	// Shape is the canonical text, ShapeName the benchmark's name if there is one.
	Shape     string `json:"shape"`
	ShapeName string `json:"shape_name,omitempty"`
	// Layers is the number of layers of each disjunct.
	Layers []int `json:"layers"`
}

// maxShapeText bounds an unnamed shape shown in full.
const maxShapeText = 60

// shapeText describes the shape in a few words.
func (h *shapeHead) shapeText() string {
	if h.ShapeName == "" && len(h.Shape) > maxShapeText {
		return fmt.Sprintf("a shape of %d atoms", strings.Count(h.Shape, "("))
	}
	return "shape " + cmp.Or(h.ShapeName, h.Shape)
}

// workText lists the settings that determine the amount of work.
func workText(s model.Semantics, layers []int, d model.Degrees) string {
	var numbers []string
	for _, n := range slices.Compact(slices.Clone(layers)) {
		numbers = append(numbers, strconv.Itoa(n))
	}
	text := "L = " + strings.Join(numbers, ", ")
	k := fmt.Sprintf("K = %d", d.Candidates)
	switch s {
	case model.FIT:
		return k
	case model.Mixed:
		return fmt.Sprintf("%s, %s, g = %v", text, k, d.Mixture)
	}
	return text
}

// askResult holds everything to print.
type askResult struct {
	askHead
	*print.Reply
}

// MarshalJSON writes one object.
func (r *askResult) MarshalJSON() ([]byte, error) {
	return print.Object(append([]any{&r.askHead}, r.Members()...)...)
}

func (r *askResult) tsv() [][]string { return r.TSV() }

func (r *askResult) text(p *print.Printer) { r.Text(p) }
