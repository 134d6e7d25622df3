package importer

import (
	"context"
	"fmt"
)

// match finds the tables of the checkpoint at path and compares them with the graph.
func (im *importer) match(ctx context.Context, g *graphData, c *checkpoint, path string) (err error) {
	if err := c.findTables(im.options.EntityTensor, im.options.RelationTensor); err != nil {
		return fmt.Errorf("%s: %w", c.path, err)
	}
	c.entities.order, err = im.readRows(ctx, &g.entities, path)
	if err != nil {
		return err
	}
	c.relations.order, err = im.readRows(ctx, &g.relations, path)
	if err != nil {
		return err
	}
	c.inverses, err = g.fit(c, im.options.Layout)
	if err != nil {
		return fmt.Errorf("%s: %w", c.path, err)
	}
	return nil
}

// fit compares the shapes of the tables with the graph and returns the possible arrangements of inverse relations. If
// only the triples are known, it sets the graph's counts.
func (g *graphData) fit(c *checkpoint, stated Layout) ([]Inverse, error) {
	entity := &c.entities
	relation := &c.relations
	for _, t := range []*embeddings{entity, relation} {
		if len(t.shape) != 2 || t.shape[0] == 0 || t.shape[1] == 0 {
			return nil, fmt.Errorf("tensor %q has shape %v, want rows of numbers", t.name, t.shape)
		}
	}
	if len(c.parts(stated.Parts)) == 0 {
		return nil, fmt.Errorf("tensors %q and %q are %d and %d wide, want rows of equal width, and an even one for complex numbers, as in %s",
			entity.name, relation.name, entity.shape[1], relation.shape[1], takenScorers)
	}
	if g.entities.count == 0 {
		if err := g.countRows(c, stated.Inverse); err != nil {
			return nil, err
		}
	}
	if entity.shape[0] != entity.order.count {
		return nil, fmt.Errorf("tensor %q has %d rows, but %s %d entities", entity.name, entity.shape[0], entity.order.has(), entity.order.count)
	}
	have := relation.shape[0]
	want := relation.order.count
	switch {
	case relation.order.directed && have == want:
		return []Inverse{inverseXOR}, nil
	case relation.order.directed:
		return nil, fmt.Errorf("tensor %q has %d rows, but %s %d relations with their inverses", relation.name, have, relation.order.has(), want)
	case have == 2*want:
		return []Inverse{inverseXOR, inverseOffset}, nil
	case have == want:
		return []Inverse{inverseNone}, nil
	}
	return nil, fmt.Errorf("tensor %q has %d rows, but %s %d relations: want %d rows, or %d with inverses",
		relation.name, have, relation.order.has(), want, want, 2*want)
}

// countRows takes the counts of a graph of ids from the checkpoint.
func (g *graphData) countRows(c *checkpoint, stated Inverse) error {
	for i, t := range []*embeddings{&c.entities, &c.relations} {
		v := g.both()[i]
		v.count = t.shape[0]
		if int(v.top.id) >= v.count {
			err := fmt.Errorf("%s %d is out of range: tensor %q has %d rows", v.kind, v.top.id, t.name, v.count)
			return &lineError{v.top.file, v.top.line, err}
		}
	}
	if r := &g.relations; r.count%2 == 0 && int(r.top.id) < r.count/2 && stated != inverseNone {
		r.count /= 2
	}
	c.entities.order.count = g.entities.count
	c.relations.order.count = g.relations.count
	return nil
}
