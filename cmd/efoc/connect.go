package main

import (
	"strconv"
	"strings"

	"github.com/efoc/efoc/cmd/internal/cli"
	"github.com/efoc/efoc/cmd/internal/connect"
	"github.com/efoc/efoc/cmd/internal/print"
	"github.com/efoc/efoc/runtime"
)

type connectCmd struct {
	connect.Request
	modelFlag
	Format string `enum:"table,json,tsv" default:"table" help:"Output: table, json or tsv."`
}

func (c *connectCmd) Run(a *app) error {
	m, err := c.open(a)
	if err != nil {
		return err
	}
	defer m.Close()
	from, to, err := c.Ends(m.Model)
	if err != nil {
		return cli.UsageError{Err: err}
	}
	r, err := connect.Find(a.ctx, m.Model, from, to, c.Options)
	if err != nil {
		return err
	}
	if r.Incomplete != "" {
		a.warnf("the search may have missed better ways: %s", r.Incomplete)
	}
	var rows [][]string
	for i, w := range r.Ways {
		rows = append(rows, []string{strconv.Itoa(i + 1), print.Short(w.Degree), wayText(w, m.Bundle().Prefixed)})
	}
	switch c.Format {
	case "json":
		return writeJSON(a.stdout, r)
	case "tsv":
		return writeTSV(a.stdout, append([][]string{{"rank", "degree", "way"}}, rows...))
	}
	p := a.printer()
	if len(rows) == 0 {
		p.printf("no way of %d link%s or fewer\n", c.Steps, pluralS(c.Steps))
		return p.err
	}
	p.table([]string{">", ">degree", "way"}, tableRows(rows))
	p.printf("\n-r->  a link of the graph by r\n~r~>  a link that the model predicts\n")
	return p.err
}

// wayText formats a way as a line, with its links as stored. short abbreviates the names of relations.
func wayText(w connect.Way, short func(name string) string) string {
	text := w.Links[0].Head.Label
	for _, l := range w.Links {
		text += " " + arrow(l, short) + " " + l.Tail.Label
	}
	return text
}

// arrow formats a link: against the way's direction if it is stored in reverse.
func arrow(l runtime.WitnessAtom, short func(name string) string) string {
	line := "-"
	if !l.Observed {
		line = "~"
	}
	name, inverse := strings.CutSuffix(short(l.Relation), "^-1")
	if inverse {
		return "<" + line + name + line
	}
	return line + name + line + ">"
}
