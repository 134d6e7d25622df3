package main

import (
	"bufio"

	"github.com/efoc/efoc/runtime/model"
)

type exportCmd struct {
	Model  string `arg:"" name:"model.efoc" in:"" predictor:"model" help:"Model whose facts to write to standard output."`
	Untrue bool   `help:"Write the facts that are marked as not true instead. efoc remove --untrue marks them in another model."`
}

func (c *exportCmd) Run(a *app) error {
	m, err := modelFlag{Model: c.Model}.open(a)
	if err != nil {
		return err
	}
	defer m.Close()

	graph := m.Bundle().Graph
	if c.Untrue {
		graph = m.Bundle().Untrue
	}
	if graph == nil {
		return nil
	}
	w := bufio.NewWriter(a.stdout)
	for r := model.RelationID(0); int(r) < m.NumRelations(); r += 2 {
		relation := m.RelationName(r)
		heads, tails := graph.Edges(r)
		for i, h := range heads {
			if err := a.ctx.Err(); err != nil {
				return err
			}
			// Names have no control characters.
			for _, part := range []string{m.EntityName(model.EntityID(h)), "\t", relation, "\t", m.EntityName(model.EntityID(tails[i])), "\n"} {
				if _, err := w.WriteString(part); err != nil {
					return err
				}
			}
		}
	}
	return w.Flush()
}
