package importer

import (
	"context"
	"fmt"
	"slices"

	"github.com/efoc/efoc/runtime/model"
	"github.com/efoc/efoc/runtime/model/graph"
)

// readValid reads the validation split beside the graph's triples, if requested. If it is unreadable, readValid skips
// it with a note: the graph does not need it.
func (im *importer) readValid(ctx context.Context, g *graphData) ([]graph.Triple, error) {
	path := g.sibling(roleValid)
	if im.options.Calibrate == nil || path == "" {
		return nil, nil
	}
	s, err := im.readTriples(ctx, g, path, roleValid)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		im.options.Note(fmt.Sprintf("the validation split is left out: %v", err))
		return nil, nil
	}
	return without(s.triples, g.triples), nil
}

// calibrate lets Options.Calibrate change the model by the validation facts whose entities and relations it has.
func (im *importer) calibrate(ctx context.Context, m *model.Model, valid []graph.Triple) error {
	n := graph.EntityID(m.NumEntities())
	relations := int32(m.NumRelations() / 2)
	known := slices.DeleteFunc(slices.Clone(valid), func(f graph.Triple) bool { return f.Head >= n || f.Tail >= n || f.Relation >= relations })
	if unknown := len(valid) - len(known); unknown > 0 {
		im.options.Note(fmt.Sprintf("%d of %d validation facts are of entities or relations that the checkpoint lacks", unknown, len(valid)))
	}
	if len(known) == 0 {
		return nil
	}
	if err := im.options.Calibrate(ctx, m, known); err != nil {
		return fmt.Errorf("calibrating by the validation split: %w", err)
	}
	return nil
}
