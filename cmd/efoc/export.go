package main

import (
	"bufio"
	"cmp"
	"strings"

	"github.com/efoc/efoc/lang/sparql"
	"github.com/efoc/efoc/runtime/model/graph"
)

type exportCmd struct {
	Model  string `arg:"" name:"model.efoc" in:"" help:"Model whose facts to write to standard output."`
	Only   string `enum:"facts,values,untrue" default:"facts" help:"What to write: facts; values of entities, as typed literals, which efoc add --new adds to another model, and train reads beside the facts with --triples literals=values; or untrue, the facts marked as not true, which efoc remove --untrue marks in another model."`
	Format string `enum:"tsv,ntriples" default:"tsv" help:"Format: tsv, which efoc train reads, or ntriples, for triple stores. Its IRIs are those of efoc's SPARQL."`
}

func (c *exportCmd) Run(a *app) error {
	m, err := modelFlag{Model: c.Model}.open(a)
	if err != nil {
		return err
	}
	defer m.Close()

	w := bufio.NewWriter(a.stdout)
	if c.Only == "values" {
		err = c.values(a, m, w)
	} else {
		err = c.facts(a, m, w)
	}
	return cmp.Or(err, w.Flush())
}

// facts writes the facts of the graph.
func (c *exportCmd) facts(a *app, m *openModel, w *bufio.Writer) error {
	g := m.Bundle().Graph
	if c.Only == "untrue" {
		g = m.Bundle().Untrue
	}
	if g == nil {
		return nil
	}
	for r := graph.RelationID(0); int(r) < m.NumRelations(); r += 2 {
		relation := m.RelationName(r)
		heads, tails := g.Edges(r)
		for i, h := range heads {
			err := c.write(a, w, m.EntityName(graph.EntityID(h)), relation, m.EntityName(graph.EntityID(tails[i])))
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// values writes the values of entities.
func (c *exportCmd) values(a *app, m *openModel, w *bufio.Writer) error {
	for v := range m.Bundle().EachValue {
		err := c.write(a, w, m.EntityName(v.Entity), v.Attribute, v.Kind.Literal(v.Kind.Text(v.Number)))
		if err != nil {
			return err
		}
	}
	return nil
}

// write writes a fact as a line. Names contain no control characters.
func (c *exportCmd) write(a *app, w *bufio.Writer, names ...string) error {
	if err := a.ctx.Err(); err != nil {
		return err
	}
	line := strings.Join(names, "\t")
	if c.Format == "ntriples" {
		line = sparql.Term(names[0]) + " " + sparql.Term(names[1]) + " " + sparql.Term(names[2]) + " ."
	}
	_, err := w.WriteString(line + "\n")
	return err
}
