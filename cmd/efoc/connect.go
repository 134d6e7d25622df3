package main

import (
	"strconv"
	"strings"

	"github.com/efoc/efoc/cmd/internal/cli"
	"github.com/efoc/efoc/cmd/internal/connect"
	"github.com/efoc/efoc/cmd/internal/print"
	"github.com/efoc/efoc/runtime"
	"github.com/efoc/efoc/runtime/model/graph"
)

type connectCmd struct {
	From string `arg:"" help:"Entity to start from: its name, its label, or #id."`
	To   string `arg:"" help:"Entity to reach."`
	modelFlag
	Steps      int    `least:"1" short:"n" default:"3" help:"Number of links of a way at most, up to 6."`
	K          int    `least:"1" short:"k" default:"10" help:"Number of ways."`
	Predicted  bool   `help:"Leave out ways of stored links alone."`
	Expansions int    `least:"1" default:"64" help:"Number of entities between the two whose predicted links are looked at, at most."`
	Format     string `enum:"table,json,tsv" default:"table" help:"Output: table, json or tsv."`
}

func (c *connectCmd) Run(a *app) error {
	if c.Steps > connect.MaxSteps {
		return usagef("--steps %d: want at most %d", c.Steps, connect.MaxSteps)
	}
	m, err := c.open(a)
	if err != nil {
		return err
	}
	defer m.Close()
	var ends []graph.EntityID
	for _, name := range []string{c.From, c.To} {
		e, err := m.Entity(name)
		if err != nil {
			return cli.UsageError{Err: err}
		}
		ends = append(ends, e.ID())
	}
	if ends[0] == ends[1] {
		return usagef("both ends are %s", m.EntityLabel(ends[0]))
	}
	r, err := connect.Find(a.ctx, m.Model, ends[0], ends[1], connect.Options{Steps: c.Steps, K: c.K, Predicted: c.Predicted, Expansions: c.Expansions})
	if err != nil {
		return err
	}
	if r.Incomplete != "" {
		a.warnf("the search may have missed better ways: %s", r.Incomplete)
	}
	var rows [][]string
	for i, w := range r.Ways {
		rows = append(rows, []string{strconv.Itoa(i + 1), print.Short(w.Degree), wayText(w)})
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

// wayText writes a way in a line, its links as they are stored.
func wayText(w connect.Way) string {
	text := w.Links[0].Head.Label
	for _, l := range w.Links {
		text += " " + arrow(l) + " " + l.Tail.Label
	}
	return text
}

// arrow draws a link: against the way if it is stored the other way round.
func arrow(l runtime.WitnessAtom) string {
	line := "-"
	if !l.Observed {
		line = "~"
	}
	name, inverse := strings.CutSuffix(l.Relation, "^-1")
	if inverse {
		return "<" + line + name + line
	}
	return line + name + line + ">"
}
