package main

import (
	"bufio"

	"github.com/efoc/efoc/runtime/model"
)

type exportCmd struct {
	Model string `arg:"" name:"model.efoc" in:"" predictor:"model" help:"Model whose facts to write to standard output."`
}

func (c *exportCmd) Run(a *app) error {
	m, err := modelFlag{Model: c.Model}.open(a)
	if err != nil {
		return err
	}
	defer m.Close()

	w := bufio.NewWriter(a.stdout)
	for r := model.RelationID(0); int(r) < m.NumRelations(); r += 2 {
		relation := m.RelationName(r)
		heads, tails := m.Bundle().Graph.Edges(r)
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
