package main

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/efoc/efoc/cmd/internal/missing"
	"github.com/efoc/efoc/cmd/internal/print"
	"github.com/efoc/efoc/runtime"
)

type missingCmd struct {
	File string `arg:"" name:"file.efoc" optional:"" in:"" help:"Model; the same as --model."`
	modelFlag
	missing.Request
	Format string `enum:"table,json,tsv" default:"table" help:"Output: table, json, or tsv, which efoc add reads after review."`
}

func (c *missingCmd) Run(a *app) error {
	c.Model = cmp.Or(c.File, c.Model)
	m, err := c.open(a)
	if err != nil {
		return err
	}
	defer m.Close()
	o, err := c.Options(m.Model)
	if err != nil {
		return usagef("--%w", err)
	}
	o.Progress = a.bar.Counter("questions")
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
	return cmp.Or(a.show(c.Format, missingResult{found, m.Bundle().Prefixed}), err)
}

// missingResult is a printable result of missing.
type missingResult struct {
	*missing.Result
	short func(name string) string // abbreviates the names of relations for people
}

func (r missingResult) tsv() [][]string {
	rows := [][]string{{"head", "relation", "tail", "confidence", "status", "witness"}}
	for _, f := range r.Facts {
		rows = append(rows, []string{f.Head.Name, f.Relation, f.Tail.Name, print.ConfidenceField(f.Confidence), f.Status.String(), factsText(f.Witness, print.Atom)})
	}
	return rows
}

func (r missingResult) text(p *print.Printer) {
	if r.Possible == 0 {
		p.Printf("no fact is missing: the relation is complete, or no entity has the type\n")
		return
	}
	if len(r.Facts) == 0 {
		p.Printf("no fact is likely enough: lower --min-confidence to see others\n")
		return
	}
	short := func(a *runtime.WitnessAtom) string { return print.ShortAtom(a, r.short) }
	var rows [][]string
	for i, f := range r.Facts {
		rows = append(rows, []string{strconv.Itoa(i + 1), f.Head.Label, r.short(f.Relation), f.Tail.Label, print.Percent(f.Confidence), f.Status.String(), factsText(f.Witness, short)})
	}
	p.Table([]string{">", "head", "relation", "tail", ">confidence", "status", "the graph has"}, tableRows(rows))
	heads := "one entity"
	if r.Heads != 1 {
		heads = fmt.Sprintf("%d entities", r.Heads)
	}
	p.Printf("\n%d questions about %s; %d were possible\n", r.Questions, heads, r.Possible)
}

// factsText lists stored facts as atom formats them.
func factsText(list []runtime.WitnessAtom, atom func(*runtime.WitnessAtom) string) string {
	texts := make([]string, len(list))
	for i, f := range list {
		texts[i] = atom(&f)
	}
	return strings.Join(texts, ", ")
}
