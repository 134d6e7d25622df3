package main

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/efoc/efoc/cmd/internal/cli"
	"github.com/efoc/efoc/cmd/internal/missing"
	"github.com/efoc/efoc/cmd/internal/print"
	"github.com/efoc/efoc/runtime"
)

type missingCmd struct {
	File string `arg:"" name:"file.efoc" optional:"" in:"" predictor:"model" help:"Model; the same as --model."`
	modelFlag
	Relation      string  `short:"r" placeholder:"NAME" help:"Only facts of this relation. NAME^-1 asks the entities at its other end."`
	Type          string  `placeholder:"[RELATION=]ENTITY" help:"Ask only about entities of this type, such as instance_of=City: see ask --type."`
	K             int     `least:"1" short:"k" default:"100" help:"Number of facts."`
	MinConfidence float64 `placeholder:"P" default:"0.01" help:"Minimum confidence of a fact, above 0, at most 1."`
	Questions     int     `least:"1" default:"100000" help:"Number of questions at most. If there are more, efoc asks only by relations that are plausible for an entity, about entities spread evenly over the graph."`
	Format        string  `enum:"table,json,tsv" default:"table" help:"Output: table, json, or tsv, which efoc add reads after review."`
}

func (c *missingCmd) Run(a *app) error {
	if !(c.MinConfidence > 0 && c.MinConfidence <= 1) {
		return usagef("--min-confidence is %v, want a number above 0, at most 1", c.MinConfidence)
	}
	c.Model = cmp.Or(c.File, c.Model)
	m, err := c.open(a)
	if err != nil {
		return err
	}
	defer m.Close()
	o := missing.Options{
		K: c.K, MinConfidence: c.MinConfidence, Questions: c.Questions, Progress: a.bar.Counter("questions"),
	}
	if c.Relation != "" {
		r, err := m.Relation(c.Relation)
		if err != nil {
			return cli.UsageError{Err: err}
		}
		o.Relation = new(r.ID())
	}
	if c.Type != "" {
		o.Type, err = m.ParseType(c.Type)
		if err != nil {
			return usagef("--type: %w", err)
		}
	}
	search, err := missing.New(m.Model, o)
	if err != nil {
		return err
	}

	a.notef("efoc: %s", search.Cost())
	found, err := search.Run(a.ctx)
	if found == nil {
		return err
	}
	if err != nil {
		a.notef("efoc: stopped after %d questions about %d entities: these are the likeliest facts so far", found.Questions, found.Heads)
	}
	return cmp.Or(a.show(c.Format, missingResult{found}), err)
}

// missingResult is missing facts as they are printed.
type missingResult struct{ *missing.Result }

func (r missingResult) tsv() [][]string {
	rows := [][]string{{"head", "relation", "tail", "confidence", "status", "witness"}}
	for _, f := range r.Facts {
		rows = append(rows, []string{f.Head.Name, f.Relation, f.Tail.Name, print.ConfidenceField(f.Confidence), f.Status.String(), factsText(f.Witness)})
	}
	return rows
}

func (r missingResult) text(p *printer) {
	if len(r.Facts) == 0 {
		p.printf("no fact is likely enough: lower --min-confidence to see others\n")
		return
	}
	var rows [][]string
	for i, f := range r.Facts {
		rows = append(rows, []string{strconv.Itoa(i + 1), f.Head.Label, f.Relation, f.Tail.Label, print.Percent(f.Confidence), f.Status.String(), factsText(f.Witness)})
	}
	p.table([]string{">", "head", "relation", "tail", ">confidence", "status", "the graph has"}, tableRows(rows))
	p.printf("\n%d questions about %d entities; %d were possible\n", r.Questions, r.Heads, r.Possible)
}

// factsText writes stored facts as formulas do.
func factsText(list []runtime.WitnessAtom) string {
	texts := make([]string, len(list))
	for i, f := range list {
		texts[i] = print.Atom(&f)
	}
	return strings.Join(texts, ", ")
}
